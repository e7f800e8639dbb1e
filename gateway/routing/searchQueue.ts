/** Runs searches one after the other; between their slices other requests are answered. */
export type SearchQueue = <result>(search: () => Promise<result>) => Promise<result>

/** Searches side by side would only slow each other down: all of them are CPU time of this thread. */
export function createSearchQueue(): SearchQueue {
  let tail: Promise<unknown> = Promise.resolve()
  return (search) => {
    const run = tail.then(search)
    tail = run.catch(() => undefined)
    return run
  }
}
