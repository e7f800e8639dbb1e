/** Resolves to what gives the place back, or to undefined where none became free in time. */
export type Enter = (patienceMs: number) => Promise<(() => void) | undefined>

/** Lets so many in at once, in the order of asking. */
export function createTurnstile(count: number): Enter {
  const waiting = new Set<() => void>()
  let free = count

  function leave(): void {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  return (patienceMs) => {
    if (free > 0) {
      free -= 1
      return Promise.resolve(leave)
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiting.delete(enter)
        resolve(undefined)
      }, patienceMs)
      function enter() {
        clearTimeout(timer)
        waiting.delete(enter)
        resolve(leave)
      }
      waiting.add(enter)
    })
  }
}
