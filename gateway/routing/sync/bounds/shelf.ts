import { idOf, type PoolRef } from '../../reads/poolRef.ts'

export type ShelvedPool = {
  readonly pool: PoolRef
  readonly tokens: readonly string[]
  readonly depthUsd: number
}
type Entry = ShelvedPool & {
  readonly isStirred: boolean
  readonly strikes: number
  readonly untilMs: number
}

const firstPauseMs = 30_000
const longestPauseMs = 3_600_000
/** Names only; beyond it the least deep are forgotten: found again, they are known again. */
const mostShelved = 10_000
const slack = 1.1

/**
 * Pools that are known and not followed. Each is read again after an event of its own, or when somebody
 * asks for its tokens; in vain, it rests longer each time, so that stirring dust costs the node little.
 */
export function createShelf({ now }: { readonly now: () => number }) {
  const entries = new Map<string, Entry>()
  const byToken = new Map<string, Set<string>>()

  function forget(id: string): void {
    const entry = entries.get(id)
    if (!entry) return
    entries.delete(id)
    for (const token of entry.tokens) {
      const ids = byToken.get(token)
      ids?.delete(id)
      if (ids?.size === 0) byToken.delete(token)
    }
  }

  function trim(): void {
    if (entries.size <= mostShelved * slack) return
    const worst = [...entries].toSorted(([, one], [, other]) => one.depthUsd - other.depthUsd)
    for (const [id] of worst.slice(0, entries.size - mostShelved)) forget(id)
  }

  function change(id: string, part: Partial<Entry>): void {
    const entry = entries.get(id)
    if (entry) entries.set(id, { ...entry, ...part })
  }

  return {
    has: (id: string) => entries.has(id),
    size: () => entries.size,
    pools: () => [...entries.values()].map(({ pool }) => pool),
    all: (): readonly ShelvedPool[] => [...entries.values()],
    holds: (token: string) => byToken.has(token),
    forget,
    put(shelved: ShelvedPool): void {
      const id = idOf(shelved.pool)
      const before = entries.get(id)
      // Who has doubled since is on its way up.
      const isGrowing = before !== undefined && shelved.depthUsd >= 2 * before.depthUsd
      const strikes = before && !(isGrowing && shelved.depthUsd > 0) ? before.strikes + 1 : 0
      const pauseMs = strikes === 0 ? 0 : firstPauseMs * 2 ** (strikes - 1)
      const untilMs = now() + Math.min(pauseMs, longestPauseMs)
      entries.set(id, { ...shelved, isStirred: false, strikes, untilMs })
      for (const token of shelved.tokens)
        byToken.set(token, (byToken.get(token) ?? new Set()).add(id))
      trim()
    },
    /** Something happened to it. */
    stir(id: string): void {
      if (entries.get(id)?.isStirred === false) change(id, { isStirred: true })
    },
    /** Somebody asks for these tokens: no pause counts. */
    wake(tokens: readonly string[]): void {
      for (const id of tokens.flatMap((token) => [...(byToken.get(token) ?? [])]))
        change(id, { isStirred: true, untilMs: now() })
    },
    /** Those that hold at least so much: there is room for them now. */
    wakeDeep(usd: number): void {
      for (const [id, { depthUsd }] of entries) if (depthUsd >= usd) change(id, { isStirred: true })
    },
    /** To be read again now, the deepest first; of tokens that are wanted, where it is said which are. */
    due(
      most: number,
      areWanted: (tokens: readonly string[]) => boolean = () => true,
    ): readonly PoolRef[] {
      return [...entries.values()]
        .filter((entry) => entry.isStirred && entry.untilMs <= now() && areWanted(entry.tokens))
        .toSorted((one, other) => other.depthUsd - one.depthUsd)
        .slice(0, most)
        .map(({ pool }) => pool)
    },
  }
}

export type Shelf = ReturnType<typeof createShelf>
