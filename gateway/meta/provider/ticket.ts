/** Who asks, and whom he is one of many of: its addresses and keys take turns together. Default: himself. */
export type Entrant = { readonly caller: string; readonly site?: string | undefined }

export const siteOf = ({ caller, site = caller }: Entrant) => site

/** A line that a call stands in: told who asks for the call from now on, and who does no more. */
export type Standing = {
  readonly came: (entrant: Entrant) => void
  readonly went: (entrant: Entrant) => void
}

/**
 * A call's, for the lines that it waits in: it stands there in the names of all who ask for it, so that whoever
 * joins one waits no longer than for a call of his own, however late the turn of its first caller is.
 */
export type Ticket = {
  /** Who ask for it now; never nobody. */
  entrants(): readonly Entrant[]
  /** Begins to wait in a line; to be called with whether that had an end there, or was given up. */
  stand(standing: Standing): (hasEnded: boolean) => void
  /** Whether it waits, or did until it was given up: what was slow is not the source. */
  isWaiting(): boolean
  /** In lines, so far. */
  waitedMs(): number
}

export type SharedTicket = Ticket & {
  join(entrant: Entrant): void
  /** Whether others still ask for it; if not, it is no longer wanted. */
  leave(entrant: Entrant): boolean
}

const keyOf = (entrant: Entrant) => JSON.stringify([siteOf(entrant), entrant.caller])

export function createTicket(first: Entrant): SharedTicket {
  const asking = new Map([[keyOf(first), { entrant: first, count: 1 }]])
  const lines = new Set<Standing>()
  let [waiting, sinceMs, beforeMs] = [0, 0, 0]
  const waitedMs = () => beforeMs + (waiting > 0 ? performance.now() - sinceMs : 0)
  return {
    entrants: () => [...asking.values()].map(({ entrant }) => entrant),
    join(given) {
      const { entrant, count } = asking.get(keyOf(given)) ?? { entrant: given, count: 0 }
      asking.set(keyOf(given), { entrant, count: count + 1 })
      if (count === 0) for (const line of lines) line.came(entrant)
    },
    leave(given) {
      const { entrant, count } = asking.get(keyOf(given)) ?? { entrant: given, count: 0 }
      if (count > 1) asking.set(keyOf(given), { entrant, count: count - 1 })
      else asking.delete(keyOf(given))
      if (count === 1 && asking.size > 0) for (const line of lines) line.went(entrant)
      return asking.size > 0
    },
    stand(line) {
      if (waiting === 0) sinceMs = performance.now()
      waiting++
      lines.add(line)
      return (hasEnded) => {
        lines.delete(line)
        if (!hasEnded) return
        if (waiting === 1) beforeMs = waitedMs()
        waiting--
      }
    },
    isWaiting: () => waiting > 0,
    waitedMs,
  }
}
