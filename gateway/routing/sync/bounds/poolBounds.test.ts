import { getAddress, numberToHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { base } from '../../../chain/base.ts'
import type { ConcentratedRecord } from '../../protocols/concentrated/concentratedRecord.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import { gridSize, samplesAt } from '../../protocols/quoted/quoted.ts'
import type { QuotedRecord } from '../../protocols/quoted/quotedChain.ts'
import { createPoolBounds } from './poolBounds.ts'
import { standingAt } from './referencePrices.ts'
import type { PoolLimits } from './standing.ts'

const s = suite('bounds of a market')
const usdc = base.usdc.address.toLowerCase()
const weth = base.wrappedNative.toLowerCase()
const dai = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'
const dex = base.dexes.find(({ protocol }) => protocol === 'uniswap_v2')
if (!dex) throw new Error('Base has a Uniswap v2')
const fake = (n: number) => numberToHex(0xfa0000 + n, { size: 20 })
let serial = 0
/** A pair with so many raw units of each token. */
function pair(tokens: readonly [string, string], reserves: readonly [bigint, bigint]): PoolRecord {
  serial += 1
  const id = numberToHex(serial, { size: 20 })
  const [reserve0, reserve1] = reserves
  return {
    id,
    address: getAddress(id),
    dex: dex?.name ?? '',
    protocol: 'uniswap_v2',
    tokens,
    feePips: 3_000,
    changedBlock: 1n,
    isFresh: [false, false],
    swapsSeen: 0,
    reserve0,
    reserve1,
  }
}
const e18 = 10n ** 18n
const usd = (amount: number) => BigInt(Math.round(amount * 1e6))
/** Whole tokens of 18 decimals against dollars. */
const against = (token: string, dollars: number, whole = 1_000) =>
  pair([token, usdc], [BigInt(whole) * e18, usd(dollars)])
/** So many dollars and a thousand of each other token, of which each costs a dollar. */
function basket(tokens: readonly string[], dollars: number): PoolRecord {
  const held = tokens.map((_, i) => (i === 0 ? usd(dollars) : 1_000n * e18))
  const amounts = new Array<bigint>(tokens.length ** 2 * gridSize).fill(0n)
  const outputs = [...amounts]
  for (const i of tokens.keys())
    for (const j of tokens.keys()) {
      const start = samplesAt({ tokens }, i, j)
      amounts.fill(held[i] ?? 0n, start, start + gridSize)
      outputs.fill(held[j] ?? 0n, start, start + gridSize)
    }
  return {
    ...pair([usdc, usdc], [0n, 0n]),
    protocol: 'curve_crypto',
    tokens,
    held,
    amounts,
    outputs,
  } as unknown as PoolRecord
}
const honest = pair([weth, usdc], [1_000n * e18, usd(3_000_000)])

function setUp(limits: Partial<PoolLimits> = {}) {
  const clock = { ms: 0 }
  const bounds = createPoolBounds({
    assets: base,
    limits: { floorUsd: 100, mostPools: 1_000, mostTokens: 1_000, ...limits },
    dexes: () => [dex as NonNullable<typeof dex>],
    now: () => clock.ms,
  })
  let pools = new Map<string, PoolRecord>()
  const put = (records: Iterable<PoolRecord>) => {
    for (const record of records) pools.set(record.id, record)
  }
  function come(...news: PoolRecord[]): number {
    const { taken, gone } = bounds.admit({ pools, news })
    for (const id of gone) pools.delete(id)
    put(taken)
    return taken.length
  }
  return {
    bounds,
    clock,
    begin(records: readonly PoolRecord[]) {
      pools = new Map()
      put(bounds.begin(records))
    },
    come,
    change: (record: PoolRecord) => put([record]),
    has: ({ id }: PoolRecord) => pools.has(id),
    size: () => pools.size,
    review() {
      clock.ms += 60_000
      for (const id of bounds.review(pools) ?? []) pools.delete(id)
    },
    /** What the loop does with pools on the shelf: they are read as they are now. */
    look(...asTheyAre: PoolRecord[]) {
      clock.ms += 5_000
      const due = bounds.due()
      const read = asTheyAre.filter(({ id }) =>
        due.some(({ address }) => address === getAddress(id)),
      )
      const ids = bounds.sift({ pools, asked: due, read })
      return come(...read.filter(({ id }) => ids.includes(id)))
    },
  }
}

s('a pool below the floor stays outside, one above comes in [bounds/floor]', () => {
  const { begin, come, bounds } = setUp()
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
  const { begin, come } = setUp()
  begin([honest])
  const dust = Array.from({ length: 50 }, () => pair([weth, usdc], [e18 / 1_000n, usd(3)]))
  assert.is(come(...dust), 0)
})

s('money that nobody can trade away prices no reference asset [bounds/untradable]', () => {
  const fair = pair([dai, usdc], [100_000n * e18, usd(100_000)])
  const absurd = pair([dai, usdc], [e18, usd(1_000_000)])
  for (const shut of [
    { ...absurd, feePips: 1_000_000 },
    { ...absurd, parts: [{ address: fake(9), codeHash: undefined }] },
  ]) {
    const { begin, come } = setUp()
    begin([honest, fair, shut])
    assert.is(come(pair([fake(1), dai], [10n ** 30n, e18])), 0)
    assert.is(come(pair([fake(1), dai], [10n ** 30n, 200n * e18])), 1)
  }
})

/** DAI and dollars in one range of ticks, at a price of so many raw dollars for a raw DAI. */
function ranged(
  price: number,
  {
    from,
    to,
    liquidity,
  }: { readonly from: number; readonly to: number; readonly liquidity: bigint },
  token = dai,
): ConcentratedRecord {
  const tick = Math.floor(Math.log(price) / Math.log(1.0001))
  return {
    ...pair([token, usdc], [0n, 0n]),
    protocol: 'uniswap_v3',
    feePips1: 500,
    tickSpacing: 1,
    sqrtPriceX96: BigInt(Math.round(Math.sqrt(price) * 2 ** 48)) << 48n,
    tick,
    liquidity: from <= tick && tick < to ? liquidity : 0n,
    ticks: [
      { index: from, gross: liquidity, net: liquidity },
      { index: to, gross: liquidity, net: -liquidity },
    ],
  }
}

s('nor does what stands on one side of a price, or away from it [bounds/one-sided]', () => {
  const fair = pair([dai, usdc], [100_000n * e18, usd(100_000)])
  const even = 1e-12
  const evenTick = Math.floor(Math.log(even) / Math.log(1.0001))
  const liquidity = 10n ** 21n
  for (const shut of [
    // Millions that wait below, for whoever sells at a ten-thousandth.
    ranged(even * 1e6, { from: evenTick - 92_200, to: evenTick - 92_100, liquidity: 10n ** 23n }),
    // Those that nobody sells to, at the upper end of their range.
    ranged(even / 1_000, { from: evenTick - 70_000, to: evenTick - 69_080, liquidity }),
  ]) {
    const { begin, come } = setUp()
    begin([honest, fair, shut])
    assert.is(come(pair([fake(1), dai], [10n ** 30n, e18])), 0)
    assert.is(come(pair([fake(1), dai], [10n ** 30n, 200n * e18])), 1)
  }
  assert.is(standingAt(ranged(even, { from: 0, to: 100, liquidity }), dai), 0)
})

s('nor does it price what pools without a reference asset lean on [bounds/one-sided-token]', () => {
  const { begin, come } = setUp()
  const range = { from: -346_324, to: -345_404, liquidity: 10n ** 21n }
  begin([honest, against(fake(3), 100_000, 100_000), ranged(1e-15, range, fake(3))])
  assert.is(come(pair([fake(3), fake(4)], [200n * e18, e18])), 1)
})

s('nor does what a quoter prices after a fee of its own [bounds/untradable-quoted]', () => {
  const fair = pair([dai, usdc], [100_000n * e18, usd(100_000)])
  const even = basket([usdc, dai], 1_000) as QuotedRecord
  for (const left of [1_000n, 990n, 1n, 0n]) {
    const { begin, come } = setUp()
    const outputs = even.outputs.map((output) => (output * left) / 1_000n)
    begin([honest, fair, { ...even, held: [usd(1_000_000), 10n * e18], outputs }])
    const backed = pair([fake(1), dai], [10n ** 30n, 200n * e18])
    assert.is(come(backed), 1, `${left} of 1000 are left`)
  }
})

s('a token with the symbol or the looks of a hub is no reference asset', () => {
  const { begin, come } = setUp()
  begin([honest])
  const usdcOfMine = fake(0x05dc)
  assert.is(come(pair([usdcOfMine, fake(5)], [usd(10 ** 9), 10n ** 30n])), 0)
})

s(
  'a pool that grows above the floor comes in, one that loses half of it goes [bounds/growth]',
  () => {
    const { begin, come, look, review, change, has, bounds } = setUp()
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
  const { begin, clock, bounds } = setUp()
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
    const { begin, come, bounds, review, has, size, clock } = setUp()
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
  const { begin, look, bounds, has } = setUp()
  const [token, other] = [fake(1), fake(2)]
  const bare = pair([token, other], [e18, e18])
  begin([honest, bare])
  assert.not.ok(has(bare))
  bounds.ask([token])
  assert.is(look(bare), 0)
  bounds.ask([other])
  assert.is(look(bare), 1)
})

s('a full market takes what is deeper, from the least deep [bounds/eviction]', () => {
  const { begin, come, has, size, bounds } = setUp({ mostPools: 5 })
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
  const { begin, come, has, size } = setUp({ mostTokens: 4 })
  const pools = [200, 300].map((dollars, n) => against(fake(n), dollars))
  begin([honest, ...pools])
  assert.is(size(), 3)
  assert.is(come(against(fake(5), 150)), 0)
  assert.is(come(against(fake(6), 900)), 1)
  assert.equal([...pools, honest].map(has), [false, true, true])
})

s('tokens of dust that is asked for make room for those of deep pools [bounds/tokens-dust]', () => {
  const { begin, come, has, size, bounds } = setUp({ mostTokens: 22 })
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
  const { begin, come, has } = setUp({ mostTokens: 22 })
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
    const { begin, come, review, has, size } = setUp({ mostPools: 100, mostTokens: 100 })
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
  const { begin, come, review, size, has } = setUp()
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
    const { begin, come, has } = setUp({ mostPools: 102 })
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
  const { begin, come, review, size } = setUp()
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
  const { begin, come, review, has } = setUp()
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
  const { begin, come, change, review, size } = setUp({ mostPools: 50 })
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
  const { begin, come, has, bounds } = setUp({ mostPools: 2 })
  const [one, other] = [against(fake(1), 1_000), against(fake(2), 1_010)]
  begin([honest, one])
  for (let round = 0; round < 20; round += 1) come({ ...other, changedBlock: BigInt(round) })
  assert.ok(has(one))
  assert.is(bounds.status().evicted, 0)
})

s('a market without a price for its own currency has no floor, and its bound', () => {
  const { begin, come, size } = setUp({ mostPools: 100 })
  begin([])
  for (let n = 0; n < 150; n += 1) come(pair([fake(n), fake(n + 1)], [1n, 1n]))
  assert.is(size(), 100)
})

s('pools of impossible numbers are as deep as nothing', () => {
  const { begin, come, has } = setUp()
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
