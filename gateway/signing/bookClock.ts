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
  let startedWith: Promise<number | undefined> | undefined
  let seen: { readonly bookMs: number; readonly atMs: number } | undefined
  let offBy = 0

  /** Never back: what the machine's clock loses is no time. */
  function readMachine(): number {
    highestMs = Math.max(highestMs, now())
    return highestMs
  }

  async function judgeStart(readHeadMs: () => Promise<number>): Promise<number | undefined> {
    const storedMs = await readStored()
    if (!storedMs) {
      startMs = readMachine()
      return undefined
    }
    const machineMs = readMachine()
    seen ??= { bookMs: storedMs, atMs: machineMs }
    if (startMs <= storedMs + toleranceMs) {
      if (storedMs - machineMs > toleranceMs) aheadBy(storedMs - machineMs, 'book')
      return 0
    }
    const aheadMs = machineMs - Math.max(storedMs, (await readHeadMs()) + toleranceMs)
    if (aheadMs > 0) aheadBy(aheadMs, 'machine')
    return Math.max(0, aheadMs)
  }

  /** Once; again where the book was empty or the chain out of reach. */
  function judgeOnce(readHeadMs: () => Promise<number>): Promise<number | undefined> {
    const judging = startedWith ?? judgeStart(readHeadMs)
    startedWith = judging
    const judgeAgain = () => {
      if (startedWith === judging) startedWith = undefined
    }
    judging.then((aheadMs) => {
      if (aheadMs === undefined) judgeAgain()
    }, judgeAgain)
    return judging
  }

  const readPace = (): Pace | undefined =>
    seen && { fromMs: seen.bookMs, elapsedMs: readMachine() - seen.atMs }

  return {
    async read(readHeadMs) {
      offBy = (await judgeOnce(readHeadMs)) ?? 0
      return { nowMs: now() - offBy, pace: readPace() }
    },
    saw(bookMs) {
      // Who writes to an empty book sets its time.
      startedWith ??= Promise.resolve(0)
      seen = { bookMs, atMs: readMachine() }
    },
    now() {
      const pace = readPace()
      return Math.max(now() - offBy, pace ? pace.fromMs + pace.elapsedMs : 0)
    },
  }
}
