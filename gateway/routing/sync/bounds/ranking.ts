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
      const lists = [merge(deep, sortDeep(others)), rankShallow(below, recencyOf).map(toRanked)]
      const out = new Set(below.map(({ id }) => id))
      const isSeen = new Uint8Array(numbers.size)
      let [count, tokenCount] = [0, 0]
      for (const list of lists)
        for (const { standing, tokens } of list) {
          let news = 0
          for (const token of tokens) if (!isSeen[token]) news += 1
          if (count === mostPools || tokenCount + news > mostTokens) {
            out.add(standing.id)
            continue
          }
          for (const token of tokens) isSeen[token] = 1
          out.delete(standing.id)
          count += 1
          tokenCount += news
        }
      if (out.size > 0) keep((id) => !out.has(id))
      return { out, tokenCount }
    },
  }
}

/** Of equals the first list's stand before. */
function merge(one: readonly Ranked[], other: readonly Ranked[]): readonly Ranked[] {
  const merged: Ranked[] = []
  let next = 0
  for (const ranked of one) {
    for (let come = other[next]; come && come.worth > ranked.worth; come = other[next]) {
      merged.push(come)
      next += 1
    }
    merged.push(ranked)
  }
  return [...merged, ...other.slice(next)]
}
