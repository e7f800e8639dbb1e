import { type Address, isHex, zeroAddress } from 'viem'
import type { SlotResolver } from './balanceSlot/resolveBalanceSlot.ts'
import { type Bundle, buildBundle, type Candidate } from './buildBundle.ts'
import { gasOf, type StateOverrides } from './callShapes.ts'
import { type CandidateResult, chainUnreachable, failed } from './classifyOutcome.ts'
import { type Funding, fundTaker } from './fundTaker.ts'
import type { Generation } from './generations.ts'
import { type BundleReading, readBundle } from './readBundle.ts'
import { readRecipients } from './readRecipients.ts'
import type { ErrorTable } from './revertReason.ts'
import { type RpcOutcome, RpcTransportError } from './rpcBatch.ts'

export type SimulateDeps = {
  readonly slots: SlotResolver
  readonly errors: ErrorTable
  readonly now: () => number
  readonly simulatedTaker: Address
  readonly baseOverrides: StateOverrides
}

type Run = {
  readonly generation: Generation
  readonly timeSecs: bigint
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

type Job = {
  readonly candidate: Candidate
  readonly taker: Address
  holders: readonly Address[]
  gasCap: bigint
  funding: Funding
  result: CandidateResult | undefined
}

/** Longer than the watchdog needs to end a wedged fork, whose requests are then run again elsewhere. */
const batchTimeoutMs = 5_000

/** Dry-runs every candidate by itself on the generation's block; results in the order of the candidates. */
export async function simulateCandidates(
  deps: SimulateDeps,
  {
    generation,
    candidates,
    signal,
  }: {
    generation: Generation
    candidates: readonly Candidate[]
    signal: AbortSignal | undefined
  },
): Promise<readonly CandidateResult[]> {
  const nowSecs = BigInt(Math.floor(deps.now() / 1000))
  const timeSecs = nowSecs > generation.timestampSecs ? nowSecs : generation.timestampSecs
  const run: Run = { generation, timeSecs, timeoutMs: batchTimeoutMs, signal }
  const jobs = await Promise.all(candidates.map((candidate) => createJob(deps, run, candidate)))

  const misfunded = await simulateJobs(deps, run, jobs, 'misfunded')
  for (const { candidate, taker } of misfunded)
    deps.slots.invalidate({ token: candidate.tokenIn, holder: taker })
  await Promise.all(misfunded.map((job) => fund(deps, run, job)))
  await simulateJobs(deps, run, misfunded)

  return jobs.map(({ result }) => result ?? chainUnreachable)
}

async function createJob(deps: SimulateDeps, run: Run, candidate: Candidate): Promise<Job> {
  const taker = candidate.taker ?? deps.simulatedTaker
  const job: Job = {
    candidate,
    taker,
    holders: [candidate.recipient ?? taker],
    gasCap: gasOf.swap,
    funding: { status: 'refused', result: chainUnreachable },
    result: undefined,
  }
  await fund(deps, run, job)
  return job
}

async function fund(deps: SimulateDeps, { generation, timeoutMs, timeSecs }: Run, job: Job) {
  const { candidate, taker } = job
  job.funding = await fundTaker(
    { rpc: generation.fork.rpc, timeoutMs, slots: deps.slots },
    { candidate, taker, timeSecs },
  )
}

/** Runs the jobs as one batch and again those that paid somebody else than the taker; returns the jobs that read as `wanted`. */
async function simulateJobs(
  deps: SimulateDeps,
  run: Run,
  jobs: readonly Job[],
  wanted?: BundleReading['kind'],
): Promise<readonly Job[]> {
  const readings = await runBatch(deps, run, jobs)
  const paidOthers = jobs.filter(
    (job, index) => readings[index]?.kind === 'no_output' && widen(job),
  )
  if (paidOthers.length > 0) await runBatch(deps, run, paidOthers)
  await explainNothing(
    run,
    jobs.filter((job) => job.result === noOutput),
  )
  return jobs.filter((_, index) => readings[index]?.kind === wanted)
}

const noOutput = failed('no output received')

async function runBatch(
  deps: SimulateDeps,
  { generation, timeSecs, timeoutMs, signal }: Run,
  jobs: readonly Job[],
): Promise<readonly (BundleReading | undefined)[]> {
  const bundles = jobs.map((job) => bundleOf(deps, job, timeSecs))
  const calls = bundles.flatMap((bundle) => (bundle ? [bundle.rpcCall] : []))
  const outcomes = [...(await generation.fork.rpc.batch(calls, { timeoutMs, signal }))]
  return jobs.map((job, index) => {
    const bundle = bundles[index]
    if (!bundle) {
      job.result = job.funding.status === 'refused' ? job.funding.result : chainUnreachable
      return undefined
    }
    const reading = readJob(deps, job, { bundle, outcome: outcomes.shift() })
    job.result = reading.kind === 'no_output' ? noOutput : reading.result
    return reading
  })
}

function readJob(
  { errors }: SimulateDeps,
  job: Job,
  { bundle, outcome }: { bundle: Bundle; outcome: RpcOutcome | undefined },
): BundleReading {
  if (!outcome) return { kind: 'done', result: chainUnreachable }
  const tolerance = job.funding.status === 'funded' ? job.funding.tolerance : 0n
  return readBundle(outcome, {
    bundle,
    gasCap: job.gasCap,
    errors,
    expected: { amount: job.candidate.amountIn, tolerance },
  })
}

function bundleOf({ baseOverrides }: SimulateDeps, job: Job, timeSecs: bigint): Bundle | undefined {
  const { candidate, taker, holders, gasCap, funding } = job
  if (funding.status === 'refused') return undefined
  const { overrides } = funding
  return buildBundle({
    candidate,
    taker,
    holders,
    funding: overrides,
    gasCap,
    timeSecs,
    baseOverrides,
  })
}

/** Watches those whom the calldata names as well; false when there is nobody to add. */
function widen(job: Job): boolean {
  const { candidate, taker } = job
  if (candidate.recipient !== undefined) return false
  const { target, tokenIn, tokenOut, data } = candidate
  const named = readRecipients(data, { exclude: [taker, target, tokenIn, tokenOut] })
  job.holders = [taker, ...named]
  return named.length > 0
}

/** A call to an address without code succeeds and does nothing. */
async function explainNothing({ generation, timeoutMs }: Run, jobs: readonly Job[]) {
  if (jobs.length === 0) return
  const outcomes = await generation.fork.rpc.batch(
    jobs.map(({ candidate }) => ({ method: 'eth_getCode', params: [candidate.target, 'latest'] })),
    { timeoutMs },
  )
  jobs.forEach((job, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok && isHex(outcome.result) && outcome.result === '0x')
      job.result = failed('target has no code')
  })
}

/** True when nothing could be said for want of the chain, rather than for what the candidates are. */
export function isChainFault(error: unknown): boolean {
  return error instanceof RpcTransportError && error.fault !== 'aborted'
}

export const nativeToken = zeroAddress
