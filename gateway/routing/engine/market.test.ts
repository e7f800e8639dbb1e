import { randomMarket } from '../../../fixtures/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/enginePool.ts'
import { createMarket, updateMarket } from './market.ts'

const s = suite('market')

/** The pools, and a list of whose curves were asked for. */
function watch(pools: readonly EnginePool[]) {
  const asked: string[] = []
  const watched = pools.map((pool) => ({
    ...pool,
    curve: (i: number, j: number) => {
      asked.push(pool.id)
      return pool.curve(i, j)
    },
  }))
  return { asked, watched }
}

s('works out the curves of changed and new pools only, once each way', () => {
  const { asked, watched } = watch(randomMarket(3, 14, 'abced'))
  const [changed, ...others] = watched
  const came = watched.at(-1)
  assert.ok(changed && came)
  const market = createMarket(watched.slice(0, -1))
  asked.length = 0
  const grown = updateMarket(market, [{ ...changed }, came])
  assert.equal(asked.toSorted(), [changed, changed, came, came].map(({ id }) => id).toSorted())
  assert.equal(grown, { ...createMarket([{ ...changed }, ...others]), pools: grown.pools })
})

s('gives every pool its own curves when a new token moves the others', () => {
  const { asked, watched } = watch(randomMarket(5, 20, 'bcde'))
  const [first] = randomMarket(5, 1, 'ab')
  assert.ok(first)
  const market = createMarket(watched)
  asked.length = 0
  const grown = updateMarket(market, [{ ...first, id: 'new' }])
  assert.equal(asked, [])
  const { curves, heads, pairRate } = createMarket([...watched, { ...first, id: 'new' }])
  assert.equal([grown.curves, grown.heads, grown.pairRate], [curves, heads, pairRate])
})

s('leaves the market before as it was', () => {
  const pools = randomMarket(7, 14, 'abced')
  const market = createMarket(pools)
  const before = structuredClone({ heads: market.heads, rates: market.pairRate })
  const [one] = pools
  assert.ok(one)
  const emptied = { ...one, curve: () => undefined }
  assert.not.equal(updateMarket(market, [emptied]).heads, before.heads)
  assert.equal({ heads: market.heads, rates: market.pairRate }, before)
})

s.run()
