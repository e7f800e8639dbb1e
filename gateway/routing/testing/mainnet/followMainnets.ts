import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import { allPoolShares } from '../../../../fixtures/nodes/mainnet/shares.ts'
import type { ProfileName } from '../../../../fixtures/nodes/profiles/profiles.ts'
import { chains, seedTokens } from '../../../chain/chains.ts'
import { isSampled } from '../../protocols/families.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import type { Routing } from '../../service/routing.ts'
import type { SyncEvent } from '../../sync/syncEvent.ts'
import type { SyncedState } from '../../sync/syncedState.ts'
import { compareRecords } from '../compareRecords.ts'
import { createRandom } from '../random.ts'
import { findForeignSteps } from './findForeignSteps.ts'
import { openRouting } from './openRouting.ts'
import { readMainnet } from './readMainnet.ts'
import { type StartedMainnet, startMainnet } from './startMainnet.ts'

export type Followed = {
  readonly profile: ProfileName
  readonly chainId: number
  /** Until the first quote of a major; undefined where none came. */
  readonly readyMs: number | undefined
  readonly blocks: number
  readonly reorgs: number
  readonly faults: number
  readonly made: number
  readonly compared: number
  readonly differences: readonly string[]
  /** Of the differences, what a round of the audit has not put right. */
  readonly leftAfterAudit: readonly string[]
  readonly healed: number
  readonly asked: number
  readonly answered: number
  /** Quotes that no block's state gives. */
  readonly mixed: readonly string[]
  /** How late the state was at most, once there was one. */
  readonly mostLagMs: number
  readonly events: Readonly<Record<string, number>>
  readonly exceptions: readonly string[]
  /** Since the last fault; undefined where it was not at the head by then. */
  readonly caughtUpMs: number | undefined
}

const askEachMs = 500
/** Shorter than any state is held: the next one takes a question to a node. */
const learnEachMs = 10
const lookEachMs = 50
/** The majors have to be quoted by then; what is followed for so long as is asked is from there on. */
const longestStartMs = 300_000
/** After the last fault: a free tier takes minutes for all pools, which a deep reorganisation has read anew. */
const settleMs = 300_000
/** A round of the audit, with some steps to spare; its time is squeezed. */
const [auditSteps, auditStepMs, longestPauseMs] = [60, 31_000, 2_000]
/** One gateway on both chains behind nodes of one profile, with every fault, and what comes of it. */
export async function followMainnets({
  profile,
  runMs,
  reorgs,
  pools,
}: {
  readonly profile: ProfileName
  readonly runMs: number
  readonly reorgs: number
  readonly pools: number
}): Promise<readonly Followed[]> {
  const exceptions: string[] = []
  const note = (error: unknown) => {
    exceptions.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  const started = await Promise.all(
    chains.map(({ chainId }) => {
      const shares = allPoolShares[chainId]
      return startMainnet({ chainId, profile, pools, shares, runMs, reorgs })
    }),
  )
  const events: SyncEvent[] = []
  const startedAtMs = performance.now()
  let skippedMs = 0
  const { routing, close } = await openRouting(started, {
    now: () => performance.now() + skippedMs,
    observe: (event) => events.push(event),
  })
  try {
    const followed = await Promise.all(
      started.map((chain) =>
        follow(routing, { chain, events, exceptions, profile, startedAtMs, runMs }),
      ),
    )
    const isWrong = followed.some(({ differences }) => differences.length > 0)
    for (let step = 0; isWrong && step < auditSteps; step += 1) {
      const before = started.map((chain) => auditedOf(routing, chain))
      const endsAtMs = performance.now() + longestPauseMs
      const isWaiting = () =>
        started.some((chain, index) => auditedOf(routing, chain) === before[index])
      skippedMs += auditStepMs
      while (isWaiting() && performance.now() < endsAtMs) await wait(lookEachMs)
    }
    const left = await Promise.all(
      started.map((chain) => compareToChain(chain, statusOf(routing, chain))),
    )
    return followed.map((row, index) => ({
      ...row,
      healed: auditOf(routing, row)?.healed ?? 0,
      leftAfterAudit: left[index]?.differences ?? [],
    }))
  } finally {
    await close()
    process.off('uncaughtException', note)
    process.off('unhandledRejection', note)
  }
}

type Following = {
  readonly chain: StartedMainnet
  readonly events: readonly SyncEvent[]
  readonly exceptions: readonly string[]
  readonly profile: ProfileName
  readonly startedAtMs: number
  readonly runMs: number
}

async function follow(
  routing: Routing,
  { chain, events, exceptions, profile, startedAtMs, runMs }: Following,
): Promise<Omit<Followed, 'healed' | 'leftAfterAudit'>> {
  const { chainId, mainnet, past, node } = chain
  const quotes = createQuotes(routing, chain)
  let readyMs: number | undefined
  let [mostLagMs, turn] = [0, 0]
  const chainStatus = () => statusOf(routing, chain)
  const sinceStartMs = () => performance.now() - startedAtMs
  while (sinceStartMs() < (readyMs === undefined ? longestStartMs : readyMs + runMs)) {
    const isAnswered = await quotes.ask({ isMajor: readyMs === undefined || turn % 2 === 0 })
    if (isAnswered) readyMs ??= sinceStartMs()
    if (isAnswered) chain.shake()
    turn += 1
    if (readyMs !== undefined) mostLagMs = Math.max(mostLagMs, chainStatus()?.lagMs ?? 0)
    await wait(askEachMs)
  }
  quotes.close()
  const blocks = chain.blocks()
  chain.settle()
  const { faults } = node.counters()
  const settledAtMs = performance.now()
  const isThere = () => chainStatus()?.state?.head.hash === mainnet.head().hash
  const sinceSettledMs = () => performance.now() - settledAtMs
  while (!isThere() && sinceSettledMs() < settleMs) await wait(askEachMs)
  const caughtUpMs = isThere() ? sinceSettledMs() : undefined
  const status = chainStatus()
  const compared = await compareToChain(chain, status)
  const names = events.flatMap((event) => (event.chainId === chainId ? [event.event] : []))
  return {
    profile,
    chainId,
    readyMs,
    blocks,
    reorgs: past.reorgs(),
    faults: Object.values(faults).reduce((sum, count) => sum + count, 0),
    made: mainnet.pools.length,
    ...compared,
    ...quotes.counts(),
    mostLagMs,
    events: Object.fromEntries(
      [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]),
    ),
    exceptions: [...exceptions, ...chain.failures.map(String)],
    caughtUpMs,
  }
}

type Status = ReturnType<Routing['status']>[number] | undefined

export const statusOf = (routing: Routing, { chainId }: { readonly chainId: number }): Status =>
  routing.status().find((each) => each.chain.chainId === chainId)

const auditOf = (routing: Routing, chain: { readonly chainId: number }) =>
  statusOf(routing, chain)?.chain.sync.audit()
const auditedOf = (routing: Routing, chain: { readonly chainId: number }) =>
  auditOf(routing, chain)?.audited

/** What is followed against a fresh read of the same block; samples are renewed in turns, and left out. */
export async function compareToChain({ mainnet, chainId }: StartedMainnet, status: Status) {
  const chain = chains.find((each) => each.chainId === chainId)
  const state = status?.state
  if (!chain || !state) return { compared: 0, differences: [] }
  const records = [...state.pools.values()].filter((record) => !isSampled(record))
  const blockNumber = state.head.number
  const source = { chain, mainnet, dexes: status.chain.dexes }
  const fresh = await readMainnet(source, { records, blockNumber })
  const differences = records.flatMap((record) => {
    const read = fresh.get(record.id)
    return read ? (compareRecords(record, read) ?? []) : [`${record.dex} ${record.id} is not there`]
  })
  return { compared: records.length, differences }
}

/** Majors and tokens that anybody may ask for, in turn. */
function createQuotes(routing: Routing, { chainId, mainnet, past }: StartedMainnet) {
  const random = createRandom(chainId)
  const tokens = new Map(seedTokens(chainId).map(({ symbol, address }) => [symbol, address]))
  const majors = [tokens.get('WETH'), tokens.get('USDC')] as readonly (Address | undefined)[]
  const mixed: string[] = []
  // What a quote was made of may have come after it was asked for, and gone before it is looked at.
  const known = new Map<string, PoolRecord>()
  let seen: SyncedState | undefined
  const learn = () => {
    const state = statusOf(routing, { chainId })?.state
    if (state === seen) return
    seen = state
    for (const [id, record] of state?.pools ?? []) known.set(id, record)
  }
  const learning = setInterval(learn, learnEachMs)
  let [asked, answered] = [0, 0]

  return {
    counts: () => ({ asked, answered, mixed }),
    close: () => clearInterval(learning),
    /** Whether it was answered. */
    async ask({ isMajor }: { readonly isMajor: boolean }): Promise<boolean> {
      const pool = random.pick(mainnet.pools)
      const pair = isMajor ? majors : [pool.token0, pool.token1]
      const [tokenIn, tokenOut] = random.chance(0.5) ? pair : [pair[1], pair[0]]
      if (!tokenIn || !tokenOut) throw new Error('the chain has no such token')
      const amountIn = 10n ** BigInt(3 + random.below(13))
      asked += 1
      const outcome = await routing.quote({ chainId, tokenIn, tokenOut, amountIn, slippageBps: 50 })
      if (outcome.status !== 'ok') return false
      answered += 1
      const { quote } = outcome
      learn()
      const foreign = findForeignSteps(quote, { past, known })
      if (foreign.length > 0)
        mixed.push(`block ${quote.lastSyncBlock}, ${quote.source}: ${foreign.join(', ')}`)
      return true
    },
  }
}
