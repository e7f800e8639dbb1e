import {
  type Address,
  encodeFunctionData,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { findByLookup } from '../../reads/findPools.ts'
import { createdAt } from '../family/createdAt.ts'
import { createQuotedFamily, readPairTokens } from './quotedChain.ts'

const abi = parseAbi(['function getAmountOut(uint256, address) view returns (uint256)'])
/** Pairs are found by their two tokens and whether they are stable. */
const stableOrNot = [0, 1]

/**
 * Ramses v1, a Solidly: its pairs know their price, and nobody has published vectors of their stable
 * loop. The executor asks the same question while it swaps.
 */
export const ramsesV1Family = createQuotedFamily({
  protocol: 'ramses_v1',
  stepGas: () => 98_000,
  creations: [createdAt(toEventSelector('PairCreated(address,address,bool,address,uint256)'), 1)],
  topics: [toEventSelector('Sync(uint256,uint256)')],
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      keys: stableOrNot,
      selector: toFunctionSelector('getPair(address,address,bool)'),
    }),
  readTokens: (deps, parameters) =>
    readPairTokens(deps, {
      ...parameters,
      selectors: [toFunctionSelector('token0()'), toFunctionSelector('token1()')],
    }),
  quoter: {
    question({ address, tokens }, { i, amountIn }) {
      const args = [amountIn, tokens[i] as Address] as const
      return {
        target: address,
        data: encodeFunctionData({ abi, functionName: 'getAmountOut', args }),
      }
    },
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep: ({ address }) => ({ kind: stepKinds.solidly, pool: address, data: '0x' }),
})
