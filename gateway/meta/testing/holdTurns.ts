import { createTurns } from '../turns.ts'

/** Turns on a loop that rests when it is told to, and whose they were. */
export function holdTurns() {
  let rested = Promise.withResolvers<void>()
  let nowMs = 0
  const takeTurn = createTurns({
    now: () => nowMs,
    whenRested(patience) {
      patience()
      return rested.promise
    },
  })
  const begun: string[] = []
  const ask = (caller: string, signal = new AbortController().signal, site?: string) =>
    takeTurn({ caller, site, signal }).then(() => void begun.push(caller))
  const refresh = (caller: string) =>
    takeTurn({ caller, isRefresh: true, signal: new AbortController().signal }).then(
      () => void begun.push(caller),
    )
  return {
    begun,
    ask,
    refresh,
    takeTurn,
    async rest(ms = 1) {
      nowMs += ms
      const { resolve } = rested
      rested = Promise.withResolvers()
      resolve()
      for (let n = 0; n < 5; n += 1) await Promise.resolve()
    },
  }
}
