/** One after the other, in the order asked. */
export type Turns = {
  /** How many there have been. */
  ended(): number
  run<value>(work: () => Promise<value>): Promise<value>
}

export function createTurns(): Turns {
  let ended = 0
  let tail: Promise<unknown> = Promise.resolve()
  return {
    ended: () => ended,
    run(work) {
      const turn = tail.then(work).finally(() => {
        ended += 1
      })
      tail = turn.catch(() => undefined)
      return turn
    },
  }
}
