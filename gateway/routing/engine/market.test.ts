import { pair, random, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { pairOf } from './indexPairs.ts'
import {
  bestRate,
  createMarket,
  edgesOfPool,
  gasOf,
  type Market,
  poolOf,
  updateMarket,
  withoutPool,
} from './market.ts'
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

s('knows of each edge what it sells first, and of each pair the best and the least gas', () => {
  const steps = [
    { dx: 10, a: 3, b: 0.25 },
    { dx: 40, a: 1.5, b: 0.125 },
  ]
  const market = createMarket([
    curvePool('q', 'b/c', { pieces: steps, gas: 7 }),
    curvePool('p', 'a/b', { pieces: steps.slice(1), gas: 5 }),
    curvePool('r', 'b/c', { pieces: steps.slice(1), gas: 4 }),
  ])
  const edgeOf = (id: string) => {
    const index = market.poolIndex.get(id) ?? -1
    return edgesOfPool(market, { index, tokens: poolOf(market, id)?.tokens ?? [] })
  }
  const [[p = -1, pBack = -1], [q = -1, qBack = -1], [r = -1]] = ['p', 'q', 'r'].map(edgeOf) as [
    number[],
    number[],
    number[],
  ]
  assert.equal([p, pBack, q, r, qBack], [0, 1, 2, 3, 4])
  assert.equal(
    [p, q, r].map((edge) => bestRate(market, edge)),
    [1.5, 3, 1.5],
  )
  assert.equal(
    [p, pBack, q, r].map((edge) => gasOf(market, edge)),
    [5, 5, 7, 4],
  )
  assert.equal([...market.heads.slice(8, 12)], [3, 0.25, 10, 7])
  assert.equal([...market.heads.slice(4, 8)], [0, 0, 0, 5])
  const [toB, toC] = [pairOf(market, p), pairOf(market, r)] as const
  assert.equal([market.pairRate[toB], market.pairRate[toC]], [1.5, 3])
  assert.equal([market.pairGas[toB], market.pairGas[toC]], [5, 4])
  assert.is(market.pairRate[pairOf(market, qBack)], 0)
  assert.equal([poolOf(market, 'r')?.gas, poolOf(market, 'nobody')], [4, undefined])
})

s('keeps the order of its pairs until pools come, go or are of other tokens', () => {
  const pools = ['a/b', 'b/c', 'c/d'].map((tokens, k) => pair(`p${k}`, tokens, [10, 10]))
  const market = createMarket(pools)
  const isKept = (...next: Parameters<typeof updateMarket>) => {
    const later = updateMarket(...next)
    const [, changed, gone = []] = next
    const left = new Map(pools.filter(({ id }) => !gone.includes(id)).map((one) => [one.id, one]))
    for (const one of changed) left.set(one.id, one)
    assert.equal(listSales(later), listSales(createMarket(left.values())))
    return later.pairTo === market.pairTo
  }
  assert.ok(isKept(market, [pair('p1', 'b/c', [10, 30])]))
  assert.ok(isKept(market, []))
  assert.not(isKept(market, [pair('p1', 'b/d', [10, 30])]))
  assert.not(isKept(market, [pair('p3', 'b/c', [10, 30])]))
  assert.not(isKept(market, [], ['p1']))
  const basket = curvePool('p1', 'b/c/d', { pieces: [{ dx: 10, a: 1, b: 1 }] })
  assert.not(isKept(market, [basket]))
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
