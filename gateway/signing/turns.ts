/** One after the other, in the order asked. */
export type Turns = {
  isTaken(): boolean
  run<value>(work: () => Promise<value>): Promise<value>
}

export function createTurns(): Turns {
  let waiting = 0
  let tail: Promise<unknown> = Promise.resolve()
  return {
    isTaken: () => waiting > 0,
    run(work) {
      waiting += 1
      const turn = tail.then(work).finally(() => {
        waiting -= 1
      })
      tail = turn.catch(() => undefined)
      return turn
    },
  }
}
