/**
 * Jobs that arrive together go together. `fly` answers each of its jobs and never throws. The next flight fills
 * while those are under way.
 */
export function createFlights<job>(
  fly: (jobs: readonly job[]) => Promise<void>,
  {
    most = 500,
    underWayAtOnce = 2,
  }: { readonly most?: number; readonly underWayAtOnce?: number } = {},
) {
  const queue: job[] = []
  let underWay = 0

  function takeOff(): void {
    while (underWay < underWayAtOnce && queue.length > 0) {
      underWay += 1
      void fly(queue.splice(0, most)).finally(() => {
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
