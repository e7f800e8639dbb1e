import { decodeAbiParameters, toEventSelector } from 'viem'
import type { PoolLog } from '../../reads/poolLog.ts'
import { signedWordAt, wordAt } from '../maths/wordAt.ts'
import type { ConcentratedRecord, TickRecord } from './concentratedRecord.ts'

export const initializeTopic = toEventSelector('Initialize(uint160,int24)')
export const swapTopic = toEventSelector(
  'Swap(address,address,int256,int256,uint160,uint128,int24)',
)
/** PancakeSwap v3 adds the protocol's fees at the end. */
export const pancakeSwapTopic = toEventSelector(
  'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)',
)
export const mintTopic = toEventSelector(
  'Mint(address,address,int24,int24,uint128,uint256,uint256)',
)
export const burnTopic = toEventSelector('Burn(address,int24,int24,uint128,uint256,uint256)')
/** Fees of Algebra pools: of both directions in 1.9, of any in Integral. */
export const directionalFeeTopic = toEventSelector('Fee(uint16,uint16)')
export const feeTopic = toEventSelector('Fee(uint16)')

/**
 * A pool's state after an event; events that move no price and no liquidity leave it as it is. Undefined where one
 * tells that another before it is missing.
 */
export function applyConcentratedLog<record extends ConcentratedRecord>(
  record: record,
  log: PoolLog,
): record | undefined {
  switch (log.topics[0]) {
    case directionalFeeTopic: {
      const [feePips, feePips1] = decodeAbiParameters(
        [{ type: 'uint16' }, { type: 'uint16' }],
        log.data,
      )
      return { ...record, feePips, feePips1, changedBlock: log.blockNumber }
    }
    case feeTopic: {
      const [feePips] = decodeAbiParameters([{ type: 'uint16' }], log.data)
      return { ...record, feePips, feePips1: feePips, changedBlock: log.blockNumber }
    }
    case swapTopic:
    case pancakeSwapTopic:
      return applySwap(record, log)
    case mintTopic:
      return applyMint(record, log)
    case burnTopic:
      return applyBurn(record, log)
    case initializeTopic: {
      const [sqrtPriceX96, tick] = decodeAbiParameters(
        [{ type: 'uint160' }, { type: 'int24' }],
        log.data,
      )
      return { ...record, sqrtPriceX96, tick, changedBlock: log.blockNumber }
    }
    default:
      return record
  }
}

function applySwap<record extends ConcentratedRecord>(
  record: record,
  log: PoolLog,
): record | undefined {
  const [isFresh0, isFresh1] = record.isFresh
  const stays = (isFresh: boolean | undefined, place: number) =>
    isFresh === true && signedWordAt(log.data, place) <= 0n
  const [liquidity, tick] = [wordAt(log.data, 3), Number(signedWordAt(log.data, 4))]
  if (isPositionMissing(record, { liquidity, tick })) return undefined
  return {
    ...record,
    sqrtPriceX96: wordAt(log.data, 2),
    liquidity,
    tick,
    isFresh: [stays(isFresh0, 0), stays(isFresh1, 1)],
    swapsSeen: record.swapsSeen + 1,
    changedBlock: log.blockNumber,
  }
}

function applyMint<record extends ConcentratedRecord>(record: record, log: PoolLog): record {
  // Mint has its sender in the data, before the amount; Burn has not.
  const [, amount] = decodeAbiParameters([{ type: 'address' }, { type: 'uint128' }], log.data)
  return changeLiquidity(record, log, amount)
}

function applyBurn<record extends ConcentratedRecord>(record: record, log: PoolLog): record {
  const [amount] = decodeAbiParameters([{ type: 'uint128' }], log.data)
  return changeLiquidity(record, log, -amount)
}

function changeLiquidity<record extends ConcentratedRecord>(
  record: record,
  log: PoolLog,
  delta: bigint,
): record {
  const lower = decodeTick(log.topics[2])
  const upper = decodeTick(log.topics[3])
  if (lower === undefined || upper === undefined || delta === 0n) return record
  return { ...record, ...addRange(record, { lower, upper, delta }), changedBlock: log.blockNumber }
}

type Ranged = Pick<ConcentratedRecord, 'tick' | 'liquidity' | 'ticks'>

/**
 * Whether the liquidity that a swap tells of cannot be what the known ticks make of the pool as it was: an event of
 * a position was lost. Nothing is told of a pool whose liquidity never was what its ticks say.
 */
export function isPositionMissing(
  { ticks, ...before }: Ranged,
  after: Pick<Ranged, 'tick' | 'liquidity'>,
): boolean {
  const [low, high] = before.tick < after.tick ? [before, after] : [after, before]
  if (low.liquidity + sumNet(ticks, low.tick, high.tick) === high.liquidity) return false
  return sumNet(ticks, Number.NEGATIVE_INFINITY, before.tick) === before.liquidity
}

/** What crossing the ticks above one and up to another adds. Strangers make as many as they pay for: those alone. */
function sumNet(ticks: Ranged['ticks'], above: number, upTo: number): bigint {
  let sum = 0n
  for (let at = countUpTo(ticks, above); at < ticks.length; at += 1) {
    const tick = ticks[at]
    if (!tick || tick.index > upTo) break
    sum += tick.net
  }
  return sum
}

/** How many ticks are at an index or below. */
function countUpTo(ticks: Ranged['ticks'], index: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle]?.index ?? index) <= index) low = middle + 1
    else high = middle
  }
  return low
}

/** Liquidity and ticks after a position between two ticks grew by `delta`, which may be negative. */
export function addRange(
  { tick, liquidity, ticks }: Ranged,
  { lower, upper, delta }: { readonly lower: number; readonly upper: number; delta: bigint },
): Pick<Ranged, 'liquidity' | 'ticks'> {
  const isInRange = lower <= tick && tick < upper
  const low = changeTick(ticks, { index: lower, gross: delta, net: delta })
  return {
    liquidity: isInRange ? liquidity + delta : liquidity,
    ticks: changeTick(low, { index: upper, gross: delta, net: -delta }),
  }
}

function decodeTick(topic: string | undefined): number | undefined {
  return topic === undefined ? undefined : Number(BigInt.asIntN(24, BigInt(topic)))
}

/** Adds `change` to the tick of its index; a tick without gross liquidity is gone, as in the pool. */
function changeTick(ticks: readonly TickRecord[], change: TickRecord): readonly TickRecord[] {
  const position = ticks.findIndex(({ index }) => index >= change.index)
  const at = position < 0 ? ticks.length : position
  const old = ticks[at]?.index === change.index ? ticks[at] : undefined
  const gross = (old?.gross ?? 0n) + change.gross
  const net = (old?.net ?? 0n) + change.net
  const changed = gross > 0n ? [{ index: change.index, gross, net }] : []
  return ticks.toSpliced(at, old ? 1 : 0, ...changed)
}
