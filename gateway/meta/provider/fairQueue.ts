import { type Entrant, siteOf, type Ticket } from './ticket.ts'

/** One of the names in which a call waits. */
type Waiter = { readonly start: () => void; readonly drop: () => void }
/** By caller, in the order of turns; no caller's is empty. */
type Line = Map<string, Waiter[]>

export type FairQueue = {
  /** Whether it is the site's turn right now; then it is in. */
  tryEnter(entrant: Entrant): boolean
  /**
   * Who is in for all who ask, as soon as it is the turn of any of them; undefined where too many wait. Rejects
   * when the signal fires.
   */
  enter(ticket: Ticket, signal: AbortSignal): Promise<Entrant | undefined>
  /** Lets in who may start now; to be called whenever that may have changed. */
  pump(): void
  /** Calls, each in the lines of all who ask for it. */
  waiting(): number
}

/**
 * Turns go round by site, and within it by caller, not by who came first: a crowd stands behind itself, however
 * many addresses it has. Where too many wait, the newest of the longest line of the site with most goes.
 */
export function createFairQueue({
  mayStart,
  onStart,
  maxWaiting,
}: {
  readonly mayStart: (site: string) => boolean
  readonly onStart: (site: string) => void
  readonly maxWaiting: number
}): FairQueue {
  /** By site, in the order of turns; no line is empty. */
  const lines = new Map<string, Line>()
  let waiting = 0

  function add(entrant: Entrant, waiter: Waiter): void {
    const site = siteOf(entrant)
    const line: Line = lines.get(site) ?? new Map()
    const own = line.get(entrant.caller) ?? []
    own.push(waiter)
    lines.set(site, line.set(entrant.caller, own))
  }

  /** Nothing where it is out already. */
  function remove(entrant: Entrant, waiter: Waiter | undefined): void {
    const site = siteOf(entrant)
    const line = lines.get(site)
    const own = line?.get(entrant.caller)
    const kept = own?.filter((other) => other !== waiter) ?? []
    if (kept.length > 0) line?.set(entrant.caller, kept)
    else line?.delete(entrant.caller)
    if (line?.size === 0) lines.delete(site)
  }

  function startNext(): boolean {
    for (const [site, line] of lines) {
      if (!mayStart(site)) continue
      onStart(site)
      const [[caller, own] = ['', []]] = line
      // Behind all others until their next turn, both.
      toEnd(lines, site, line)
      toEnd(line, caller, own)
      own[0]?.start()
      return true
    }
    return false
  }

  function pump(): void {
    while (startNext());
  }

  function dropOne(): void {
    const [, line] = longestOf(lines, countOf) ?? []
    const [, own] = (line && longestOf(line, ({ length }) => length)) ?? []
    own?.at(-1)?.drop()
  }

  function enter(ticket: Ticket, signal: AbortSignal): Promise<Entrant | undefined> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Entrant | undefined>()
    const names = new Map<Entrant, Waiter>()
    function stand(entrant: Entrant) {
      const waiter = { start: () => settle(entrant), drop: () => lose(entrant) }
      names.set(entrant, waiter)
      add(entrant, waiter)
    }
    function lose(entrant: Entrant) {
      remove(entrant, names.get(entrant))
      names.delete(entrant)
      if (names.size === 0) settle(undefined)
    }
    function end(hasEnded: boolean) {
      signal.removeEventListener('abort', leave)
      for (const [entrant, waiter] of names) remove(entrant, waiter)
      waiting--
      stopStanding(hasEnded)
    }
    function settle(entrant: Entrant | undefined) {
      end(true)
      resolve(entrant)
    }
    function leave() {
      end(false)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    waiting++
    for (const entrant of ticket.entrants()) stand(entrant)
    const stopStanding = ticket.stand({
      came(entrant) {
        stand(entrant)
        pump()
      },
      went: lose,
    })
    pump()
    while (waiting > maxWaiting) dropOne()
    return promise
  }

  function tryEnter(entrant: Entrant): boolean {
    const site = siteOf(entrant)
    if (lines.has(site) || !mayStart(site)) return false
    onStart(site)
    return true
  }

  return {
    tryEnter,
    enter: async (ticket, signal) => enter(ticket, signal),
    pump,
    waiting: () => waiting,
  }
}

function toEnd<value>(map: Map<string, value>, key: string, value: value): void {
  map.delete(key)
  map.set(key, value)
}

const countOf = (line: Line) => [...line.values()].reduce((sum, { length }) => sum + length, 0)

/** Of equal ones the one whose turn comes last. */
function longestOf<value>(
  map: ReadonlyMap<string, value>,
  lengthOf: (value: value) => number,
): readonly [string, value] | undefined {
  let longest: readonly [string, value] | undefined
  for (const entry of map)
    if (!longest || lengthOf(entry[1]) >= lengthOf(longest[1])) longest = entry
  return longest
}
