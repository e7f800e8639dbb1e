export type Places = {
  /** Who calls what this resolves to leaves the place to the next. Undefined where none was free in time. */
  take(patienceMs: number): Promise<(() => void) | undefined>
}

/** So many at once, the others in the order of their coming. */
export function createPlaces(most: number): Places {
  let free = most
  const waiting = new Set<() => void>()

  function leave(): void {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  return {
    take: (patienceMs) =>
      new Promise((resolve) => {
        if (free > 0) {
          free -= 1
          resolve(leave)
          return
        }
        const end = (place: (() => void) | undefined) => {
          clearTimeout(timer)
          waiting.delete(enter)
          resolve(place)
        }
        const enter = () => end(leave)
        const timer = setTimeout(() => end(undefined), patienceMs)
        waiting.add(enter)
      }),
  }
}
