import { numberToHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { base } from '../../../chain/base.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import {
  against,
  basket,
  boundMarket,
  e18,
  fake,
  honest,
  pair,
  usd,
  usdc,
  weth,
} from '../../testing/boundMarket.ts'
import { createPoolBounds } from './poolBounds.ts'

const s = suite('bounds of a market')

s('a pool below the floor stays outside, one above comes in [bounds/floor]', () => {
  const { begin, come, bounds } = boundMarket()
  begin([honest])
  assert.is(come(against(fake(1), 99)), 0)
  assert.is(come(against(fake(2), 101)), 1)
  // The other side counts as little as its maker's word.
  assert.is(come(against(fake(3), 1, 10 ** 12)), 0)
  assert.is(come(pair([fake(4), weth], [10n ** 40n, e18 / 100n])), 0)
  assert.is(come(pair([fake(4), weth], [1n, e18])), 1)
  assert.is(bounds.status().shelved, 3)
})

s('dust between reference assets stays outside as well', () => {
  const { begin, come } = boundMarket()
  begin([honest])
  const dust = Array.from({ length: 50 }, () => pair([weth, usdc], [e18 / 1_000n, usd(3)]))
  assert.is(come(...dust), 0)
})

s('a token with the symbol or the looks of a hub is no reference asset', () => {
  const { begin, come } = boundMarket()
  begin([honest])
  const usdcOfMine = fake(0x05dc)
  assert.is(come(pair([usdcOfMine, fake(5)], [usd(10 ** 9), 10n ** 30n])), 0)
})

s(
  'a pool that grows above the floor comes in, one that loses half of it goes [bounds/growth]',
  () => {
    const { begin, come, look, review, change, has, bounds } = boundMarket()
    const shallow = against(fake(1), 60)
    begin([honest, shallow])
    assert.not.ok(has(shallow))
    assert.is(look(shallow), 0, 'nothing happened to it')
    const grown = { ...shallow, reserve1: usd(120) } as PoolRecord
    bounds.stir(shallow.id)
    assert.is(look(grown), 1)
    const less = { ...grown, reserve1: usd(60) } as PoolRecord
    change(less)
    review()
    assert.ok(has(less), 'it has not lost half of the floor')
    change({ ...less, reserve1: usd(49) } as PoolRecord)
    review()
    assert.not.ok(has(less))
    assert.is(come(against(fake(1), 60)), 0, 'who comes anew needs the whole floor')
    assert.equal(bounds.status(), { shelved: 2, evicted: 1 })
  },
)

s('dust that is stirred again and again is read ever more seldom', () => {
  const { begin, clock, bounds } = boundMarket()
  const dust = against(fake(1), 1)
  begin([honest, dust])
  const pools = new Map([[honest.id, honest]])
  let reads = 0
  for (let second = 0; second < 3_600; second += 2) {
    clock.ms = second * 1_000
    bounds.stir(dust.id)
    const due = bounds.due()
    reads += due.length
    bounds.sift({ pools, asked: due, read: due.length > 0 ? [dust] : [] })
  }
  assert.ok(reads > 2 && reads < 10, `${reads} reads in an hour`)
})

s(
  'pools of a token that is asked for are followed below the floor, eight of a pair [bounds/asked]',
  () => {
    const { begin, come, bounds, review, has, size, clock } = boundMarket()
    const [token, other] = [fake(1), fake(2)]
    begin([honest])
    bounds.ask([token])
    const dust = Array.from({ length: 40 }, (_, n) => against(token, n / 10))
    const real = against(token, 40)
    assert.is(come(...dust, real), 8)
    assert.ok(has(real), 'the deepest of them')
    // Without a reference asset, and nobody says what it is worth.
    const bare = pair([token, other], [e18, e18])
    assert.is(come(bare), 0, 'one of its tokens was not asked for')
    bounds.ask([other])
    assert.is(come({ ...bare, id: numberToHex(0xbeef, { size: 20 }) }), 1)
    clock.ms += 31 * 60_000
    review()
    assert.is(size(), 1, 'asked for long ago')
    assert.ok(has(honest))
  },
)

s('a question brings back what waits outside', () => {
  const { begin, look, bounds, has } = boundMarket()
  const [token, other] = [fake(1), fake(2)]
  const bare = pair([token, other], [e18, e18])
  begin([honest, bare])
  assert.not.ok(has(bare))
  bounds.ask([token])
  assert.is(look(bare), 0)
  bounds.ask([other])
  assert.is(look(bare), 1)
})

s('only what callers ask for is read again while others are loaded [nodes/load-asked]', () => {
  const { begin, bounds, clock } = boundMarket()
  const [wanted, other] = [against(fake(1), 60), against(fake(2), 60)]
  begin([honest, wanted, other])
  for (const { id } of [wanted, other]) bounds.stir(id)
  const look = (whose: 'all' | 'asked') => {
    clock.ms += 5_000
    return bounds.due(whose).map(({ address }) => address)
  }
  assert.equal(look('asked'), [])
  bounds.ask([fake(1)])
  assert.equal(look('asked'), [wanted.address])
  assert.equal(look('all'), [wanted.address, other.address])
})

s('a full market takes what is deeper, from the least deep [bounds/eviction]', () => {
  const { begin, come, has, size, bounds } = boundMarket({ mostPools: 5 })
  const pools = [200, 300, 400, 500].map((dollars, n) => against(fake(n), dollars))
  begin([honest, ...pools])
  assert.is(size(), 5)
  assert.is(come(against(fake(9), 240)), 0, 'not a quarter deeper than the least')
  assert.is(come(against(fake(10), 260)), 1)
  assert.not.ok(has(pools[0] as PoolRecord))
  assert.is(size(), 5)
  assert.is(bounds.status().evicted, 1)
})

s('tokens have a bound of their own, and the deepest keep theirs', () => {
  const { begin, come, has, size } = boundMarket({ mostTokens: 4 })
  const pools = [200, 300].map((dollars, n) => against(fake(n), dollars))
  begin([honest, ...pools])
  assert.is(size(), 3)
  assert.is(come(against(fake(5), 150)), 0)
  assert.is(come(against(fake(6), 900)), 1)
  assert.equal([...pools, honest].map(has), [false, true, true])
})

s('tokens of dust that is asked for make room for those of deep pools [bounds/tokens-dust]', () => {
  const { begin, come, has, size, bounds } = boundMarket({ mostTokens: 22 })
  begin([honest])
  const tokens = Array.from({ length: 30 }, (_, n) => fake(n))
  bounds.ask(tokens)
  const dust = tokens.map((token) => against(token, 1))
  come(...dust)
  assert.is(size(), 21, 'there is room')
  const deep = Array.from({ length: 20 }, (_, n) => against(fake(1_000 + n), 150))
  for (const pool of deep) assert.is(come(pool), 1)
  assert.ok([honest, ...deep].every(has))
  assert.not.ok(dust.some(has))
  assert.is(come(...dust), 0)
})

s('each token of a pool costs what a place costs [bounds/tokens-price]', () => {
  const { begin, come, has } = boundMarket({ mostTokens: 22 })
  const pools = Array.from({ length: 20 }, (_, n) => against(fake(n), 150))
  begin([honest, ...pools])
  const fakes = (n: number) => Array.from({ length: 7 }, (_, k) => fake(1_000 + 7 * n + k))
  // Twice what each of the others has, for seven times as many tokens.
  for (let n = 0; n < 10; n += 1) come(basket([usdc, ...fakes(n)], 300))
  assert.ok(pools.every(has))
  // Who leans on others' backing has no token for nothing either.
  come(pair([fake(0), fake(2_000)], [10n ** 33n, 10n ** 33n]))
  assert.ok(pools.every(has))
  assert.is(come(basket([usdc, ...fakes(11)], 7 * 200)), 1, 'seven times the price of one')
})

s(
  'what nobody pays for pushes nobody out: 3,000 deep-looking pools of fake tokens [bounds/spam]',
  () => {
    const { begin, come, review, has, size } = boundMarket({ mostPools: 100, mostTokens: 100 })
    const honestOnes = [honest, ...[150, 2_000, 90_000].map((d, n) => against(fake(n), d))]
    // Held by no reference pool, and honest all the same: what backs both is deep.
    const cross = pair([fake(1), fake(2)], [500n * e18, 500n * e18])
    begin([...honestOnes, cross])
    const spam = Array.from({ length: 3_000 }, (_, n) =>
      pair([fake(1_000 + n), fake(5_000 + (n % 7))], [10n ** 33n, 10n ** 33n]),
    )
    for (let start = 0; start < spam.length; start += 100) come(...spam.slice(start, start + 100))
    review()
    assert.is(size(), 5)
    assert.ok([...honestOnes, cross].every(has))
  },
)

s('a backed fake token backs no more pools than its capital is worth', () => {
  const { begin, come, review, size, has } = boundMarket()
  const backing = against(fake(1), 1_000)
  begin([honest, backing])
  const leaning = Array.from({ length: 500 }, (_, n) =>
    pair([fake(1), fake(1_000 + n)], [10n ** 33n, 10n ** 33n]),
  )
  for (const pool of leaning) come(pool)
  review()
  const most = 1_000 / (100 * 0.5)
  assert.ok(size() - 2 <= most, `${size() - 2} pools lean on 1,000 USD`)
  assert.ok(has(honest) && has(backing))
})

s('a burst of pools leans on one backing between two looks, too [bounds/burst]', () => {
  for (const size of [1, 300]) {
    const { begin, come, has } = boundMarket({ mostPools: 102 })
    const honestOnes = Array.from({ length: 100 }, (_, n) => against(fake(10 + n), 500))
    begin([honest, against(fake(1), 1_000), ...honestOnes])
    const burst = Array.from({ length: 300 }, (_, n) =>
      pair([fake(1), fake(1_000 + n)], [10n ** 33n, 10n ** 33n]),
    )
    for (let start = 0; start < burst.length; start += size)
      come(...burst.slice(start, start + size))
    const gone = honestOnes.filter((pool) => !has(pool)).length
    // A thousand dollars outbid one of five hundred and the bonus of who is in.
    assert.ok(gone <= 1, `${gone} honest pools went`)
  }
})

s('a pool of many fake tokens backs no more than it holds [bounds/basket]', () => {
  const { begin, come, review, size } = boundMarket()
  const fakes = Array.from({ length: 7 }, (_, n) => fake(n))
  begin([honest, basket([usdc, ...fakes], 1_000)])
  assert.is(size(), 2)
  for (const token of fakes)
    for (let n = 0; n < 40; n += 1) come(pair([token, fake(1_000 + n)], [10n ** 33n, 10n ** 33n]))
  review()
  const most = 1_000 / (100 * 0.5)
  assert.ok(size() - 2 <= most, `${size() - 2} pools lean on 1,000 USD`)
})

s('the price of a hub is not for a deep and odd pool to say', () => {
  const { begin, come, review, has } = boundMarket()
  const others = Array.from({ length: 5 }, () => pair([weth, usdc], [500n * e18, usd(1_500_000)]))
  const small = pair([weth, fake(1)], [e18 / 10n, 10n ** 20n])
  begin([honest, ...others, small])
  assert.ok(has(small), '300 USD')
  // An ether for a cent, and for a billion: each with more dollars than any one of the honest pools.
  come(pair([weth, usdc], [400_000_000n * e18, usd(4_000_000)]))
  come(pair([weth, usdc], [e18 / 1_000n, usd(4_000_000)]))
  review()
  assert.ok(has(small))
  assert.is(come(pair([weth, fake(2)], [e18 / 100n, 10n ** 20n])), 0, '30 USD')
})

s('capital that wanders from pool to pool holds one place at a time', () => {
  const { begin, come, change, review, size } = boundMarket({ mostPools: 50 })
  begin([honest])
  for (let n = 0; n < 200; n += 1) {
    const pool = against(fake(n), 5_000)
    come(pool)
    // In the next block the money is elsewhere.
    change({ ...pool, reserve1: 0n } as PoolRecord)
    if (n % 20 === 19) review()
  }
  review()
  assert.is(size(), 1)
})

s('two that are equally deep do not push each other out in turn', () => {
  const { begin, come, has, bounds } = boundMarket({ mostPools: 2 })
  const [one, other] = [against(fake(1), 1_000), against(fake(2), 1_010)]
  begin([honest, one])
  for (let round = 0; round < 20; round += 1) come({ ...other, changedBlock: BigInt(round) })
  assert.ok(has(one))
  assert.is(bounds.status().evicted, 0)
})

s('a market without a price for its own currency has no floor, and its bound', () => {
  const { begin, come, size } = boundMarket({ mostPools: 100 })
  begin([])
  for (let n = 0; n < 150; n += 1) come(pair([fake(n), fake(n + 1)], [1n, 1n]))
  assert.is(size(), 100)
})

s('pools of impossible numbers are as deep as nothing', () => {
  const { begin, come, has } = boundMarket()
  begin([honest])
  const odd = { ...against(fake(1), 500), protocol: 'uniswap_v3', ticks: [], sqrtPriceX96: 0n }
  assert.is(come(odd as unknown as PoolRecord), 0)
  assert.is(come({ ...against(fake(2), 500), reserve1: -1n } as PoolRecord), 0)
  assert.ok(has(honest))
})

s('without limits everything is followed', () => {
  const bounds = createPoolBounds({ assets: base, dexes: () => [], now: () => 0 })
  const news = [against(fake(1), 0)]
  assert.is(bounds.begin(news), news)
  assert.is(bounds.admit({ pools: new Map(), news }).taken, news)
  assert.is(bounds.review(new Map()), undefined)
})
s.run()
