import { pair, random, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { pairOf } from './indexPairs.ts'
import { createMarket, edgesOfPool, type Market, updateMarket, withoutPool } from './market.ts'
import { at, each } from './pieces.ts'

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

/** What a market sells, whatever the order that its pools and tokens stand in. */
function listSales(market: Market) {
  const rows = Array.from({ length: market.edgeCount }, (_, edge) => {
    const [from, to] = [market.edgeFrom[edge] ?? -1, market.edgeTo[edge] ?? -1]
    const pair = pairOf(market, edge)
    assert.ok(edge >= (market.pairEdges[pair] ?? 0) && edge < (market.pairEdges[pair + 1] ?? 0))
    assert.ok(pair >= (market.outPairs[from] ?? 0) && pair < (market.outPairs[from + 1] ?? 0))
    const place = market.inPairPlace[pair] ?? -1
    assert.is(market.inPairList[place], pair)
    assert.is(market.inPairFrom[place], from)
    assert.ok(place >= (market.inPairs[to] ?? 0) && place < (market.inPairs[to + 1] ?? 0))
    assert.is(market.inPairRate[place], market.pairRate[pair])
    const pool = at(market.pools, market.edgePool[edge] ?? -1)
    assert.ok(pool)
    const index = market.poolIndex.get(pool.id) ?? -1
    assert.ok(edgesOfPool(market, { index, tokens: pool.tokens }).includes(edge))
    const names = [pool.id, at(market.tokens, from), at(market.tokens, to)].join()
    const head = [0, 1, 2, 3].map((k) => market.heads[4 * edge + k])
    return [
      names,
      head,
      market.pairRate[pair],
      market.pairGas[pair],
      at(market.curves, edge),
    ] as const
  })
  return rows.toSorted(([one], [other]) => (one < other ? -1 : 1))
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
  assert.equal(listSales(grown), listSales(createMarket([{ ...changed }, ...others])))
})

s('is the same market, whichever way its pools came and went [strangers/regrown]', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const pools = randomMarket(seed, 30, 'abcdefgh')
    let market = createMarket(pools.slice(0, 5))
    for (const pool of pools.slice(5, 20)) market = updateMarket(market, [pool])
    const gone = pools.slice(3, 9).map(({ id }) => id)
    market = updateMarket(market, pools.slice(20), gone)
    const left = pools.filter(({ id }) => !gone.includes(id))
    const fresh = createMarket(left)
    assert.equal(listSales(market), listSales(fresh))
    assert.equal([...market.tokenIndex.keys()].toSorted(), [...fresh.tokenIndex.keys()].toSorted())
    const back = pools.filter(({ id }) => gone.includes(id))
    assert.equal(listSales(updateMarket(market, back)), listSales(createMarket(pools)))
  }
})

s('is what it would be made from nothing after every step, and stays so [market/histories]', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const next = random(seed)
    const some = (most: number) => Math.floor(next() * (most + 1))
    const all = randomMarket(seed, 60, 'abcdefghijkl')
    const held = new Map(all.slice(0, 20).map((pool) => [pool.id, pool]))
    let market = createMarket(held.values())
    const history: { readonly market: Market; readonly sales: ReturnType<typeof listSales> }[] = []
    for (let step = 0; step < 30; step++) {
      // Some come, change and go at once: so many that nobody is left, at times.
      const gone = [...held.keys()].filter(() => next() < 0.1 || step % 10 === 9)
      for (const id of gone) held.delete(id)
      const changed = Array.from({ length: some(4) }, () => all[some(all.length - 1)] as EnginePool)
        .filter(({ id }) => !gone.includes(id))
        .map((pool) => (next() < 0.2 ? { ...pool, curve: () => undefined } : pool))
      for (const pool of changed) held.set(pool.id, pool)
      market = updateMarket(market, changed, gone)
      const sales = listSales(market)
      assert.equal(sales, listSales(createMarket(held.values())), `seed ${seed}, step ${step}`)
      history.push({ market, sales })
    }
    for (const { market: past, sales } of history) assert.equal(listSales(past), sales)
  }
})

s('keeps no room for tokens that came and went without end [strangers/tokens-gone]', () => {
  const pools = randomMarket(9, 20, 'abcde')
  const fresh = createMarket(pools)
  let market = fresh
  let most = 0
  for (let n = 0; n < 300; n++) {
    const came = [
      pair(`come${n}`, `a/token${n}`, [10, 10]),
      pair(`gone${n}`, `token${n}/b`, [10, 10]),
    ]
    market = updateMarket(market, came)
    assert.is(at(market.tokens, market.tokenIndex.get(`token${n}`) ?? -1), `token${n}`)
    market = updateMarket(
      market,
      [],
      came.map(({ id }) => id),
    )
    most = Math.max(most, market.tokens.length)
  }
  assert.ok(most <= 2 * fresh.tokens.length + 1, `${most} for ${fresh.tokens.length}`)
  assert.equal(listSales(market), listSales(fresh))
  assert.equal([...market.tokenIndex.keys()].toSorted(), [...each(fresh.tokens)])
})

s('has no way through a pool of more tokens than it counts [strangers/most-tokens]', () => {
  const basketOf = (count: number): EnginePool => ({
    id: `basket of ${count}`,
    tokens: Array.from({ length: count }, (_, n) => `token ${n}`),
    gas: 1,
    curve: () => undefined,
    swap: () => undefined,
  })
  const pools = randomMarket(3, 14, 'abced')
  const plain = createMarket(pools)
  const crowd = basketOf(257)
  assert.equal(listSales(createMarket([...pools, crowd])), listSales(plain))
  assert.equal(listSales(updateMarket(plain, [crowd])), listSales(plain))
  const most = createMarket([basketOf(256)])
  assert.is(most.edgeCount, 256 * 255)
  assert.is(
    most.edgeI.reduce((last, i) => Math.max(last, i)),
    255,
  )
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

s('sells nothing of a pool that is taken out, or whose numbers no curve goes through', () => {
  const pools = randomMarket(5, 20, 'abcd')
  const market = createMarket(pools)
  const before = listSales(market)
  // What the first unit bends by is of no use where it brings nothing.
  const withoutBend = (sales: ReturnType<typeof listSales>) =>
    sales.map(([names, [a, , end, gas], ...rest]) => [names, a, end, gas, ...rest])
  for (const pool of pools) {
    const closed = { ...pool, curve: () => undefined }
    const expected = withoutBend(listSales(updateMarket(market, [closed])))
    const without = withoutPool(market, market.poolIndex.get(pool.id) ?? -1)
    assert.equal(withoutBend(listSales(without)), expected)
    const broken = {
      ...pool,
      curve: () => {
        throw new RangeError('no number')
      },
    }
    assert.equal(withoutBend(listSales(updateMarket(market, [broken]))), expected)
  }
  assert.equal(listSales(market), before)
})

s.run()
