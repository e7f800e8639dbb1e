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
 * of the chain then is not believed, else it would open every window and shut it again for as long. An empty
 * book tells nothing: it is looked at again until somebody has written to it.
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
  /** Or when the book was last found empty: what others write after that is not older. */
  let startMs = now()
  let highestMs = startMs
  /** How far the machine was found ahead; undefined until the book has told. */
  let started: number | undefined
  let isTold = false
  let seen: { readonly bookMs: number; readonly atMs: number } | undefined
  let offBy = 0

  /** Never back: what the machine's clock loses is no time. */
  function readMachine(): number {
    highestMs = Math.max(highestMs, now())
    return highestMs
  }

  function tell(aheadMs: number, who: 'machine' | 'book'): void {
    if (!isTold) aheadBy(aheadMs, who)
    isTold = true
  }

  /** Undefined while nobody has written to the book. */
  async function judgeStart(readHeadMs: () => Promise<number>): Promise<number | undefined> {
    const storedMs = await readStored()
    if (!storedMs) {
      startMs = readMachine()
      return undefined
    }
    const machineMs = readMachine()
    seen ??= { bookMs: storedMs, atMs: machineMs }
    if (startMs <= storedMs + toleranceMs) {
      if (storedMs - machineMs > toleranceMs) tell(storedMs - machineMs, 'book')
      return 0
    }
    const aheadMs = machineMs - Math.max(storedMs, (await readHeadMs()) + toleranceMs)
    if (aheadMs > 0) tell(aheadMs, 'machine')
    return Math.max(0, aheadMs)
  }

  const readPace = (): Pace | undefined =>
    seen && { fromMs: seen.bookMs, elapsedMs: readMachine() - seen.atMs }

  return {
    async read(readHeadMs) {
      // Each by its own look at the chain: where that fails for one, the others go on.
      const judged = started ?? (await judgeStart(readHeadMs))
      started ??= judged
      offBy = started ?? 0
      return { nowMs: now() - offBy, pace: readPace() }
    },
    saw(bookMs) {
      // Who writes to an empty book sets its time.
      started ??= 0
      seen = { bookMs, atMs: readMachine() }
    },
    now() {
      const pace = readPace()
      return Math.max(now() - offBy, pace ? pace.fromMs + pace.elapsedMs : 0)
    },
  }
}
