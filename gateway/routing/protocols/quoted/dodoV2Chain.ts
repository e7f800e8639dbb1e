import {
  encodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { pagesByNumber } from '../../reads/findPools.ts'
import { readCall } from '../../reads/readCalls.ts'
import type { PoolCreation } from '../family/poolFamily.ts'
import { createQuotedFamily, readPairTokens } from './quotedChain.ts'
import { readByPair } from './readByPair.ts'

const abi = parseAbi([
  'function querySellBase(address trader, uint256 amount) view returns (uint256, uint256)',
  'function querySellQuote(address trader, uint256 amount) view returns (uint256, uint256)',
  'function _REGISTRY_(address base, address quote, uint256 index) view returns (address)',
])

/** Base, quote, creator and pool, none of them indexed. */
const creations = ['NewDVM', 'NewDPP', 'NewDSP'].map(
  (name): PoolCreation => ({
    topic: toEventSelector(`${name}(address,address,address,address)`),
    read({ data }) {
      const words = data.slice(2).match(/.{64}/g) ?? []
      const [base, quote, , pool] = words.map((word) => `0x${word.slice(24)}` as const)
      return base && quote && pool ? { tokens: [base, quote], address: pool } : undefined
    },
  }),
)

/** One by one: `getDODOPool` tells the whole list or, beyond some gas, nothing. */
const pages = pagesByNumber((factory, pair, at) =>
  readCall(factory, { abi, functionName: '_REGISTRY_', args: [...pair, at] }),
)

/** DODO v2, all three kinds: a factory each; pools answer for themselves. */
export const dodoV2Family = createQuotedFamily({
  protocol: 'dodo_v2',
  creations,
  stepGas: () => 56_500,
  topics: [
    'DODOSwap(address,address,uint256,uint256,address,address)',
    'BuyShares(address,uint256,uint256)',
    'SellShares(address,address,uint256,uint256)',
  ].map((event) => toEventSelector(event)),
  find: (deps, parameters) =>
    readByPair(deps, {
      ...parameters,
      selector: toFunctionSelector('getDODOPool(address,address)'),
      pages,
    }),
  readTokens: (deps, parameters) =>
    readPairTokens(deps, {
      ...parameters,
      selectors: [toFunctionSelector('_BASE_TOKEN_()'), toFunctionSelector('_QUOTE_TOKEN_()')],
    }),
  quoter: {
    question: ({ address }, { i, amountIn }) => ({
      target: address,
      data: encodeFunctionData({
        abi,
        functionName: i === 0 ? 'querySellBase' : 'querySellQuote',
        args: [zeroAddress, amountIn],
      }),
    }),
    readAnswer: ([amountOut]) => amountOut,
  },
  encodeStep: ({ address, tokens }, { tokenIn }) => ({
    kind: stepKinds.dodoV2,
    pool: address,
    data: encodeAbiParameters([{ type: 'bool' }], [tokens[0] === tokenIn]),
  }),
})
