import { processTable } from '../processTable.ts'

type WaitOptions = {
  readonly deadlineMs?: number
  readonly everyMs?: number
  /** A look that began in time may end so much later. */
  readonly lastLookMs?: number
  /** What was seen last: why it is not true yet. */
  readonly why?: () => string
}

const late = Symbol('late')

/**
 * Polls until the condition holds. Throws when it does not within the deadline, and says what was waited
 * for, how long, and why it ended: also where the condition itself never answers.
 */
export async function waitFor(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  { deadlineMs = 30_000, everyMs = 20, lastLookMs = 30_000, why }: WaitOptions = {},
): Promise<number> {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), deadlineMs + lastLookMs)
  })
  try {
    for (;;) {
      const answer = await Promise.race([isTrue(), deadline])
      if (answer === true) return performance.now() - startedAt
      const isOver = performance.now() - startedAt > deadlineMs
      if (answer === late || isOver) {
        const reason = answer === late ? 'the last look at it did not end' : 'it never was'
        throw new Error(`not within ${deadlineMs} ms: ${what} (${why?.() ?? reason})`)
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  } finally {
    clearTimeout(timer)
  }
}

/** A zombie that nobody has waited for yet does not count as running. */
export const isRunning = (pid: number): boolean => processTable.readStart(pid) !== undefined
