/** Runs one piece of work at a time, in the order of asking. */
export type SlowLane = <T>(work: () => Promise<T>) => Promise<T>

export function createSlowLane(): SlowLane {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
}
