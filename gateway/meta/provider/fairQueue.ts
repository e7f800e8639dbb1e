type Waiter = { readonly start: () => void; readonly drop: () => void }
/** Who asks, and whom he is one of many of: its addresses and keys take turns together. Default: himself. */
export type Entrant = { readonly caller: string; readonly site?: string | undefined }
/** By caller, in the order of turns; no caller's is empty. */
type Line = Map<string, Waiter[]>

export type FairQueue = {
  /** Whether it is the site's turn right now; then it is in. */
  tryEnter(entrant: Entrant): boolean
  /** `in` as soon as it is the caller's turn, `full` where too many wait. Rejects when the signal fires. */
  enter(entrant: Entrant, signal: AbortSignal): Promise<'in' | 'full'>
  /** Lets in who may start now; to be called whenever that may have changed. */
  pump(): void
  waiting(): number
}

export const siteOf = ({ caller, site = caller }: Entrant) => site

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

  /** One that has left its caller's own line is counted no more. */
  function forget({ caller, site = caller }: Entrant): void {
    waiting--
    const line = lines.get(site)
    if (line?.get(caller)?.length === 0) line.delete(caller)
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
      const waiter = own.shift()
      forget({ caller, site })
      waiter?.start()
      return true
    }
    return false
  }

  function pump(): void {
    while (startNext());
  }

  function dropOne(): void {
    const [site, line] = longestOf(lines, countOf) ?? []
    const [caller, own] = (line && longestOf(line, ({ length }) => length)) ?? []
    if (site === undefined || caller === undefined) return
    const waiter = own?.pop()
    forget({ caller, site })
    waiter?.drop()
  }

  function enter(entrant: Entrant, signal: AbortSignal): Promise<'in' | 'full'> {
    signal.throwIfAborted()
    const { caller } = entrant
    const { promise, resolve, reject } = Promise.withResolvers<'in' | 'full'>()
    const line: Line = lines.get(siteOf(entrant)) ?? new Map()
    const own = line.get(caller) ?? []
    const settle = (outcome: 'in' | 'full') => () => {
      signal.removeEventListener('abort', leave)
      resolve(outcome)
    }
    const waiter: Waiter = { start: settle('in'), drop: settle('full') }
    function leave() {
      own.splice(own.indexOf(waiter), 1)
      forget(entrant)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    own.push(waiter)
    lines.set(siteOf(entrant), line.set(caller, own))
    waiting++
    pump()
    if (waiting > maxWaiting) dropOne()
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
    enter: async (entrant, signal) => enter(entrant, signal),
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
