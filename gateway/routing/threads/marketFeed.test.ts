import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedChain } from '../../bench/quote/generatedChain.ts'
import { createMarket, type Market, updateMarket, withoutPool } from '../engine/market.ts'
import { each } from '../engine/pieces.ts'
import { createCurveArena } from './curveArena.ts'
import { hearMarket, tellMarket } from './marketFeed.ts'

const s = suite('routing/threads/marketFeed')

const { chain, advance } = createGeneratedChain({ pools: 60, tokens: 10, seed: 3 })
const current = () => chain.sync.current()?.market ?? createMarket([])

/** What is the same wherever a market is searched. */
const floats = ({ pools, poolIndex, tokenIndex, ...market }: Market) => ({
  ...market,
  pools: Array.from(each(pools), ({ id }) => id),
})

s('tells a market by what changed, bit by bit', () => {
  const arena = createCurveArena()
  const first = current()
  const whole = tellMarket(arena, { last: undefined, next: first })
  assert.ok(whole)
  const heard = hearMarket(arena.blocks, { last: undefined, news: whole })
  assert.equal(floats(heard), floats(first))
  advance()
  const next = current()
  const news = tellMarket(arena, { last: first, next })
  assert.ok(news)
  assert.is(news.layout, undefined)
  assert.ok(news.edges.length > 0 && news.edges.length <= 40, `${news.edges.length} curves`)
  const later = hearMarket(arena.blocks, { last: heard, news })
  assert.equal(floats(later), floats(next))
  assert.equal(floats(heard), floats(first), 'the one before stays as it was')
})

s('numbers edges anew where pools come or go, and sells nothing through a closed one', () => {
  const arena = createCurveArena()
  const first = current()
  const whole = tellMarket(arena, { last: undefined, next: first })
  assert.ok(whole)
  const heard = hearMarket(arena.blocks, { last: undefined, news: whole })
  const [gone, closed] = each(first.pools)
  assert.ok(gone && closed)
  const shut = { ...closed, curve: () => undefined, swap: () => undefined }
  const next = updateMarket(updateMarket(first, [shut]), [], [gone.id])
  const news = tellMarket(arena, { last: first, next })
  assert.ok(news?.layout)
  const later = hearMarket(arena.blocks, { last: heard, news })
  assert.equal(floats(later), floats(next))
  assert.ok([...each(later.curves)].some((curve) => curve === undefined))
})

s('has each of its pools taken out alike [threads/without-pool]', () => {
  const arena = createCurveArena()
  const market = current()
  const news = tellMarket(arena, { last: undefined, next: market })
  assert.ok(news)
  const heard = hearMarket(arena.blocks, { last: undefined, news })
  for (let pool = 0; pool < market.pools.length; pool++) {
    const left = withoutPool(heard, pool)
    assert.not.equal(left.heads, heard.heads)
    assert.equal(floats(left), floats(withoutPool(market, pool)))
  }
})

s.run()
