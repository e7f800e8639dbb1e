import { numberToHex, toEventSelector, toFunctionSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { askInParts } from '../../reads/askInParts.ts'
import { findByLookup, listPairs } from '../../reads/findPools.ts'
import { callLens } from '../../reads/lens.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { LoadParameters, ReadDeps } from '../../reads/poolRef.ts'
import { createdAt } from '../family/createdAt.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { wordAt } from '../maths/wordAt.ts'
import { createUniswapV2Pool } from './uniswapV2.ts'

export type PairRecord = PoolHead & {
  readonly protocol: 'uniswap_v2'
  readonly reserve0: bigint
  readonly reserve1: bigint
}

export const syncTopic = toEventSelector('Sync(uint112,uint112)')
export const pairCreatedTopic = toEventSelector('PairCreated(address,address,address,uint256)')
const pairsPerCall = 500
const pairStepGas = 61_000
/** First use of the price counters. */
const freshPairGas = 29_000

async function loadPairs(
  { client, noteFailure }: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<PairRecord[]> {
  const answers = await askInParts(
    { client },
    {
      items: pools.map(({ address }) => address),
      size: pairsPerCall,
      blockNumber,
      ask: (part) => callLens(client, { functionName: 'readPairs', args: [part], blockNumber }),
    },
  )
  return pools.flatMap((pool, index) => {
    const answer = answers[index]
    if (!answer?.ok) {
      noteFailure?.({ target: pool.address, data: '0x' }, answer ? 'reverted' : 'unreadable')
      return []
    }
    const { token0, token1, reserve0, reserve1, isFresh } = answer
    return [
      {
        ...toHead(pool, { tokens: [token0, token1], blockNumber }),
        protocol: 'uniswap_v2' as const,
        feePips: pool.dex.feesPips[0] ?? 3000,
        reserve0,
        reserve1,
        isFresh: [isFresh, isFresh],
      },
    ]
  })
}

/** Uniswap v2 and its forks of any fee. */
export const uniswapV2Family: PoolFamily<PairRecord> = {
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      selector: toFunctionSelector('getPair(address,address)'),
    }),
  list: listPairs,
  load: loadPairs,
  topics: [syncTopic],
  creations: [createdAt(pairCreatedTopic, 0)],
  /** Every change of a pair's reserves ends in a `Sync`. */
  apply(record, log) {
    if (log.topics[0] !== syncTopic) return record
    return {
      ...record,
      changedBlock: log.blockNumber,
      reserve0: wordAt(log.data, 0),
      reserve1: wordAt(log.data, 1),
      isFresh: [false, false],
      swapsSeen: record.swapsSeen + 1,
    }
  },
  toEnginePool: (record) => {
    const [token0 = '', token1 = ''] = record.tokens
    return createUniswapV2Pool({ ...record, token0, token1 })
  },
  encodeStep: ({ address, feePips }) => ({
    kind: stepKinds.uniswapV2,
    pool: address,
    data: numberToHex(feePips, { size: 32 }),
  }),
  midPrice({ reserve0, reserve1 }, i) {
    const price = Number(reserve1) / Number(reserve0)
    return i === 0 ? price : 1 / price
  },
  depth: ({ reserve0, reserve1 }, i) => Number(i === 0 ? reserve0 : reserve1),
  held: ({ reserve0, reserve1 }, i) => Number(i === 0 ? reserve0 : reserve1),
  stepGas: ({ isFresh }, i) => pairStepGas + (isFresh[i] ? freshPairGas : 0),
  takesTaxedInput: true,
}
