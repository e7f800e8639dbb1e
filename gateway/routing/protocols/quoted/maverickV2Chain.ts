import {
  encodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { dedupePools } from '../../reads/findPools.ts'
import { arrayHead, readAddresses, readCall, readCalls } from '../../reads/readCalls.ts'
import type { PairPages } from '../../reads/readDeepest.ts'
import type { PoolCreation } from '../family/poolFamily.ts'
import { createQuotedFamily, readPairTokens } from './quotedChain.ts'
import { readByPair } from './readByPair.ts'

const abi = parseAbi([
  'function poolCount() view returns (uint256)',
  'function lookup(uint256 from, uint256 to) view returns (address[])',
  'function lookup(address a, address b, uint256 from, uint256 to) view returns (address[])',
  'function calculateSwap(address pool, uint128 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) returns (uint256, uint256, uint256)',
])
const mostListed = 100n
/** More than the lens takes of a list, so that it sees whether there are. */
const firstPage = 16n
const lastTick = 2 ** 31 - 1
const uint128End = 1n << 128n

/** None of its fields is indexed: the pool stands first, its tokens eighth and ninth. */
const poolCreated: PoolCreation = {
  topic: toEventSelector(
    'PoolCreated(address,uint8,uint256,uint256,uint256,uint256,int32,address,address,uint8,address)',
  ),
  read({ data }) {
    const words = data.slice(2).match(/.{64}/g) ?? []
    const [pool, tokenA, tokenB] = [words[0], words[7], words[8]].map(
      (word) => word && (`0x${word.slice(24)}` as const),
    )
    return pool && tokenA && tokenB ? { tokens: [tokenA, tokenB], address: pool } : undefined
  },
}

const pages: PairPages = {
  size: 64,
  ask: (factory, [a, b], from) => {
    const args = [a, b, BigInt(from), BigInt(from + pages.size)]
    return [readCall(factory, { abi, functionName: 'lookup', args }, arrayHead + pages.size)]
  },
  read: ([words]) => readAddresses(words),
}

/** Maverick v2: one quoter for all pools; it runs the swap and undoes it. */
export const maverickV2Family = createQuotedFamily({
  protocol: 'maverick_v2',
  creations: [poolCreated],
  stepGas: () => 65_000,
  topics: [
    'PoolSwap(address,address,(uint256,bool,bool,int32),uint256,uint256)',
    'PoolAddLiquidity(address,address,uint256,(uint8,int32[],uint128[]),uint256,uint256,uint32[])',
    'PoolRemoveLiquidity(address,address,uint256,(uint32[],uint128[]),uint256,uint256)',
  ].map((event) => toEventSelector(event)),
  find: (deps, parameters) =>
    readByPair(deps, {
      ...parameters,
      selector: toFunctionSelector('lookup(address,address,uint256,uint256)'),
      pages,
      tail: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [0n, firstPage]),
    }),
  async list(deps, { dex, blockNumber }) {
    const count = readCall(dex.factory, { abi, functionName: 'poolCount' })
    const [words] = await readCalls(deps, { calls: [count], blockNumber })
    const length = words?.[0]
    if (length === undefined || length > mostListed) return undefined
    const lookup = { abi, functionName: 'lookup', args: [0n, length] }
    const calls = [readCall(dex.factory, lookup, arrayHead + Number(length))]
    const [found] = await readCalls(deps, { calls, blockNumber })
    return dedupePools(readAddresses(found).map((address) => ({ dex, address })))
  },
  readTokens: (deps, parameters) =>
    readPairTokens(deps, {
      ...parameters,
      selectors: [toFunctionSelector('tokenA()'), toFunctionSelector('tokenB()')],
    }),
  quoter: {
    question({ address, quoter }, { i, amountIn }) {
      const tickLimit = i === 0 ? lastTick : -lastTick - 1
      // The quoter takes 128 bits: more is asked as the most there is, and refused by the answer.
      const amount = amountIn < uint128End ? amountIn : uint128End - 1n
      const args = [address, amount, i === 0, false, tickLimit] as const
      return {
        target: quoter,
        data: encodeFunctionData({ abi, functionName: 'calculateSwap', args }),
      }
    },
    readAnswer: ([taken, amountOut], { amountIn }) => (taken === amountIn ? amountOut : undefined),
  },
  encodeStep: ({ address, tokens }, { tokenIn }) => ({
    kind: stepKinds.maverickV2,
    pool: address,
    data: encodeAbiParameters([{ type: 'bool' }], [tokens[0] === tokenIn]),
  }),
})
