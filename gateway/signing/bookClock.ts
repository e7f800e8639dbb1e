import type { Pace } from '../store/relayClock.ts'

export type BookTime = { readonly nowMs: number; readonly pace: Pace | undefined }

/**
 * The time that a chain's caps count by, as this process tells it. The book's own never goes back, and
 * survives restarts; see `advanceClock`.
 */
export type BookClock = {
  /** What the store is told; the time of the chain's newest block is asked for once. */
  read(readHeadMs: () => Promise<number>): Promise<BookTime>
  /** What the book answered. */
  saw(bookMs: number): void
  /** The book's time by what was seen of it; the machine's before that. */
  now(): number
}

/** Wall time at start, then the monotonic clock: NTP steps open no window. */
export const steadyNow = () => Math.floor(performance.timeOrigin + performance.now())

/** A machine may be this far ahead of the chain's newest block, and a book of the machine. */
const toleranceMs = 120_000

/**
 * `now` is not set back or ahead while the process runs, but may be wrong from its start on: what it is ahead
 * of the chain then is not believed, else it would open every window and shut it again for as long.
 */
export function createBookClock({
  now,
  readStored,
  aheadBy = () => undefined,
}: {
  readonly now: () => number
  readonly readStored: () => Promise<number | undefined>
  /** Told once: how far the machine is ahead of the chain, or the book of the machine. */
  readonly aheadBy?: ((ms: number, who: 'machine' | 'book') => void) | undefined
}): BookClock {
  const startMs = now()
  let highestMs = startMs
  let startedWith: Promise<number> | undefined
  let seen: { readonly bookMs: number; readonly atMs: number } | undefined
  let offBy = 0

  /** Never back: what the machine's clock loses is no time. */
  function readMachine(): number {
    highestMs = Math.max(highestMs, now())
    return highestMs
  }

  async function judgeStart(readHeadMs: () => Promise<number>): Promise<number> {
    const storedMs = await readStored()
    if (!storedMs) return 0
    seen ??= { bookMs: storedMs, atMs: readMachine() }
    if (startMs <= storedMs + toleranceMs) {
      if (storedMs - startMs > toleranceMs) aheadBy(storedMs - startMs, 'book')
      return 0
    }
    const aheadMs = startMs - Math.max(storedMs, (await readHeadMs()) + toleranceMs)
    if (aheadMs > 0) aheadBy(aheadMs, 'machine')
    return Math.max(0, aheadMs)
  }

  const readPace = (): Pace | undefined =>
    seen && { fromMs: seen.bookMs, elapsedMs: readMachine() - seen.atMs }

  return {
    async read(readHeadMs) {
      startedWith ??= judgeStart(readHeadMs)
      startedWith.catch(() => {
        startedWith = undefined
      })
      offBy = await startedWith
      return { nowMs: now() - offBy, pace: readPace() }
    },
    saw(bookMs) {
      seen = { bookMs, atMs: readMachine() }
    },
    now() {
      const pace = readPace()
      return Math.max(now() - offBy, pace ? pace.fromMs + pace.elapsedMs : 0)
    },
  }
}
