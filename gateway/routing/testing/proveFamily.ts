import { erc20Abi } from 'viem'
import { familyOf, isQuoted } from '../protocols/families.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import { nameQuestion, pinAnswers } from '../protocols/quoted/quoted.ts'
import { askQuoters } from '../reads/askQuoters.ts'
import { readCall, readCalls } from '../reads/readCalls.ts'
import { discoverAll } from '../sync/discover.ts'
import { loadPools } from '../sync/loadPools.ts'
import { priceRecord } from '../sync/syncedState.ts'
import { changePool, narrowPool } from './changePool.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'
import { describeDifference, expectSwap, type PoolTrade, roundingOf, toTrial } from './swapTrial.ts'

export type Tally = {
  compared: number
  /** Of them: the chain and the engine both refuse. */
  refused: number
  /** Of them: the pool did not take all. */
  exhausted: number
  executed: number
  gas: number[]
  readonly differences: string[]
}

export function createTally(): Tally {
  return { compared: 0, refused: 0, exhausted: 0, executed: 0, gas: [], differences: [] }
}

const trialsPerCall = 24
/** Beyond all that a pool can take, as far as the swapper's pockets reach. */
const beyond = 64n
const mostDifferences = 20

/** Pools of a family as sync finds and reads them; a rebasing token's are left out: it rounds every transfer. */
export async function loadFamily(stand: SwapStand, protocol: string): Promise<PoolRecord[]> {
  const { manifest, chainClient } = stand
  const rebase = manifest.tokens['REBASE']?.address.toLowerCase() ?? ''
  const dexes = stand.dexes.filter((dex) => dex.protocol === protocol)
  const blockNumber = await headNumber(stand)
  const tokens = Object.values(manifest.tokens).map(({ address }) => address)
  const { pools } = await discoverAll({ ...chainClient, dexes }, { tokens, blockNumber })
  const records = await loadPools(chainClient, { pools, blockNumber })
  const dexNames = dexes.map(({ name }) => name)
  const listed = manifest.pools
    .filter(({ dex }) => dexNames.includes(dex))
    .map(({ id = '', address }) => [id, address.toLowerCase()])
  const missing = listed.filter((names) => !records.some(({ id }) => names.includes(id)))
  if (missing.length > 0) throw new Error(`${protocol} is not found whole: ${missing}`)
  return records.filter((record) => !record.tokens.includes(rebase))
}

export async function headNumber({ rpc }: SwapStand): Promise<bigint> {
  return BigInt(String(await rpc('eth_blockNumber')))
}

export async function reload(stand: SwapStand, record: PoolRecord): Promise<PoolRecord> {
  const dex = stand.dexes.find(({ name }) => name === record.dex)
  if (!dex) throw new Error(record.dex)
  const blockNumber = await headNumber(stand)
  const pools = [toRef(record, dex)]
  const [fresh] = await loadPools(stand.chainClient, { pools, blockNumber })
  if (!fresh) throw new Error(`${record.id} does not load`)
  return fresh
}

/** The greatest input worth trying, by token of the pool. */
export async function readLimits(stand: SwapStand, record: PoolRecord): Promise<readonly bigint[]> {
  const owners = [record.address, stand.probe]
  const calls = record.tokens.flatMap((token) =>
    owners.map((owner) =>
      readCall(token as `0x${string}`, { abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
    ),
  )
  const words = await readCalls(stand.chainClient, { calls, blockNumber: await headNumber(stand) })
  return record.tokens.map((_, k) => {
    const [inPool = 0n, held = 0n] = [words[2 * k]?.[0], words[2 * k + 1]?.[0]]
    const most = inPool * beyond
    const pocket = held / 2n
    return most > 0n && most < pocket ? most : pocket
  })
}

export function pickTrade(
  random: Random,
  { record, limits, part = 1n }: { record: PoolRecord; limits: readonly bigint[]; part?: bigint },
): PoolTrade {
  const i = random.below(record.tokens.length)
  const j = (i + 1 + random.below(record.tokens.length - 1)) % record.tokens.length
  return { i, j, amountIn: random.magnitude((limits[i] ?? 1n) / part || 1n) }
}

/** The pool whose word is taken for these trades: one without local maths says what its quoter says. */
async function poolToExpect(
  stand: SwapStand,
  { record, trades }: { readonly record: PoolRecord; readonly trades: readonly PoolTrade[] },
): Promise<EnginePool> {
  const { quoter } = familyOf(record)
  if (!quoter || !isQuoted(record)) return priceRecord(record, stand.taxOf)
  const blockNumber = await headNumber(stand)
  const words = await askQuoters(stand.chainClient, {
    questions: trades.map((trade) => quoter.question(record, trade)),
    blockNumber,
  })
  const bounds = await quoter.readBounds?.(stand.chainClient, { record, blockNumber })
  const bounded = { ...record, ...bounds } as PoolRecord
  const answers = new Map(
    trades.map((trade, index) => {
      const answer = words[index]
      const name = nameQuestion(trade.i, trade.j, trade.amountIn)
      return [name, answer && quoter.readAnswer(answer, trade, bounded)] as const
    }),
  )
  const note = () => {
    throw new Error('a trade was not asked about')
  }
  return pinAnswers(priceRecord(record, stand.taxOf), { answers, note })
}

/** Random swaps of every size on a pool as it stands: the chain's answers against the engine's. */
export async function compareSwaps(
  stand: SwapStand,
  { record, count, random, tally }: Run & { readonly count: number },
): Promise<void> {
  const limits = await readLimits(stand, record)
  for (let left = count; left > 0; left -= trialsPerCall) {
    const trades = Array.from({ length: Math.min(left, trialsPerCall) }, () =>
      pickTrade(random, { record, limits }),
    )
    const outcomes = await stand.tryAll(trades.map((trade) => toTrial(stand, record, trade)))
    const pool = await poolToExpect(stand, { record, trades })
    for (const [index, trade] of trades.entries()) {
      const outcome = outcomes[index]
      if (!outcome) throw new Error('the probe answered too little')
      const expected = expectSwap(pool, { trade, taxOf: stand.taxOf })
      tally.compared += 1
      if (!expected) tally.refused += 1
      else if (expected.amountIn < trade.amountIn) tally.exhausted += 1
      note(tally, {
        record,
        trade,
        difference: describeDifference(expected, outcome, roundingOf(record)),
      })
    }
  }
}

type Run = { readonly record: PoolRecord; readonly random: Random; readonly tally: Tally }

function note(
  { differences }: Tally,
  {
    record,
    trade,
    difference,
  }: { record: PoolRecord; trade: PoolTrade; difference: string | undefined },
): void {
  if (difference === undefined || differences.length >= mostDifferences) return
  const { i, j, amountIn } = trade
  differences.push(`${record.dex} ${record.id} ${i}>${j} ${amountIn}: ${difference}`)
}

/** Swaps for good, one after another, each expected from the state that the one before left behind. */
export async function executeSwaps(
  stand: SwapStand,
  { record, count, random, tally }: Run & { readonly count: number },
): Promise<void> {
  let pool: EnginePool = priceRecord(record, stand.taxOf)
  const limits = await readLimits(stand, record)
  for (let swap = 0; swap < count; swap += 1) {
    // A pool that was emptied has little left to show.
    const trade = pickTrade(random, { record, limits, part: 256n })
    if (isQuoted(record)) pool = await poolToExpect(stand, { record, trades: [trade] })
    const expected = expectSwap(pool, { trade, taxOf: stand.taxOf })
    const outcome = await stand.execute(toTrial(stand, record, trade))
    note(tally, {
      record,
      trade,
      difference: describeDifference(expected, outcome, roundingOf(record)),
    })
    tally.executed += 1
    if (!outcome.ok) continue
    tally.gas.push(Number(outcome.gasUsed))
    if (expected) pool = expected.swap.next
    else if (isQuoted(record)) continue
    // Paid nothing, but moved: the engine does not follow dust.
    else pool = priceRecord(await reload(stand, record), stand.taxOf)
  }
  if (isQuoted(record)) return
  const fresh = await reload(stand, record)
  for (const [i, j] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const trade = { i, j, amountIn: limits[i] ? limits[i] / 1000n || 1n : 1n }
    const [followed, read] = [pool, priceRecord(fresh, stand.taxOf)].map(
      (state) => state.swap(i, j, trade.amountIn)?.amountOut,
    )
    const difference = followed === read ? undefined : `after swaps ${followed}, read ${read}`
    note(tally, { record, trade, difference })
  }
}

export type FamilyRun = {
  readonly protocol: string
  readonly compare: number
  readonly execute: number
  readonly random: Random
}

/** Compares and executes random swaps over all pools of a family, whose states change in between. */
export async function proveFamily(
  stand: SwapStand,
  { protocol, compare, execute, random }: FamilyRun,
): Promise<Tally> {
  const tally = createTally()
  const records = await loadFamily(stand, protocol)
  for (const record of records.slice(0, 2))
    if ('feePips1' in record) await narrowPool(stand, record)
  if (records.length === 0) throw new Error(`the world has no pool of ${protocol}`)
  const rounds = Math.max(1, Math.ceil(compare / (trialsPerCall * records.length)))
  const perRound = Math.ceil(compare / rounds / records.length)
  const executions = Math.ceil(execute / rounds / records.length)
  for (let round = 0; round < rounds; round += 1)
    for (const first of records) {
      const record = await reload(stand, first)
      await compareSwaps(stand, { record, count: perRound, random, tally })
      await executeSwaps(stand, { record, count: executions, random, tally })
      if (random.chance(0.5)) await changePool(stand, { record, random })
    }
  return tally
}
