/** The most jobs of one flight, and the most flights under way: the second fills while one runs. */
const [maxBatch, maxFlights] = [500, 2]

/** Jobs that arrive together go together. `fly` answers each of its jobs and never throws. */
export function createFlights<job>(fly: (jobs: readonly job[]) => Promise<void>) {
  const queue: job[] = []
  let underWay = 0

  function takeOff(): void {
    while (underWay < maxFlights && queue.length > 0) {
      underWay += 1
      void fly(queue.splice(0, maxBatch)).finally(() => {
        underWay -= 1
        takeOff()
      })
    }
  }

  return {
    board(next: job): void {
      // What else arrives in this turn of the event loop goes along.
      if (queue.push(next) === 1) setImmediate(takeOff)
    },
  }
}
