import {
  type RpcCall,
  type RpcEndpoint,
  type RpcOutcome,
  RpcTransportError,
} from './rpc/rpcBatch.ts'

/** A call that spoilt its batch, run again by itself, gets its own verdict. */
export type IsolatedOutcome = RpcOutcome | 'timeout' | 'too_large'

export type IsolationDeps = {
  readonly rpc: RpcEndpoint
  /** Something did not come to an end in time, and still runs. */
  readonly onStuck: () => void
  /** Milliseconds that may still be spent. */
  readonly remainingMs: () => number
}

type Work = { readonly calls: readonly RpcCall[]; readonly signal: AbortSignal | undefined }

const callsPerBatch = 16
/** A batch that is not back by then holds something cold or hostile, and is taken apart. */
const batchTimeoutMs = 700
const batchMaxBytes = 2 * 1024 * 1024
const singleTimeoutMs = 1_800
/** An honest bundle answers with a few kilobytes; parsing megabytes would hold up everybody else. */
const singleMaxBytes = 512 * 1024

/**
 * Runs calls in small batches, one batch at a time. A batch answers when its slowest call has, so one
 * that never ends, or returns megabytes, would take the others with it: then each is asked again alone,
 * when the good ones find everything warm, while the next batch goes on.
 */
export async function runIsolated(
  deps: IsolationDeps,
  { calls, signal }: Work,
): Promise<readonly IsolatedOutcome[]> {
  const outcomes: Promise<readonly IsolatedOutcome[]>[] = []
  for (let from = 0; from < calls.length; from += callsPerBatch) {
    const work = { calls: calls.slice(from, from + callsPerBatch), signal }
    const answered = await runBatch(deps, work)
    outcomes.push(answered ? Promise.resolve(answered) : runEachAlone(deps, work))
  }
  return (await Promise.all(outcomes)).flat()
}

const runEachAlone = (deps: IsolationDeps, { calls, signal }: Work) =>
  Promise.all(calls.map((call) => runAlone(deps, { call, signal })))

async function runBatch(
  { rpc, remainingMs }: IsolationDeps,
  { calls, signal }: Work,
): Promise<readonly IsolatedOutcome[] | undefined> {
  if (calls.length === 1) return undefined
  const timeoutMs = Math.min(batchTimeoutMs, remainingMs())
  if (timeoutMs <= 0) return calls.map(() => 'timeout')
  try {
    return await rpc.batch(calls, { timeoutMs, maxBytes: batchMaxBytes, signal })
  } catch (error) {
    if (!isSpoilt(error)) throw error
    return undefined
  }
}

async function runAlone(
  { rpc, onStuck, remainingMs }: IsolationDeps,
  { call, signal }: { call: RpcCall; signal: AbortSignal | undefined },
): Promise<IsolatedOutcome> {
  const timeoutMs = Math.min(singleTimeoutMs, remainingMs())
  if (timeoutMs <= 0) return 'timeout'
  try {
    const [outcome] = await rpc.batch([call], { timeoutMs, maxBytes: singleMaxBytes, signal })
    return outcome ?? 'timeout'
  } catch (error) {
    if (!isSpoilt(error)) throw error
    if (error.fault === 'timeout') onStuck()
    return error.fault
  }
}

function isSpoilt(error: unknown): error is RpcTransportError & { fault: 'timeout' | 'too_large' } {
  if (!(error instanceof RpcTransportError)) return false
  return error.fault === 'timeout' || error.fault === 'too_large'
}
