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
}

/** Part of the time that a question counts which is left for these tokens; 0: nobody asked. */
export type RecencyOf = (tokens: readonly string[]) => number

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

/** By it places are given: who has one is outbid by more. */
export const worthOf = ({ depthUsd = Number.MAX_VALUE, isKnown }: Standing) =>
  depthUsd * (isKnown ? stayBonus : 1)

/** The ones asked for last come first; a few of each pair: of dust on a token there is no end. */
export function rankShallow(
  standings: readonly Standing[],
  recencyOf: RecencyOf,
): readonly Standing[] {
  const asked = standings.flatMap((standing) => {
    const recency = recencyOf(standing.tokens)
    return recency > 0 ? [{ ...standing, recency }] : []
  })
  const counts = new Map<string, number>()
  return asked
    .sort((one, other) => worthOf(other) - worthOf(one))
    .filter(({ tokens }) => {
      const pair = tokens.toSorted().join()
      const count = (counts.get(pair) ?? 0) + 1
      counts.set(pair, count)
      return count <= mostShallow
    })
    .sort((one, other) => other.recency - one.recency)
}
