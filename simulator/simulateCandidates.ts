import { type Address, zeroAddress } from 'viem'
import type { SlotResolver } from './balanceSlot/resolveBalanceSlot.ts'
import { type Bundle, buildBundle, type Candidate, heldOf } from './buildBundle.ts'
import {
  apartUnavailable,
  type CandidateResult,
  chainUnreachable,
  failed,
  unavailable,
} from './classifyOutcome.ts'
import type { CodelessTokens } from './codelessTokens.ts'
import { type Costume, makeCostume } from './disguise.ts'
import type { FindWhales } from './findWhales.ts'
import { type Funding, fundTaker } from './fundTaker.ts'
import type { Generation } from './generation.ts'
import { holdEnough } from './holdEnough.ts'
import { readHoldingAlone } from './holdingsReader.ts'
import { type BundleReading, readBundle } from './readBundle.ts'
import { readRecipients } from './readRecipients.ts'
import type { ErrorTable } from './revertReason.ts'
import { gasOf } from './rpc/callShapes.ts'
import type { RpcEndpoint } from './rpc/rpcBatch.ts'
import { type IsolatedOutcome, runIsolated } from './runIsolated.ts'
import { settle } from './settle.ts'
import { simulateOnChain, tokensOf } from './simulateOnChain.ts'
import type { SlowLane } from './slowLane.ts'
import type { Suspects } from './suspects.ts'
import type { Entrant } from './turnstile.ts'
import type { Upstream } from './upstream.ts'

export type SimulateDeps = {
  readonly slots: SlotResolver
  readonly findWhales: FindWhales
  readonly codeless: CodelessTokens
  readonly upstream: Pick<Upstream, 'sendApart'>
  /** False when the real chain failed to answer the forks just now. */
  readonly isChainAnswering: () => boolean
  readonly errors: ErrorTable
  readonly now: () => number
  readonly simulatedTaker: Address
  /** Candidates that need much gas take turns, so that they never have more than one core between them. */
  readonly slowLane: SlowLane
  readonly suspects: Suspects
}

type Run = {
  readonly generation: Generation
  /** The fork on which the bundles run. */
  readonly rpc: RpcEndpoint
  /** Something on it does not come to an end. */
  readonly onStuck: () => void
  readonly timeSecs: bigint
  readonly signal: AbortSignal | undefined
  readonly entrant: Entrant
  readonly remainingMs: () => number
}

type Job = {
  readonly candidate: Candidate
  readonly taker: Address
  readonly costume?: Costume | undefined
  holders: readonly Address[]
  gasCap: bigint
  funding: Funding
  reading: BundleReading
  /** Took more gas, time or space than an ordinary swap. */
  isSpoiler: boolean
  /** Some of its tokens are no fork's. */
  readonly isOnChain: boolean
  readonly isInputCodeless: boolean
}

const readTimeoutMs = 4_000
/** What a request may take on its fork in all: in the fork's time to drain. */
const requestBudgetMs = 5_500
/** What all of a request's candidates on the slow fork may take together. */
const hungryBudgetMs = 2_000
/** Addresses of a calldata that may be tokens on the way. */
const mostNamed = 24

/** Dry-runs every candidate by itself on the generation's block; results in the order of the candidates. */
export async function simulateCandidates(
  deps: SimulateDeps,
  {
    generation,
    candidates,
    entrant,
  }: {
    generation: Generation
    candidates: readonly Candidate[]
    entrant: Entrant
  },
): Promise<readonly CandidateResult[]> {
  const nowSecs = BigInt(Math.floor(deps.now() / 1000))
  const timeSecs = nowSecs > generation.timestampSecs ? nowSecs : generation.timestampSecs
  const run: Run = {
    generation,
    rpc: generation.fork.rpc,
    onStuck: generation.condemn,
    timeSecs,
    signal: entrant.signal,
    entrant,
    remainingMs: countdown(requestBudgetMs),
  }
  const isSuspect = (job: Pick<Job, 'candidate'>) =>
    isUndisguised(job) && deps.suspects.has(job.candidate)
  const unsuspected = candidates.filter((candidate) => !isSuspect({ candidate }))
  const [jobs] = await Promise.all([
    Promise.all(candidates.map((candidate) => createJob(deps, run, candidate))),
    prefetchHoldings(run, unsuspected),
  ])
  const onFork = jobs.filter((job) => !job.isOnChain)
  const suspect = onFork.filter(isSuspect)
  const usual = onFork.filter((job) => !isSuspect(job))
  const others = settle(
    Promise.all([
      runApart(deps, run, suspect),
      runOnChain(
        deps,
        run,
        jobs.filter((job) => job.isOnChain),
      ),
    ]),
  )
  await runFully(deps, run, usual)
  for (const { candidate, isSpoiler } of usual) if (isSpoiler) deps.suspects.add(candidate)
  await runApart(deps, run, usual.filter(reads('out_of_gas')).filter(isUndisguised))
  const outcome = await others
  if ('error' in outcome) throw outcome.error
  await runOnChain(deps, run, await passesCodeless(deps, run, onFork.filter(isFailed)))
  await explainNothing(run, onFork.filter(reads('no_output')))
  return jobs.map(({ reading }) => reading.result)
}

const isFailed = ({ reading: { result } }: Job) => result.status === 'simulation_failed'

/** Of what a fork failed, that whose calldata names a token which no fork has: it may be on the way. */
async function passesCodeless(
  { codeless }: SimulateDeps,
  { generation }: Run,
  jobs: readonly Job[],
): Promise<readonly Job[]> {
  const passing = await Promise.all(
    jobs.map(async ({ candidate: { data, target, tokenIn, tokenOut }, taker }) => {
      const exclude = [taker, target, tokenIn, tokenOut]
      const named = readRecipients(data, { exclude, most: mostNamed })
      return (await codeless(generation, named)).includes('codeless')
    }),
  )
  return jobs.filter((_, index) => passing[index])
}

async function runOnChain(
  deps: SimulateDeps,
  { generation, timeSecs, entrant }: Run,
  jobs: readonly Job[],
) {
  await Promise.all(
    jobs.map(async (job) => {
      job.reading = done(await simulateOnChain(deps, { ...job, generation, timeSecs, entrant }))
    }),
  )
}

/** Milliseconds left of a budget that starts now. */
function countdown(budgetMs: number): () => number {
  const endMs = performance.now() + budgetMs
  return () => endMs - performance.now()
}

const reads =
  (kind: BundleReading['kind']) =>
  ({ reading }: Job) =>
    reading.kind === kind
/** A disguise has the gas that a wallet would give, and one chance; what needs more fails there, too. */
const isUndisguised = ({ candidate }: Pick<Job, 'candidate'>) => candidate.disguise === undefined
const done = (result: CandidateResult): BundleReading => ({ kind: 'done', result })

async function createJob(deps: SimulateDeps, run: Run, asked: Candidate): Promise<Job> {
  const taker = asked.taker ?? deps.simulatedTaker
  const { disguise } = asked
  const kinds = await deps.codeless(run.generation, tokensOf(asked))
  const isOnChain = kinds.includes('codeless')
  const reader = { rpc: run.rpc, timeoutMs: readTimeoutMs }
  const candidate = isOnChain ? asked : await holdEnough(reader, { candidate: asked, taker })
  const dress = { disguise, nowSecs: run.timeSecs, timeoutMs: readTimeoutMs }
  const [funding, costume] = await Promise.all([
    isOnChain || kinds.includes('silent') ? unreached : fund(deps, run, { candidate, taker }),
    disguise && makeCostume(run.generation, { ...dress, disguise }),
  ])
  return {
    candidate,
    taker,
    costume,
    holders: [candidate.recipient ?? taker],
    gasCap: gasOf.swap,
    funding: disguise && !costume ? unreached : funding,
    reading: done(chainUnreachable),
    isSpoiler: false,
    isOnChain,
    isInputCodeless: candidate.tokenIn !== zeroAddress && kinds[0] === 'codeless',
  }
}

const unreached: Funding = { status: 'refused', result: chainUnreachable }

/**
 * A fork fetches what calls of one batch want at once, and what one call wants one after the other. Candidates
 * of one request watch mostly the same: each is read once. What suspects watch is for the fork that they run on.
 */
async function prefetchHoldings({ generation }: Run, candidates: readonly Candidate[]) {
  const distinct = new Map(
    candidates
      .flatMap(({ holdings = [] }) => holdings)
      .map((holding) => [`${holding.contract} ${holding.data}`, holding]),
  )
  const calls = [...distinct.values()].map(readHoldingAlone)
  // Whatever comes of it: the dry run asks again.
  await settle(generation.fork.rpc.batch(calls, { timeoutMs: readTimeoutMs }))
}

function fund(
  { slots, findWhales }: SimulateDeps,
  { generation, timeSecs, entrant }: Run,
  {
    candidate,
    taker,
    exceptBy,
  }: {
    candidate: Candidate
    taker: Address
    /** Who is not to pay. */
    exceptBy?: Address | undefined
  },
): Promise<Funding> {
  const { blockNumber, fork } = generation
  const deps = {
    rpc: fork.rpc,
    timeoutMs: readTimeoutMs,
    blockNumber,
    slots,
    findWhales: (asked: Parameters<FindWhales>[0]) => findWhales({ ...asked, entrant }),
  }
  return fundTaker(deps, { candidate, taker, timeSecs, exceptBy })
}

/** Simulates each job's bundle and leaves what it shows in `reading`. */
async function runJobs(
  deps: SimulateDeps,
  { generation, rpc, onStuck, timeSecs, signal, remainingMs }: Run,
  jobs: readonly Job[],
) {
  const bundles = new Map<Job, Bundle>()
  for (const job of jobs) {
    if (job.funding.status === 'refused') {
      job.reading = done(job.funding.result)
      continue
    }
    const { overrides: funding, prelude } = job.funding
    bundles.set(
      job,
      buildBundle({ ...job, funding, prelude, timeSecs, baseOverrides: generation.overrides }),
    )
  }
  const calls = [...bundles.values()].map(({ rpcCall }) => rpcCall)
  const outcomes = await runIsolated({ rpc, onStuck, remainingMs }, { calls, signal })
  for (const [index, [job, bundle]] of [...bundles].entries()) {
    const outcome = outcomes[index]
    job.reading = readJob(deps, job, { bundle, outcome })
    const isHungry = typeof outcome === 'string' || job.reading.kind === 'out_of_gas'
    job.isSpoiler = isHungry && isUndisguised(job)
  }
}

function readJob(
  { errors, isChainAnswering }: SimulateDeps,
  { funding, candidate, costume, ...job }: Job,
  { bundle, outcome }: { bundle: Bundle; outcome: IsolatedOutcome | undefined },
): BundleReading {
  if (outcome === undefined) return done(chainUnreachable)
  // With a chain that answers, a candidate that takes too long does so of its own making.
  if (outcome === 'timeout')
    return done(
      unavailable(isChainAnswering() ? 'unsupported' : 'rpc_error', 'simulation timed out'),
    )
  if (outcome === 'too_large') return done(failed('return data too large'))
  const amount = heldOf(candidate)
  const gasCap = costume ? BigInt(costume.gas) : job.gasCap
  const tolerance = funding.status === 'funded' ? funding.tolerance : 0n
  return readBundle(outcome, { bundle, gasCap, errors, expected: { amount, tolerance } })
}

/** What is known of a token's balances was wrong, or has become so: look again, once. */
async function refund(deps: SimulateDeps, run: Run, jobs: readonly Job[]) {
  for (const { candidate, taker } of jobs)
    deps.slots.invalidate({ token: candidate.tokenIn, holder: taker })
  await Promise.all(
    jobs.map(async (job) => {
      job.funding = await fund(deps, run, job)
    }),
  )
  await runJobs(deps, run, jobs)
}

/** Runs what is hungry or under suspicion on the slow fork, one after the other, and with more gas. */
async function runApart(deps: SimulateDeps, run: Run, jobs: readonly Job[]) {
  if (jobs.length === 0) return
  const first = await settle(run.generation.slowFork())
  if ('error' in first) {
    for (const job of jobs) job.reading = done(withoutSlowFork(deps))
    return
  }
  const remainingMs = countdown(Math.min(hungryBudgetMs, run.remainingMs()))
  for (const job of jobs) {
    // Whoever has no turn in time was not run: neither did it fail, nor is the chain away.
    job.reading = done(withoutSlowFork(deps))
    job.gasCap = gasOf.hungrySwap
    await deps.slowLane(() => runOnSlowFork(deps, { ...run, remainingMs }, job), run.entrant.caller)
    if (isOrdinary(job)) deps.suspects.acquit(job.candidate)
  }
}

/** The trouble of whoever is set apart is nobody else's, unless the chain itself is away. */
const withoutSlowFork = ({ isChainAnswering }: SimulateDeps): CandidateResult =>
  isChainAnswering() ? apartUnavailable : chainUnreachable

const isOrdinary = ({ reading: { result } }: Job) =>
  result.status === 'ok' && result.gasUsed <= gasOf.swap

/** Once more on a new one, should the slow fork die meanwhile: it may have been for somebody else's bomb. */
async function runOnSlowFork(deps: SimulateDeps, run: Run, job: Job) {
  for (let attempt = 0; attempt < 2 && run.remainingMs() > 0; attempt += 1) {
    const work = async () => {
      const fork = await run.generation.slowFork()
      // Nobody else's work runs on it: what does not end may be killed with it.
      const slow = { ...run, rpc: fork.rpc, onStuck: () => void fork.kill() }
      await runFully(deps, slow, [job])
    }
    const outcome = await settle(work())
    if (!('error' in outcome)) return
    job.reading = done(withoutSlowFork(deps))
    if (run.signal?.aborted) throw outcome.error
  }
}

/** Runs jobs, and those again whose first run was to teach us something. */
async function runFully(deps: SimulateDeps, run: Run, jobs: readonly Job[]) {
  await runJobs(deps, run, jobs)
  await refund(deps, run, jobs.filter(reads('misfunded')))
  await payAnew(deps, run, jobs.filter(reads('done')).filter(isFailed).filter(isUndisguised))
  await widen(deps, run, jobs.filter(reads('no_output')))
}

/** Whoever paid may be a pool that the candidate swaps through: somebody else pays, once. */
async function payAnew(deps: SimulateDeps, run: Run, jobs: readonly Job[]) {
  const paidAnew = await Promise.all(
    jobs.map(async (job) => {
      const exceptBy = job.funding.status === 'funded' ? job.funding.payer : undefined
      if (!exceptBy) return []
      const funding = await fund(deps, run, { ...job, exceptBy })
      if (funding.status === 'refused') return []
      job.funding = funding
      return [job]
    }),
  )
  await runJobs(deps, run, paidAnew.flat())
}

/** Where the taker got nothing, watches those whom the calldata names as well. */
async function widen(deps: SimulateDeps, run: Run, jobs: readonly Job[]) {
  const widened = jobs.filter((job) => {
    const { candidate, taker } = job
    if (candidate.recipient !== undefined) return false
    const { target, tokenIn, tokenOut, data } = candidate
    const named = readRecipients(data, { exclude: [taker, target, tokenIn, tokenOut] })
    job.holders = [taker, ...named]
    return named.length > 0
  })
  await runJobs(deps, run, widened)
}

/** A call to an address without code succeeds and does nothing. */
async function explainNothing({ generation }: Run, jobs: readonly Job[]) {
  const outcomes = await generation.fork.rpc.batch(
    jobs.map(({ candidate }) => ({ method: 'eth_getCode', params: [candidate.target, 'latest'] })),
    { timeoutMs: readTimeoutMs },
  )
  for (const [index, job] of jobs.entries()) {
    const outcome = outcomes[index]
    if (outcome?.ok && outcome.result === '0x') job.reading = done(failed('target has no code'))
  }
}
