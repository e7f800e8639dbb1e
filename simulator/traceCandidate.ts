import { type Address, type Hex, toHex } from 'viem'
import { buildBundle, type Candidate } from './buildBundle.ts'
import { apartUnavailable, classifyRefusal } from './classifyOutcome.ts'
import type { Fork } from './fork.ts'
import { fundTaker } from './fundTaker.ts'
import type { Generation } from './generation.ts'
import { readTrace, type Trace } from './readTrace.ts'
import { type CallShape, gasOf, type StateOverrides } from './rpc/callShapes.ts'
import { type RpcCall, type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { settle } from './settle.ts'
import type { SimulateDeps } from './simulateCandidates.ts'
import { tokensOf } from './simulateOnChain.ts'

export type CandidateTrace =
  | ({ readonly status: 'traced' } & Trace)
  | { readonly status: 'unavailable'; readonly reason: string }

const readTimeoutMs = 4_000
/** anvil keeps the calldata of every call: what never ends fills a gigabyte in such a time, no more. */
const traceBudgetMs = 1_500
/** With the budget of the trace within what a fork is given to drain. */
const warmBudgetMs = 3_500
const mostBytes = 2 * 1024 * 1024

const unavailable = (reason: string): CandidateTrace => ({ status: 'unavailable', reason })

/**
 * The calls that a candidate makes in its dry run. On the fork for what may be hostile: a trace takes far
 * more of it than a run, and the fork is ended where it takes too much.
 */
export async function traceCandidate(
  deps: Omit<SimulateDeps, 'suspects' | 'isChainAnswering'>,
  {
    generation,
    candidate,
    signal,
  }: {
    readonly generation: Generation
    readonly candidate: Candidate
    readonly signal: AbortSignal | undefined
  },
): Promise<CandidateTrace> {
  const { slots, findWhales, errors } = deps
  const { blockNumber, timestampSecs, fork } = generation
  const kinds = await deps.codeless(generation, tokensOf(candidate))
  if (kinds.includes('codeless')) return unavailable('a token without code, which no fork traces')
  const taker = candidate.taker ?? deps.simulatedTaker
  const nowSecs = BigInt(Math.floor(deps.now() / 1000))
  const timeSecs = nowSecs > timestampSecs ? nowSecs : timestampSecs
  const funding = await fundTaker(
    { rpc: fork.rpc, timeoutMs: readTimeoutMs, blockNumber, slots, findWhales },
    { candidate, taker, timeSecs },
  )
  if (funding.status === 'refused')
    return unavailable('reason' in funding.result ? funding.result.reason : 'it cannot be funded')
  const { rpcCall, calls, stateOverrides, swapIndex } = buildBundle({
    candidate,
    taker,
    holders: [taker],
    funding: funding.overrides,
    prelude: funding.prelude,
    gasCap: gasOf.hungrySwap,
    timeSecs,
    baseOverrides: generation.overrides,
  })
  const [swap] = calls.slice(swapIndex)
  if (!swap) throw new Error('a bundle holds its swap')
  const before = calls.slice(0, swapIndex - 1)
  const run = { dryRun: rpcCall, before, swap, stateOverrides, timeSecs, signal }
  return deps.slowLane(async () => {
    const slow = await settle(generation.slowFork())
    if ('error' in slow) return unavailable(reasonOf(apartUnavailable))
    const outcome = await settle(askTrace(slow.value, { ...run, blockNumber }))
    if (!('error' in outcome)) return toTrace(outcome.value)
    const { error } = outcome
    if (!(error instanceof RpcTransportError) || error.fault === 'aborted') throw error
    // Gone before the next one asks for it.
    if (error.fault !== 'too_large') await slow.value.kill()
    return unavailable(sentenceOf(error))
  })

  function toTrace(answer: RpcOutcome | undefined): CandidateTrace {
    if (answer?.ok === false) return unavailable(reasonOf(classifyRefusal(answer)))
    const trace = readTrace(answer?.result, { errors })
    return trace ? { status: 'traced', ...trace } : unavailable('the fork gave no readable trace')
  }
}

function sentenceOf({ fault }: RpcTransportError): string {
  if (fault === 'timeout') return 'the trace took too long'
  return fault === 'too_large' ? 'the trace is too large' : 'the fork ended meanwhile'
}

const reasonOf = (result: ReturnType<typeof classifyRefusal>) =>
  'reason' in result ? result.reason : 'the fork refused the trace'

/**
 * A dry run first: it brings the state that a new fork lacks, and holds on to nothing meanwhile. What anvil
 * traces is one call: what those before it change becomes part of the state that it starts from.
 */
async function askTrace(
  fork: Fork,
  {
    dryRun,
    before,
    swap,
    stateOverrides,
    timeSecs,
    blockNumber,
    signal,
  }: {
    readonly dryRun: RpcCall
    readonly before: readonly CallShape[]
    readonly swap: CallShape
    readonly stateOverrides: StateOverrides
    readonly timeSecs: bigint
    readonly blockNumber: bigint
    readonly signal: AbortSignal | undefined
  },
): Promise<RpcOutcome | undefined> {
  await fork.rpc.batch([dryRun], { timeoutMs: warmBudgetMs, maxBytes: mostBytes, signal })
  const endMs = performance.now() + traceBudgetMs
  const blockOverrides = { time: toHex(timeSecs), number: toHex(blockNumber + 1n) }
  async function ask(call: CallShape, state: StateOverrides, tracer: object) {
    const options = { ...tracer, stateOverrides: state, blockOverrides }
    const timeoutMs = Math.max(1, endMs - performance.now())
    const request = { method: 'debug_traceCall', params: [call, 'latest', options] }
    const [outcome] = await fork.rpc.batch([request], { timeoutMs, maxBytes: mostBytes, signal })
    return outcome
  }
  let state = stateOverrides
  for (const call of before) {
    const changed = await ask(call, state, {
      tracer: 'prestateTracer',
      tracerConfig: { diffMode: true },
    })
    if (changed?.ok !== true) return changed
    state = applyDiff(state, changed.result as StateDiff)
  }
  return ask(swap, state, { tracer: 'callTracer', tracerConfig: { withLog: true } })
}

type Slots = Readonly<Record<Address, { readonly storage?: Readonly<Record<Hex, Hex>> }>>
/** As anvil writes it: a slot that became zero stands in `pre` only. */
type StateDiff = { readonly pre: Slots; readonly post: Slots }

const emptyWord: Hex = `0x${'0'.repeat(64)}`

function applyDiff(state: StateOverrides, { pre, post }: StateDiff): StateOverrides {
  const next = { ...state }
  const put = (address: string, storage: Readonly<Record<Hex, Hex>>) => {
    // Addresses are written in either case, and name the same account.
    const known = Object.keys(next).find((one) => one.toLowerCase() === address.toLowerCase())
    const key = (known ?? address) as Address
    next[key] = { ...next[key], stateDiff: { ...next[key]?.stateDiff, ...storage } }
  }
  for (const [address, { storage = {} }] of Object.entries(pre)) {
    const emptied = Object.keys(storage).map((slot) => [slot, emptyWord])
    if (emptied.length > 0) put(address, Object.fromEntries(emptied))
  }
  for (const [address, { storage }] of Object.entries(post)) if (storage) put(address, storage)
  return next
}
