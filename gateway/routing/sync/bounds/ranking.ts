import {
  isDeep,
  type PoolLimits,
  type RecencyOf,
  rankShallow,
  type Standing,
  worthOf,
} from './standing.ts'

export type Selection = {
  /** Ids of those without a place. */
  readonly out: ReadonlySet<string>
  /** Tokens of all others. */
  readonly tokenCount: number
}

/** Who has been measured, in the order in which places are given. */
export type Ranking = {
  size(): number
  /** These have just been measured; all others are forgotten. */
  rank(standings: readonly Standing[]): void
  /** Some have left. */
  keep(isIn: (id: string) => boolean): void
  /** Everybody stands for a place, and others with them. Those ranked who get none are forgotten. */
  select(others: readonly Standing[]): Selection
}

type Ranked = {
  readonly standing: Standing
  readonly worth: number
  /** Small numbers: the look at everybody is a look at flat memory. */
  readonly tokens: readonly number[]
}

/**
 * Gives places to the deepest, then to those below the floor whose tokens were asked for, the latest
 * first. Money decides: nobody is pushed out by what holds less of the reference assets. Who was measured
 * keeps its rank: one that comes between two measurements has nobody sorted anew.
 */
export function createRanking({
  limits: { floorUsd, mostPools, mostTokens },
  recencyOf,
}: {
  readonly limits: PoolLimits
  readonly recencyOf: RecencyOf
}): Ranking {
  let deep: readonly Ranked[] = []
  let shallow: readonly Standing[] = []
  const numbers = new Map<string, number>()

  function numberOf(token: string): number {
    const number = numbers.get(token) ?? numbers.size
    numbers.set(token, number)
    return number
  }

  const toRanked = (standing: Standing): Ranked => ({
    standing,
    worth: worthOf(standing),
    tokens: standing.tokens.map(numberOf),
  })

  const isAbove = (standing: Standing) => isDeep(standing, floorUsd)
  const isBelow = (standing: Standing) => !isAbove(standing)

  const sortDeep = (standings: readonly Standing[]) =>
    standings
      .filter(isAbove)
      .map(toRanked)
      .sort((one, other) => other.worth - one.worth)

  function keep(isIn: (id: string) => boolean): void {
    deep = deep.filter(({ standing }) => isIn(standing.id))
    shallow = shallow.filter(({ id }) => isIn(id))
  }

  return {
    size: () => deep.length + shallow.length,
    rank(standings) {
      numbers.clear()
      deep = sortDeep(standings)
      shallow = standings.filter(isBelow)
    },
    keep,
    select(others) {
      const below = [...shallow, ...others.filter(isBelow)]
      const news = sortDeep(others)
      const last = rankShallow(below, recencyOf).map(toRanked)
      const out = new Set(below.map(({ id }) => id))
      const isSeen = new Uint8Array(numbers.size)
      let [count, tokenCount] = [0, 0]
      const givePlace = ({ standing, tokens }: Ranked): boolean => {
        let unseen = 0
        for (const token of tokens) if (!isSeen[token]) unseen += 1
        if (count === mostPools || tokenCount + unseen > mostTokens) {
          out.add(standing.id)
          return false
        }
        for (const token of tokens) isSeen[token] = 1
        if (out.size > 0) out.delete(standing.id)
        count += 1
        tokenCount += unseen
        return true
      }
      const lost: number[] = []
      let next = 0
      for (let at = 0; at < deep.length; at++) {
        const ranked = deep[at] as Ranked
        // Of equals those that are in stand before.
        for (let one = news[next]; one && one.worth > ranked.worth; one = news[next]) {
          givePlace(one)
          next += 1
        }
        if (!givePlace(ranked)) lost.push(at)
      }
      for (const one of [...news.slice(next), ...last]) givePlace(one)
      deep = without(deep, lost)
      shallow = shallow.filter(({ id }) => !out.has(id))
      return { out, tokenCount }
    },
  }
}

/** What stands between is copied as it is: a look at each would cost more than all else. */
function without(ranked: readonly Ranked[], places: readonly number[]): readonly Ranked[] {
  if (places.length === 0) return ranked
  const ends = [...places, ranked.length]
  return ends.flatMap((end, index) => ranked.slice((places[index - 1] ?? -1) + 1, end))
}
