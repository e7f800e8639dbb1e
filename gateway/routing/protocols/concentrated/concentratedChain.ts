import type { Hex } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { askInParts } from '../../reads/askInParts.ts'
import { callLens, type LensResult, lensGas, thriftyGas } from '../../reads/lens.ts'
import type { LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import {
  applyConcentratedLog,
  burnTopic,
  initializeTopic,
  mintTopic,
  swapTopic,
} from './concentratedLogs.ts'
import type { ConcentratedProtocol, ConcentratedRecord } from './concentratedRecord.ts'
import { heldByTicks, toLiquidityTicks } from './heldByTicks.ts'

/** Whose views the pools have: constants of `RangeReads.sol`. */
const shapes = { uniswapV3: 0, algebraDirectional: 1, algebraIntegral: 2 } as const
type Range = LensResult<'readRanges'>[number]
type Shape = keyof typeof shapes

/** A 60-spacing pool scans 116 words of its tick table, about 0.4M gas. */
const rangesPerCall = 40
/** Some 1,300 ticks each: anybody may add more than any block can wait for. */
const mostRounds = 12
/** Few pools get a call each, in one batch: none of them has to be continued in another round trip. */
const fewRanges = 16
/** In each call where few calls count, and for what a larger one has left. */
const fewPerCall = 4
/** In each round as many as there are, so that each call's gas is used up: most are read by a few calls. */
const thriftySizes = [80, 80, 80, 80, 8, 8]
/** Least `int24`: from the first word, or the first tick. */
const fromStart = -8_388_608
const rangeStepGas = 64_400
/** First fee of a token in a pool. */
const freshRangeGas = 15_400
/** Crossing an initialised tick: eight slots, most of them touched for the first time. */
const crossingGas = 20_000

/**
 * A drained pool of narrow spacing walks thousands of words on its way to the last price, some 3,000
 * gas each: more than a transaction may cost. Such swaps are refused.
 */
const mostWords = 1_200

/** The state as the maths takes it. */
export function toConcentratedState(record: ConcentratedRecord) {
  const [token0 = '', token1 = ''] = record.tokens
  return { ...record, token0, token1, ticks: toLiquidityTicks(record.ticks), mostWords }
}

type ConcentratedFamily = Pick<
  PoolFamily<ConcentratedRecord>,
  'find' | 'creations' | 'toEnginePool' | 'refresh' | 'movesApart'
> & {
  readonly protocol: ConcentratedProtocol
  readonly shape?: Shape | undefined
  readonly topics?: readonly Hex[] | undefined
  /** Gas of a step above that of Uniswap v3. */
  readonly extraGas?: number | undefined
}

/** What all concentrated pools share: their ticks are read through the lens and follow their events. */
export function concentratedFamily({
  protocol,
  shape = 'uniswapV3',
  topics = [],
  extraGas = 0,
  ...own
}: ConcentratedFamily): PoolFamily<ConcentratedRecord> {
  return {
    ...own,
    load: (deps, parameters) => loadRanges(deps, { ...parameters, protocol, shape }),
    topics: [initializeTopic, swapTopic, mintTopic, burnTopic, ...topics],
    apply: applyConcentratedLog,
    encodeStep: ({ address }) => ({ kind: stepKinds.uniswapV3, pool: address, data: '0x' }),
    midPrice({ sqrtPriceX96 }, i) {
      const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2
      return i === 0 ? price : 1 / price
    },
    depth({ sqrtPriceX96, liquidity }, i) {
      const root = Number(sqrtPriceX96) / 2 ** 96
      const depth = Number(liquidity) * (i === 0 ? 1 / root : root)
      // Whatever lies elsewhere, a trade moves a price at which nothing does.
      return depth >= 0 ? depth : undefined
    },
    held: heldByTicks,
    stepGas: ({ isFresh }, i) => rangeStepGas + extraGas + (isFresh[i] ? freshRangeGas : 0),
    crossingGas,
    takesTaxedInput: false,
  }
}

type OpenRange = { readonly pool: PoolRef; readonly from: number; readonly parts: Range[] }
type Kind = { readonly protocol: ConcentratedProtocol; readonly shape: Shape }

/** Reads ticks in as many calls as their gas asks for: one for all, then one for each that is left. */
async function loadRanges(
  deps: ReadDeps,
  { pools, isBrief = false, isThrifty = false, ...kind }: LoadParameters & Kind,
): Promise<ConcentratedRecord[]> {
  const done: ConcentratedRecord[] = []
  const sizes = isThrifty
    ? thriftySizes
    : [...(pools.length > fewRanges ? [rangesPerCall] : []), ...(isBrief ? [fewPerCall] : [])]
  let open: readonly OpenRange[] = pools.map((pool) => ({ pool, from: fromStart, parts: [] }))
  for (let round = 0; round < mostRounds && open.length > 0; round += 1) {
    const size = sizes[round] ?? 1
    const read = await readOn(deps, { ranges: open, size, isThrifty, ...kind })
    done.push(...read.done)
    // A pool whose ticks cost more gas than a whole call gives is no pool.
    const before = new Map(open.map(({ pool, from }) => [pool, from]))
    const isStuck = ({ pool, from }: OpenRange) => size === 1 && before.get(pool) === from
    open = read.open.filter((range) => !isStuck(range))
  }
  for (const { pool, parts } of open) {
    deps.noteFailure?.({ target: pool.address, data: '0x' }, 'endless')
    const { blockNumber, protocol } = kind
    const record = joinParts(pool, { parts, blockNumber, protocol })
    if (record) done.push({ ...record, isPart: true })
  }
  return done
}

type Reading = Kind & Pick<LoadParameters, 'blockNumber' | 'isThrifty'>

/** One round: what it has read to the end, and what it has not. */
async function readOn(
  { client, noteFailure }: ReadDeps,
  {
    ranges,
    size,
    blockNumber,
    isThrifty,
    protocol,
    shape,
  }: Reading & { readonly ranges: readonly OpenRange[]; readonly size: number },
): Promise<{ readonly done: readonly ConcentratedRecord[]; readonly open: readonly OpenRange[] }> {
  const items = ranges.map(({ pool, from }) => ({
    pool: pool.address,
    from,
    shape: shapes[shape],
  }))
  const answers = await askInParts(
    { client },
    {
      items,
      size,
      blockNumber,
      ask: (part) =>
        callLens(client, {
          functionName: 'readRanges',
          args: [part],
          blockNumber,
          gas: isThrifty ? thriftyGas : lensGas,
        }),
    },
  )
  const done: ConcentratedRecord[] = []
  const open = ranges.flatMap((range, index) => {
    const answer = answers[index]
    if (!answer?.ok) {
      const question = { target: range.pool.address, data: '0x' } as const
      noteFailure?.(question, answer ? 'reverted' : 'unreadable')
      return []
    }
    // A request that the gas did not reach at all has no tick spacing yet.
    const parts = answer.tickSpacing > 0 ? [...range.parts, answer] : range.parts
    if (!answer.done) return [{ ...range, parts, from: answer.next }]
    const record = joinParts(range.pool, { parts, blockNumber, protocol })
    if (record) done.push(record)
    return []
  })
  return { done, open }
}

function joinParts(
  pool: PoolRef,
  {
    parts,
    blockNumber,
    protocol,
  }: {
    readonly parts: readonly Range[]
    readonly blockNumber: bigint
    readonly protocol: ConcentratedProtocol
  },
): ConcentratedRecord | undefined {
  const [first] = parts
  if (!first) return undefined
  const words = parts.flatMap(({ ticks }) => ticks)
  const ticks = Array.from({ length: words.length / 2 }, (_, index) => {
    const packed = words[2 * index] ?? 0n
    return {
      index: Number(BigInt.asIntN(24, packed >> 128n)),
      gross: BigInt.asUintN(128, packed),
      net: BigInt.asIntN(128, words[2 * index + 1] ?? 0n),
    }
  })
  return {
    ...toHead(pool, { tokens: [first.token0, first.token1], blockNumber }),
    protocol,
    feePips: first.feePips,
    feePips1: first.feePips1,
    isFresh: [first.isFresh0, first.isFresh1],
    tickSpacing: first.tickSpacing,
    sqrtPriceX96: first.sqrtPriceX96,
    tick: first.tick,
    liquidity: first.liquidity,
    ticks,
  }
}
