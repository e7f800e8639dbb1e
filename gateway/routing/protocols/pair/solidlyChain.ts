import {
  type Address,
  decodeAbiParameters,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { wholeBps } from '../../../amounts/amounts.ts'
import { askInParts } from '../../reads/askInParts.ts'
import { findByLookup } from '../../reads/findPools.ts'
import { callLens } from '../../reads/lens.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { LoadParameters, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls } from '../../reads/readCalls.ts'
import { createdAt } from '../family/createdAt.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { closed } from '../maths/enginePool.ts'
import { stablePairPrice } from '../maths/stablePairPrice.ts'
import { createAerodromeV2Pool } from './aerodromeV2.ts'

/** Aerodrome v2 and its kin: constant product, or the stable invariant. */
export type SolidlyRecord = PoolHead & {
  readonly protocol: 'aerodrome_v2'
  readonly stable: boolean
  /** 10 ^ decimals of each token, as the pool keeps them. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Whether the factory has stopped the swaps of all its pools. */
  readonly isPaused: boolean
}

const solidlySyncTopic = toEventSelector('Sync(uint256,uint256)')
const solidlyCreatedTopic = toEventSelector('PoolCreated(address,address,bool,address,uint256)')
const factoryAbi = parseAbi([
  'function getFee(address pool, bool stable) view returns (uint256)',
  'function isPaused() view returns (bool)',
])
const poolsPerCall = 500
const pipsPerBps = 100
const solidlyStepGas = 101_000
const stableInvariantGas = 20_000
/** First use of the price counters. */
const freshSolidlyGas = 4_000

/** Asked of the factory by each swap: github:aerodrome-finance/contracts contracts/Pool.sol. */
const askPaused = (factory: Address) =>
  readCall(factory, { abi: factoryAbi, functionName: 'isPaused' })
const readPaused = (words: readonly bigint[] | undefined) => words?.[0] === 1n

/** Pools of one factory. */
async function loadOfFactory(
  deps: ReadDeps,
  { factory, pools, blockNumber }: LoadParameters & { readonly factory: Address },
): Promise<SolidlyRecord[]> {
  const { client, noteFailure } = deps
  const asking = {
    items: pools.map(({ address }) => address),
    size: poolsPerCall,
    blockNumber,
    ask: (part: readonly Address[]) =>
      callLens(client, { functionName: 'readSolidly', args: [factory, part], blockNumber }),
  }
  const [answers, [paused]] = await Promise.all([
    askInParts({ client }, asking),
    readCalls(deps, { calls: [askPaused(factory)], blockNumber }),
  ])
  return pools.flatMap((pool, index) => {
    const answer = answers[index]
    if (!answer?.ok) {
      noteFailure?.({ target: pool.address, data: '0x' }, answer ? 'reverted' : 'unreadable')
      return []
    }
    const { token0, token1, reserve0, reserve1, unit0, unit1, stable, isFresh, feeBps } = answer
    return [
      {
        ...toHead(pool, { tokens: [token0, token1], blockNumber }),
        protocol: 'aerodrome_v2' as const,
        reserve0,
        reserve1,
        unit0,
        unit1,
        stable,
        isPaused: readPaused(paused),
        feePips: Number(feeBps) * pipsPerBps,
        isFresh: [isFresh, isFresh],
      },
    ]
  })
}

export const solidlyFamily: PoolFamily<SolidlyRecord> = {
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      selector: toFunctionSelector('getPool(address,address,bool)'),
      keys: [0, 1],
    }),
  async load(deps, { pools, blockNumber }) {
    const groups = [...Map.groupBy(pools, ({ dex }) => dex)]
    const loaded = groups.map(([{ factory }, group]) =>
      loadOfFactory(deps, { factory, pools: group, blockNumber }),
    )
    return (await Promise.all(loaded)).flat()
  },
  topics: [solidlySyncTopic],
  creations: [createdAt(solidlyCreatedTopic, 0)],
  /** Every change of a pool's reserves ends in a `Sync`. */
  apply(record, log) {
    if (log.topics[0] !== solidlySyncTopic) return record
    const [reserve0, reserve1] = decodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }],
      log.data,
    )
    return {
      ...record,
      reserve0,
      reserve1,
      changedBlock: log.blockNumber,
      isFresh: [false, false],
      swapsSeen: record.swapsSeen + 1,
    }
  },
  /** The factory sets fees and stops swaps; the pool does not hear of it. */
  async refresh(deps, { records, dexes, blockNumber }) {
    const asked = records.flatMap((record) => {
      const dex = dexes.find(({ name }) => name === record.dex)
      return dex ? [{ record, factory: dex.factory }] : []
    })
    const factories = [...new Set(asked.map(({ factory }) => factory))]
    const feesOf = asked.map(({ record: { address, stable }, factory }) =>
      readCall(factory, { abi: factoryAbi, functionName: 'getFee', args: [address, stable] }),
    )
    const calls = [...factories.map(askPaused), ...feesOf]
    const answers = await readCalls(deps, { calls, blockNumber })
    return new Map(
      asked.flatMap(({ record, factory }, index) => {
        const feeBps = answers[factories.length + index]?.[0]
        if (feeBps === undefined || feeBps >= wholeBps) return []
        const isPaused = readPaused(answers[factories.indexOf(factory)])
        return [[record.id, { feePips: Number(feeBps) * pipsPerBps, isPaused }] as const]
      }),
    )
  },
  movesApart: true,
  toEnginePool: (record) => {
    const [token0 = '', token1 = ''] = record.tokens
    const feeBps = BigInt(record.feePips / pipsPerBps)
    const pool = createAerodromeV2Pool({ ...record, token0, token1, feeBps })
    return record.isPaused ? closed(pool) : pool
  },
  encodeStep: ({ address }) => ({ kind: stepKinds.solidly, pool: address, data: '0x' }),
  midPrice: (record, i) => stablePairPrice(record, i),
  depth({ stable, reserve0, reserve1 }, i) {
    // What a stable pool moves by near its peg says nothing about its depth.
    return stable ? undefined : Number(i === 0 ? reserve0 : reserve1)
  },
  held: ({ reserve0, reserve1 }, i) => Number(i === 0 ? reserve0 : reserve1),
  stepGas: ({ stable, isFresh }, i) =>
    solidlyStepGas + (stable ? stableInvariantGas : 0) + (isFresh[i] ? freshSolidlyGas : 0),
  takesTaxedInput: true,
}
