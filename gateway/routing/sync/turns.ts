/** Runs one piece of work after the other, in the order they came, whether or not one fails. */
export type InTurn = <result>(work: () => Promise<result>) => Promise<result>

export function createTurns(): InTurn {
  let tail: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = tail.then(work)
    tail = run.catch(() => undefined)
    return run
  }
}

/** A run that has not begun yet serves everybody who asks before it begins. */
export function shareNextTurn(inTurn: InTurn, work: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined
  return () => {
    next ??= inTurn(() => {
      next = undefined
      return work()
    })
    return next
  }
}

/** Work that nobody waits for: asked again while it runs, it runs no second time. */
export function skipWhileRunning(
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    try {
      await work()
    } catch (error) {
      failed(error)
    } finally {
      isRunning = false
    }
  }
}
