export type Entrant = {
  /** Who it is for, where that is known: one has some of the places, and never all. */
  readonly caller?: string | undefined
  /** Whoever gives up waits no longer. */
  readonly signal?: AbortSignal | undefined
}

/** Resolves to what gives the place back, or to undefined where none became free in time. */
export type Enter = (patienceMs: number, entrant?: Entrant) => Promise<(() => void) | undefined>

type Waiter = { readonly caller: string; readonly enter: () => void }

/** Of one caller; the next is told at once that there is no place. */
const mostWaiting = 64

/** Lets so many in at once, so many of them of one caller, in the order of asking. */
export function createTurnstile({
  places,
  placesOfOne,
}: {
  readonly places: number
  readonly placesOfOne: number
}): Enter {
  const waiting = new Set<Waiter>()
  const inside = new Map<string, number>()
  let free = places

  const insideOf = (caller: string) => inside.get(caller) ?? 0
  const mayEnter = (caller: string) => free > 0 && insideOf(caller) < placesOfOne

  function take(caller: string): () => void {
    free -= 1
    inside.set(caller, insideOf(caller) + 1)
    return () => leave(caller)
  }

  function leave(caller: string): void {
    free += 1
    const left = insideOf(caller) - 1
    if (left > 0) inside.set(caller, left)
    else inside.delete(caller)
    for (const waiter of waiting) if (mayEnter(waiter.caller)) waiter.enter()
  }

  return async (patienceMs, { caller = '', signal } = {}) => {
    if (signal?.aborted) return undefined
    if (mayEnter(caller)) return take(caller)
    const own = [...waiting].filter((waiter) => waiter.caller === caller)
    if (own.length >= mostWaiting) return undefined
    return new Promise((resolve) => {
      const waiter: Waiter = { caller, enter: () => end(take(caller)) }
      const giveUp = () => end(undefined)
      const timer = setTimeout(giveUp, patienceMs)
      function end(leaving: (() => void) | undefined) {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        waiting.delete(waiter)
        resolve(leaving)
      }
      signal?.addEventListener('abort', giveUp)
      waiting.add(waiter)
    })
  }
}
