import { createHeldTokens } from './heldTokens.ts'
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
  /** Small numbers, each once. */
  readonly tokens: readonly number[]
}

/**
 * Gives places to the deepest, then to those below the floor whose tokens were asked for, the latest
 * first. Money decides: nobody is pushed out by what holds less of the reference assets. Who was measured
 * keeps its rank: one that comes between two measurements has nobody sorted anew, and those alone looked at
 * who stand where places end.
 */
export function createRanking({
  limits: { floorUsd, mostPools, mostTokens },
  recencyOf,
}: {
  readonly limits: PoolLimits
  readonly recencyOf: RecencyOf
}): Ranking {
  let deep: Ranked[] = []
  let shallow: readonly Standing[] = []
  const numbers = new Map<string, number>()
  const held = createHeldTokens()

  function numberOf(token: string): number {
    const number = numbers.get(token) ?? numbers.size
    numbers.set(token, number)
    return number
  }

  const toRanked = (standing: Standing): Ranked => ({
    standing,
    worth: worthOf(standing),
    tokens: [...new Set(standing.tokens)].map(numberOf),
  })

  const isAbove = (standing: Standing) => isDeep(standing, floorUsd)
  const isBelow = (standing: Standing) => !isAbove(standing)

  const sortDeep = (standings: readonly Standing[]) =>
    standings
      .filter(isAbove)
      .map(toRanked)
      .sort((one, other) => other.worth - one.worth)

  function setDeep(ranked: Ranked[]): void {
    deep = ranked
    held.clear()
    for (const { tokens } of deep) held.add(tokens)
  }

  /** Who stands last goes, until there are places for all before; the first of those that went comes last. */
  function cutEnd(news: Ranked[], last: Ranked[]): Ranked[] {
    const cut: Ranked[] = []
    let count = deep.length + news.length + last.length
    while (count > mostPools || held.size() > mostTokens) {
      const one = takeLast(last, news, deep)
      if (!one) break
      held.remove(one.tokens)
      count -= 1
      cut.push(one)
    }
    return cut
  }

  return {
    size: () => deep.length + shallow.length,
    rank(standings) {
      numbers.clear()
      setDeep(sortDeep(standings))
      shallow = standings.filter(isBelow)
    },
    keep(isIn) {
      setDeep(deep.filter(({ standing }) => isIn(standing.id)))
      shallow = shallow.filter(({ id }) => isIn(id))
    },
    select(others) {
      const below = [...shallow, ...others.filter(isBelow)]
      const news = sortDeep(others)
      const last = rankShallow(below, recencyOf).map(toRanked)
      const guests = new Set([...news, ...last])
      for (const { tokens } of guests) held.add(tokens)
      const cut = cutEnd(news, last)
      let count = deep.length + news.length + last.length
      const out = new Set(below.map(({ id }) => id))
      // Of tokens that others hold already, one that comes behind may have a place.
      for (const one of cut.reverse()) {
        const isGuest = guests.has(one)
        if (count === mostPools || held.size() + held.countNew(one.tokens) > mostTokens) {
          out.add(one.standing.id)
          guests.delete(one)
          continue
        }
        held.add(one.tokens)
        count += 1
        if (!isGuest) deep.push(one)
      }
      const tokenCount = held.size()
      for (const { standing, tokens } of guests) {
        out.delete(standing.id)
        held.remove(tokens)
      }
      shallow = shallow.filter(({ id }) => !out.has(id))
      return { out, tokenCount }
    },
  }
}

/** Below the floor they stand behind all others; of equals above it those that are in stand before. */
function takeLast(last: Ranked[], news: Ranked[], deep: Ranked[]): Ranked | undefined {
  if (last.length > 0) return last.pop()
  const [one, other] = [news.at(-1), deep.at(-1)]
  return one && !(other && one.worth > other.worth) ? news.pop() : deep.pop()
}
