export type PoolLimits = {
  /** A pool with less is followed only while its tokens are asked for. */
  readonly floorUsd: number
  readonly mostPools: number
  readonly mostTokens: number
}

export const noLimits: PoolLimits = {
  floorUsd: 0,
  mostPools: Number.POSITIVE_INFINITY,
  mostTokens: Number.POSITIVE_INFINITY,
}

export type Standing = {
  readonly id: string
  readonly tokens: readonly string[]
  /** Undefined: nobody can tell. */
  readonly depthUsd: number | undefined
  /** Whether it is followed already. */
  readonly isKnown: boolean
  /** Part of the time that a question counts which is left for its tokens; 0: nobody asked. */
  readonly recency: number
}

/** Who is in stays until it has lost half of the floor, and until another is deeper by a quarter. */
const stayPart = 0.5
const stayBonus = 1.25
/** Below the floor, of the pools of a token that was asked for. */
const mostShallow = 8

export function isDeep(
  { depthUsd, isKnown }: Pick<Standing, 'depthUsd' | 'isKnown'>,
  floorUsd: number,
): boolean {
  return depthUsd === undefined || depthUsd >= floorUsd * (isKnown ? stayPart : 1)
}

const worth = ({ depthUsd = Number.MAX_VALUE, isKnown }: Standing) =>
  depthUsd * (isKnown ? stayBonus : 1)

/**
 * Ids of the pools to follow: the deepest, then those below the floor whose tokens were asked for, the
 * latest first. Money decides: nobody is pushed out by what holds less of the reference assets.
 */
export function selectPools(
  standings: readonly Standing[],
  { floorUsd, mostPools, mostTokens }: PoolLimits,
): ReadonlySet<string> {
  const isIn = (standing: Standing) => isDeep(standing, floorUsd)
  const deep = standings.filter(isIn).toSorted((one, other) => worth(other) - worth(one))
  const asked = standings.filter((standing) => !isIn(standing) && standing.recency > 0)
  const shallow = keepDeepest(asked).toSorted((one, other) => other.recency - one.recency)
  const kept = new Set<string>()
  const tokens = new Set<string>()
  for (const standing of [...deep, ...shallow]) {
    if (kept.size >= mostPools) break
    const news = standing.tokens.filter((token) => !tokens.has(token))
    if (tokens.size + news.length > mostTokens) continue
    for (const token of news) tokens.add(token)
    kept.add(standing.id)
  }
  return kept
}

/** A few of each pair: of dust on a token that is asked for there is no end. */
function keepDeepest(standings: readonly Standing[]): readonly Standing[] {
  const counts = new Map<string, number>()
  return standings
    .toSorted((one, other) => worth(other) - worth(one))
    .filter(({ tokens }) => {
      const pair = tokens.toSorted().join()
      const count = (counts.get(pair) ?? 0) + 1
      counts.set(pair, count)
      return count <= mostShallow
    })
}
