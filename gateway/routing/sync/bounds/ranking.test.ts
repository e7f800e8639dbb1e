import { createRandom, type Random } from '../../../../fixtures/books/random.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { timeProcessor } from '../../../bench/timeProcessor.ts'
import { createRanking } from './ranking.ts'
import { isDeep, type PoolLimits, rankShallow, type Standing, worthOf } from './standing.ts'

const s = suite('ranking of pools')

/** Everybody is sorted anew. */
function selectPlainly(
  standings: readonly Standing[],
  { floorUsd, mostPools, mostTokens }: PoolLimits,
  recencyOf: (tokens: readonly string[]) => number,
) {
  const deep = standings.filter((standing) => isDeep(standing, floorUsd))
  const others = standings.filter((standing) => !deep.includes(standing))
  const kept = new Set<string>()
  const tokens = new Set<string>()
  for (const standing of [
    ...deep.toSorted((one, other) => worthOf(other) - worthOf(one)),
    ...rankShallow(others, recencyOf),
  ]) {
    const held = new Set([...tokens, ...standing.tokens])
    if (kept.size >= mostPools || held.size > mostTokens) continue
    for (const token of held) tokens.add(token)
    kept.add(standing.id)
  }
  const out = standings.map(({ id }) => id).filter((id) => !kept.has(id))
  return { out: out.toSorted(), tokenCount: tokens.size }
}

const depths = [undefined, 0, 20, 50, 99, 100, 101, 125, 150, 200, 1_000]

/** Few depths, so that many are equal, and few tokens, so that many are shared. */
function makeStanding(random: Random, id: string): Standing {
  const first = random.below(12)
  const tokens = Array.from(
    { length: 2 + random.below(2) },
    (_, n) => `t${first + n * (1 + random.below(3))}`,
  )
  return {
    id,
    tokens: [...new Set(tokens)],
    depthUsd: random.pick(depths),
    isKnown: false,
  }
}

/** Pools come and go, callers ask, and now and then all are measured; true where somebody was left out. */
function compareOnce(seed: number): boolean {
  const random = createRandom(seed)
  const limits = {
    floorUsd: 100,
    mostPools: 3 + random.below(12),
    mostTokens: 4 + random.below(14),
  }
  const recencies = new Map<string, number>()
  const recencyOf = (tokens: readonly string[]) =>
    Math.min(...tokens.map((token) => recencies.get(token) ?? 0))
  const ranking = createRanking({ limits, recencyOf })
  let ranked: readonly Standing[] = []
  let came: readonly Standing[] = []
  let hasLeftOut = false
  for (let step = 0; step < 40; step += 1) {
    const event = random.below(6)
    if (event === 0) recencies.set(`t${random.below(14)}`, random.below(4) / 3)
    if (event === 1) {
      const remeasure = (standing: Standing) =>
        random.below(3) > 0 ? standing : { ...standing, depthUsd: random.pick(depths) }
      ranked = [...ranked, ...came].map(remeasure)
      came = []
      ranking.rank(ranked)
    }
    if (event === 2) {
      const leaver = ranked[random.below(ranked.length + 1)]?.id
      ranked = ranked.filter(({ id }) => id !== leaver)
      ranking.keep((id) => id !== leaver)
    }
    const count = random.below(4)
    const news = Array.from({ length: count }, (_, n) => makeStanding(random, `${step}.${n}`))
    const plain = selectPlainly([...ranked, ...came, ...news], limits, recencyOf)
    const { out, tokenCount } = ranking.select([...came, ...news])
    assert.equal({ out: [...out].sort(), tokenCount }, plain, `history ${seed}, step ${step}`)
    hasLeftOut ||= out.size > 0
    ranked = ranked.filter(({ id }) => !out.has(id))
    came = [...came, ...news.map((standing) => ({ ...standing, isKnown: true }))].filter(
      ({ id }) => !out.has(id),
    )
    assert.is(ranking.size(), ranked.length)
  }
  return hasLeftOut
}

s('gives the places that a sort of everybody would give [bounds/ranking]', () => {
  const seeds = Array.from({ length: 400 }, (_, seed) => seed)
  assert.ok(seeds.filter(compareOnce).length > 300)
})

s('lets one more in, and another go, for less than a look at 20,000 [bounds/ranking-cost]', () => {
  const count = 20_000
  const toStanding = (n: number, depthUsd: number): Standing => ({
    id: `${n}`,
    tokens: [`t${n}`, 'usd'],
    depthUsd,
    isKnown: n < count,
  })
  const others = Array.from({ length: count }, (_, n) =>
    toStanding(n, 1_000 + ((n * 7_919) % 99_991)),
  )
  const limits = { floorUsd: 100, mostPools: count, mostTokens: count + 1 }
  const ranking = createRanking({ limits, recencyOf: () => 0 })
  ranking.rank(others)
  // Turn by turn, so that whatever else the machine does falls on both; of each the middle, without collections.
  const spent = { floor: [] as number[], cost: [] as number[] }
  const came: Standing[] = []
  for (let round = 0; round < 50; round += 1) {
    came.push(toStanding(count + round, 200_000))
    spent.floor.push(timeProcessor(() => others.filter(({ id }) => id === '')))
    spent.cost.push(timeProcessor(() => assert.is(ranking.select(came).out.size, 1)))
  }
  const middle = (values: readonly number[]) =>
    values.toSorted((one, other) => one - other)[25] ?? 0
  const looks = middle(spent.cost) / middle(spent.floor)
  assert.ok(looks < 1, `${looks} looks at everybody, ${middle(spent.cost)} ms`)
})
s.run()
