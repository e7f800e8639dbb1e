import type { Engine } from './engine.ts'
import { type Program, sql } from './program.ts'
import { lockChain } from './relayNonce.ts'

/**
 * How far a process knows the book's clock to have run since it read it, by a clock of its own that nothing
 * sets: a book whose clock was once ahead goes on from there instead of standing until the world is there.
 */
export type Pace = { readonly fromMs: number; readonly elapsedMs: number }

type Readings = {
  readonly callerMs: number
  readonly pace?: Pace | undefined
}

/** Never behind what was read before; a pace counts unless the clock was reset since. */
export function readPaced({
  callerMs,
  storedMs,
  pace,
}: Readings & { readonly storedMs: number }): number {
  const pacedMs = pace && storedMs >= pace.fromMs ? pace.fromMs + pace.elapsedMs : 0
  return Math.max(callerMs, storedMs, pacedMs)
}

const read = sql<{ clock_ms: number; paused_reason: string | null }>(
  'SELECT clock_ms, paused_reason FROM relay_chains WHERE chain_id = ?',
)
const put = sql(
  `INSERT INTO relay_chains (chain_id, clock_ms) VALUES (?, ?)
   ON CONFLICT (chain_id) DO UPDATE SET clock_ms = excluded.clock_ms`,
)
const clamps = [
  sql('UPDATE relay_transactions SET marked_at_ms = ? WHERE chain_id = ? AND marked_at_ms > ?'),
  sql('UPDATE settlements SET signed_at_ms = ? WHERE chain_id = ? AND signed_at_ms > ?'),
  sql('UPDATE settlements SET failed_at_ms = ? WHERE chain_id = ? AND failed_at_ms > ?'),
  sql('UPDATE relay_admissions SET at_ms = ? WHERE chain_id = ? AND at_ms > ?'),
  sql('UPDATE nonce_fills SET signed_at_ms = ? WHERE chain_id = ? AND signed_at_ms > ?'),
]

export type StoredTime = { readonly storedMs: number; readonly pausedReason: string | undefined }

/** What is known of a chain's time, and why it is paused. */
export function* readStored(chainId: number): Program<StoredTime> {
  const chain = yield* read.get(chainId)
  return { storedMs: chain?.clock_ms ?? 0, pausedReason: chain?.paused_reason ?? undefined }
}

/** From now on the book is never told to be earlier; under `lockChain`. */
export function* storeTime(
  chainId: number,
  { storedMs, nowMs }: Pick<StoredTime, 'storedMs'> & { readonly nowMs: number },
): Program<void> {
  if (nowMs !== storedMs) yield* put.run(chainId, nowMs)
}

/** The time of a chain's book, by which all its caps count; under `lockChain`. */
export function* advanceClock({
  chainId,
  ...readings
}: Readings & { readonly chainId: number }): Program<number> {
  const { storedMs } = yield* readStored(chainId)
  const nowMs = readPaced({ ...readings, storedMs })
  yield* storeTime(chainId, { storedMs, nowMs })
  return nowMs
}

export function* readStoredClock(chainId: number): Program<number | undefined> {
  return (yield* read.get(chainId))?.clock_ms
}

export type RelayClock = {
  /** Undefined before the chain's first reservation. */
  readClock(chainId: number): Promise<number | undefined>
  /** Sets the book's clock back to now; what was reserved later than that counts from now on. */
  resetClock(request: { readonly chainId: number; readonly nowMs: number }): Promise<number>
}

export function createRelayClock(engine: Engine): RelayClock {
  return {
    readClock: async (chainId) => (await engine.read(() => read.get(chainId)))?.clock_ms,
    resetClock: ({ chainId, nowMs }) =>
      engine.write(function* () {
        yield* lockChain(chainId)
        const atMs = yield* engine.clock(nowMs)
        for (const clamp of clamps) yield* clamp.run(atMs, chainId, atMs)
        yield* put.run(chainId, atMs)
        return atMs
      }),
  }
}
