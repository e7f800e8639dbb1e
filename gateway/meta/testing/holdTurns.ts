import { createTurns } from '../turns.ts'

/** Turns on a loop that rests when it is told to, and whose they were. */
export function holdTurns({
  roomOf,
}: Pick<NonNullable<Parameters<typeof createTurns>[0]>, 'roomOf'> = {}) {
  let rested = Promise.withResolvers<void>()
  let nowMs = 0
  let mayGoOn = () => true
  const takeTurn = createTurns({
    now: () => nowMs,
    roomOf,
    whenRested(patience, hasRoom) {
      patience()
      mayGoOn = hasRoom
      return rested.promise
    },
  })
  const begun: string[] = []
  const ask = (caller: string, signal = new AbortController().signal, site?: string) =>
    takeTurn({ caller, site, chainId: 1, signal }).then(() => void begun.push(caller))
  const refresh = (caller: string) =>
    takeTurn({ caller, isRefresh: true, chainId: 1, signal: new AbortController().signal }).then(
      () => void begun.push(caller),
    )
  return {
    begun,
    ask,
    refresh,
    takeTurn,
    /** Whether there is room for whoever is next now. */
    hasRoom: () => mayGoOn(),
    async rest(ms = 1) {
      nowMs += ms
      const { resolve } = rested
      rested = Promise.withResolvers()
      resolve()
      for (let n = 0; n < 5; n += 1) await Promise.resolve()
    },
  }
}
