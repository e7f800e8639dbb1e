import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ask, execute, pair, random, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createUniswapV3Pool } from '../protocols/concentrated/uniswapV3.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import type { Certificate } from './certificate.ts'
import { findRouteInSlices } from './findRoute.ts'
import { createMarket, updateMarket } from './market.ts'
import { createSlices } from './slices.ts'

const s = suite('findRoute')

s('executes to exactly the amounts it says, and leaves nothing over', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const pools = randomMarket(seed, 25)
    const route = ask(createMarket(pools), { amountIn: 10n ** BigInt(17 + (seed % 5)) })
    if (!route) continue
    const left = execute(pools, route)
    for (const [token, balance] of left)
      assert.is(balance, token === 'd' ? route.amountOut : 0n, `${seed} ${token}`)
  }
})

s('splits between equal pools evenly', () => {
  const pools = [1, 2, 3, 4].map((k) => pair(`p${k}`, 'a/d', [1000, 2000]))
  const route = ask(createMarket(pools))
  assert.is(route?.steps.length, 4)
  for (const step of route?.steps ?? [])
    assert.ok(Math.abs(Number(step.amountIn) / 25e18 - 1) < 1e-6)
  assert.ok((route?.gapBps ?? 1) < 1e-4)
})

s('keeps to the best single path where it is asked to [routing/single-path]', () => {
  let isSplit = 0
  for (let seed = 1; seed <= 40; seed++) {
    const market = createMarket(randomMarket(seed, 25))
    const amountIn = 10n ** BigInt(19 + (seed % 4))
    const [best, single] = [ask(market, { amountIn }), ask(market, { amountIn, singlePath: true })]
    if (!best || !single) continue
    if (best.steps.length > single.steps.length) isSplit += 1
    assert.ok(single.amountOut <= best.amountOut)
    assert.ok(single.steps.every(({ shareBps }) => shareBps === 10_000))
    assert.is(new Set(single.steps.map(({ tokenIn }) => tokenIn)).size, single.steps.length)
    // Nothing of few steps is better, but what splits.
    const few = ask(market, { amountIn, maxSteps: 1, maxHops: 1 })
    assert.ok(!few || few.amountOut <= single.amountOut)
  }
  assert.ok(isSplit > 10, `${isSplit} are split otherwise`)
})

s('shares one pool between paths', () => {
  const pools = [
    pair('ab1', 'a/b', [1000, 1000]),
    pair('ab2', 'a/b', [3000, 3000]),
    pair('bd', 'b/d', [50_000, 50_000]),
  ]
  const route = ask(createMarket(pools))
  assert.equal(route?.steps.map(({ poolId }) => poolId).sort(), ['ab1', 'ab2', 'bd'])
  assert.equal(route?.steps.map(({ shareBps }) => shareBps).sort(), [10_000, 2500, 7500])
})

s('does not pay more gas than a split brings', () => {
  const pools = [pair('big', 'a/d', [1_000_000, 1_000_000]), pair('small', 'a/d', [10_000, 10_000])]
  const market = createMarket(pools)
  const amountIn = 10n ** 21n
  assert.is(ask(market, { amountIn })?.steps.length, 2)
  assert.is(ask(market, { amountIn, gasPriceWei: 10n ** 12n })?.steps.length, 1)
})

s('takes the cheaper of two paths when gas decides', () => {
  const pools = [
    pair('direct', 'a/d', [100_000, 99_000]),
    pair('ab', 'a/b', [100_000, 100_000], 100),
    pair('bd', 'b/d', [100_000, 100_000], 100),
  ]
  const market = createMarket(pools)
  const amountIn = 10n ** 18n
  assert.is(ask(market, { amountIn, maxSteps: 2 })?.steps.length, 2)
  const dear = ask(market, { amountIn, gasPriceWei: 10n ** 12n })
  assert.equal(
    dear?.steps.map(({ poolId }) => poolId),
    ['direct'],
  )
})

s('answers less than asked when the pools cannot take all', () => {
  const sqrtPriceX96 = 2n ** 96n
  const ticks = [
    [-60, 10n ** 18n],
    [60, -(10n ** 18n)],
  ] as const
  const range = {
    feePips: 500,
    tickSpacing: 60,
    sqrtPriceX96,
    tick: 0,
    liquidity: 10n ** 18n,
    ticks,
  }
  const pools = [createUniswapV3Pool({ id: 'p', token0: 'a', token1: 'd', ...range })]
  const route = ask(createMarket(pools), { amountIn: 10n ** 20n })
  assert.ok(route && route.amountIn < 10n ** 17n && route.amountOut > 0n)
  const left = route && execute(pools, route)
  assert.is(left?.get('a'), 0n)
})

s('keeps within its steps whatever the time', () => {
  const market = createMarket(randomMarket(21, 400, 'abcdefgh'))
  for (const deadlineMs of [1, 2, 4, 1000]) {
    const route = ask(market, { amountIn: 10n ** 23n, maxSteps: 5, deadlineMs })
    assert.ok(route && route.steps.length <= 5)
  }
})

s('gives the same answer for the same state, whatever the order of pools', () => {
  const pools = randomMarket(11, 40)
  const one = ask(createMarket(pools), { maxHops: 4 })
  const other = ask(createMarket([...pools].reverse()), { maxHops: 4 })
  assert.equal(one, other)
})

const spin = 'for (;;) Math.sqrt(Math.random())'

s(
  'gives the same answer for the same state under CPU load, wherever its work is cut off',
  async () => {
    const market = createMarket(randomMarket(17, 400, 'abcdefghijkl'))
    const answer = (maxWork: number, amountIn: bigint) =>
      ask(market, { maxWork, amountIn, maxSteps: 12 })
    const works = [0, 1_000, 4_000, 15_000]
    const amounts = [10n ** 20n, 10n ** 22n]
    const all = () => amounts.flatMap((amount) => works.map((work) => answer(work, amount)))
    const idle = all()
    const outputs = new Set(idle.map((route) => route?.amountOut))
    assert.ok(outputs.size > amounts.length, 'the cut-offs give different answers')
    const burners = [1, 2, 3, 4].map(() => new Worker(spin, { eval: true }))
    try {
      await Promise.all(burners.map((burner) => once(burner, 'online')))
      assert.equal(all(), idle)
    } finally {
      await Promise.all(burners.map((burner) => burner.terminate()))
    }
  },
)

s('knows its time by what has gone since it began', () => {
  const market = createMarket(randomMarket(17, 100, 'abcdefgh'))
  const question = { amountIn: 10n ** 22n }
  const at = (nowMs: number, deadlineMs: number) =>
    ask(market, { ...question, deadlineMs, now: () => nowMs })
  assert.equal(at(1e9, 1), ask(market, question))
  assert.equal(at(1e9, 0), ask(market, { ...question, maxWork: 0 }))
  assert.not.equal(at(1e9, 0), at(1e9, 1))
})

s('is not moved by a clock that jumps, short of its deadline', () => {
  const market = createMarket(randomMarket(17, 400, 'abcdefghijkl'))
  const next = random(3)
  let clock = 0
  const jumpy = () => {
    clock += next() < 0.5 ? 0 : 40 * next()
    return clock
  }
  const question = { maxWork: 20_000, amountIn: 10n ** 22n, deadlineMs: 1e9 }
  assert.equal(ask(market, { ...question, now: jumpy }), ask(market, question))
})

s('is never below the best single pool, and gains from more hops [routing/best-split]', () => {
  for (let seed = 50; seed < 80; seed++) {
    const pools = randomMarket(seed, 30)
    const market = createMarket(pools)
    const answer = ask(market)?.amountOut ?? 0n
    for (const pool of pools) {
      const [i, j] = [pool.tokens.indexOf('a'), pool.tokens.indexOf('d')]
      if (i < 0 || j < 0) continue
      assert.ok(answer >= (pool.swap(i, j, 10n ** 20n)?.amountOut ?? 0n))
    }
  }
})

s('updates a market without touching the old snapshot', () => {
  const before = createMarket([pair('p', 'a/d', [1000, 1000]), pair('q', 'a/b', [10, 10])])
  const first = ask(before)
  const after = updateMarket(before, [pair('p', 'a/d', [1000, 2000])])
  assert.ok((ask(after)?.amountOut ?? 0n) > (first?.amountOut ?? 0n))
  assert.equal(ask(before), first)
  const grown = updateMarket(after, [pair('r', 'a/d', [9000, 90_000])])
  assert.ok(ask(grown)?.steps.some(({ poolId }) => poolId === 'r'))
})

s('gives the event loop its turns [routing/loop-turns]', async () => {
  const market = createMarket(randomMarket(3, 200, 'abcdefghijkl'))
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const question = { amountIn: 10n ** 22n, maxHops: 4, maxSteps: 30 }
  const parameters = {
    tokenIn: 'a',
    tokenOut: 'd',
    gasPriceWei: 0n,
    nativeToken: 'a',
    maxWork: 1e8,
    deadlineMs: 10_000,
    now: () => performance.now(),
    ...question,
  }
  const { now } = parameters
  const route = await findRouteInSlices(market, parameters, {
    slices: createSlices({ now, leastMs: 0, mostMs: 0 }),
  })
  const seen = turns
  // In one slice nobody else has a turn before the answer.
  const whole = await findRouteInSlices(market, parameters, {
    slices: createSlices({ now, leastMs: 10_000 }),
  })
  assert.is(turns, seen)
  clearImmediate(next)
  assert.ok(seen > 10, `${seen} turns`)
  assert.equal(route, ask(market, question))
  assert.equal(whole, route)
})

s('tells what it took of the event loop, and nothing of what others took between', async () => {
  const market = createMarket(randomMarket(3, 200, 'abcdefghijkl'))
  let [nowMs, workedMs, looks] = [0, 0, 0]
  const take = () => {
    nowMs += 1e6
    next = setImmediate(take)
  }
  let next = setImmediate(take)
  const now = () => {
    looks += 1
    nowMs += 1
    return nowMs
  }
  const gas = {
    gasPriceWei: 0n,
    nativeToken: 'a',
    maxWork: 1e8,
    deadlineMs: Number.POSITIVE_INFINITY,
  }
  const question = { tokenIn: 'a', tokenOut: 'd', amountIn: 10n ** 22n, maxHops: 4, maxSteps: 30 }
  const worked = (ms: number) => {
    workedMs += ms
  }
  const slices = createSlices({ now, leastMs: 100 })
  await findRouteInSlices(market, { ...question, ...gas, now }, { slices, worked })
  clearImmediate(next)
  assert.ok(nowMs > 1e6, 'others had a turn')
  assert.ok(workedMs > 0 && workedMs <= looks, `${workedMs} of ${looks}`)
})

s('splits over chains two hops longer than the first search, where that goes far', () => {
  /** A poor pool, and a chain of so many that bring twice as much. */
  const chain = (hops: number) => {
    const tokens = ['a', ...'ijklmn'.slice(0, hops - 1), 'd']
    const links = tokens.slice(1).map((token, k) => {
      const reserves = [1_000_000, Math.round(2 ** (1 / hops) * 1_000_000)] as const
      return pair(`c${k}`, `${tokens[k]}/${token}`, reserves, 0)
    })
    return createMarket([pair('poor', 'a/d', [1_000_000, 1_000_000], 0), ...links])
  }
  const isTaken = (hops: number, maxHops: number, maxSteps = 16) =>
    ask(chain(hops), { maxHops, maxSteps })?.steps.some(({ poolId }) => poolId === 'c1') ?? false
  assert.equal(
    [isTaken(3, 3), isTaken(4, 3), isTaken(5, 3), isTaken(6, 3)],
    [true, true, true, false],
  )
  assert.equal([isTaken(2, 2), isTaken(3, 2)], [true, false])
  assert.is(isTaken(5, 3, 4), false, 'no longer than the steps that it may have')
})
s('puts together paths three hops longer than the first search [20/further]', () => {
  const deep = [1_000_000, 1_000_000] as const
  /** Between the second token and the third there is another way, of so many hops. */
  const around = (hops: number) => {
    const tokens = ['b', ...'ijklmn'.slice(0, hops - 1), 'c']
    const links = tokens.slice(1).map((token, k) => pair(`c${k}`, `${tokens[k]}/${token}`, deep, 0))
    const straight = ['a/b', 'b/c', 'c/d'].map((ends) => pair(ends, ends, deep, 0))
    return createMarket([...straight, ...links])
  }
  const isTaken = (hops: number, mostHops?: number) =>
    ask(around(hops), { amountIn: 10n ** 22n, maxHops: 3, mostHops })?.steps.some(
      ({ poolId }) => poolId === 'c0',
    )
  assert.equal([isTaken(3), isTaken(4), isTaken(5)], [true, true, false])
  assert.is(isTaken(4, 5), false, 'unless no path may be as long')
})

const idsOf = (route: ReturnType<typeof ask>) => route?.steps.map(({ poolId }) => poolId).sort()
/** The pool, which refuses all, or takes half of what it is offered. */
const refusing = (pool: EnginePool): EnginePool => ({ ...pool, swap: () => undefined })
const halving = (pool: EnginePool): EnginePool => ({
  ...pool,
  swap(i, j, offered) {
    const swap = pool.swap(i, j, offered)
    return swap && { ...swap, amountIn: offered / 2n }
  },
})

s('goes without pools that refuse what their curves promised, alone or in a split', () => {
  const honest = [
    pair('one', 'a/d', [1_000, 1_000]),
    pair('two', 'a/d', [1_000, 900]),
    pair('ab', 'a/b', [1_000, 1_000]),
    pair('bd', 'b/d', [1_000, 1_000]),
  ]
  const best = ask(createMarket(honest))
  assert.equal(idsOf(best), ['ab', 'bd', 'one', 'two'])
  for (const lie of [refusing, halving])
    for (const [reserve, tokens] of [
      [2_000, 'a/d'],
      [950, 'a/d'],
      [1_000, 'a/b'],
    ] as const) {
      const liar = lie(pair('liar', tokens, [1_000, reserve]))
      const found = ask(createMarket([...honest, liar]))
      assert.equal(idsOf(found), idsOf(best), `${reserve} ${tokens}`)
      near(Number(found?.amountOut), Number(best?.amountOut), 1e-8)
    }
  // With it one way goes, and the route over b with it.
  const [, , ab, bd] = honest as [EnginePool, EnginePool, EnginePool, EnginePool]
  const found = ask(createMarket([...honest.slice(0, 2), ab, refusing(bd)]))
  assert.equal(idsOf(found), ['one', 'two'])
})

s('tells no gap as if a pool that refused much could take nothing [20/gap-refused]', () => {
  const cheap = pair('cheap', 'a/d', [1_000, 2_000])
  const most = 10n ** 19n
  const picky: EnginePool = {
    ...cheap,
    swap: (i, j, offered) => (offered > most ? undefined : cheap.swap(i, j, offered)),
  }
  const market = createMarket([pair('one', 'a/d', [1_000, 1_000]), picky])
  const found = ask(market)
  assert.equal(idsOf(found), ['one'])
  const byBoth =
    Number(cheap.swap(0, 1, most)?.amountOut) +
    Number(ask(market, { amountIn: 9n * most })?.amountOut)
  assert.ok((found?.gapBps ?? 0) > (1 - Number(found?.amountOut) / byBoth) * 1e4)
})

s('looks for one path without such a pool eight times', () => {
  const liars = (count: number) =>
    Array.from({ length: count }, (_, k) => refusing(pair(`liar${k}`, 'a/d', [1_000, 2_000 + k])))
  const find = (count: number) =>
    idsOf(
      ask(createMarket([pair('honest', 'a/d', [1_000, 1_000]), ...liars(count)]), {
        singlePath: true,
      }),
    )
  assert.equal([find(7), find(8)], [['honest'], undefined])
})

s('sells all by a split where one path takes a part', () => {
  const half = (id: string, rate: number) =>
    curvePool(id, 'a/d', { pieces: [{ dx: 6e19, a: rate, b: 1e-27 }] })
  const route = ask(createMarket([half('p', 1), half('q', 0.5)]))
  assert.equal([route?.amountIn, idsOf(route)], [10n ** 20n, ['p', 'q']])
})

s('tells what bounds the route that it answers, and of none where there is no work left', () => {
  const certified = (own: Parameters<typeof ask>[1] = {}) => {
    const told: Certificate[] = []
    const route = ask(createMarket(randomMarket(11, 40)), {
      ...own,
      certified: (made) => told.push(made),
    })
    return { route, told }
  }
  const { route, told } = certified()
  assert.is(told.length, 1)
  assert.is(told[0]?.route, route)
  assert.ok((route?.gapBps ?? -1) >= 0)
  assert.equal([certified({ maxWork: 0 }).told, certified({ singlePath: true }).told], [[], []])
})

s('tells what bounds it once that is asked for [20/certified-afterwards]', () => {
  const told: Certificate[] = []
  const later: (() => void)[] = []
  const route = ask(createMarket(randomMarket(11, 40)), {
    certified: (made) => told.push(made),
    afterwards: (certify) => later.push(certify),
  })
  assert.equal([told.length, later.length], [0, 1])
  for (const certify of later) certify()
  assert.is(told.at(0)?.route, route)
})

s('tells no bound where gas takes all that a route brings [20/gap-of-nothing]', () => {
  const told: Certificate[] = []
  const certified = (made: Certificate) => void told.push(made)
  const gapAt = (gasPriceWei: bigint) =>
    ask(createMarket([pair('one', 'a/d', [1000, 2000])]), { gasPriceWei, certified })?.gapBps
  assert.ok((gapAt(10n ** 15n) ?? 1) < 0.1)
  assert.is(told.length, 1)
  assert.is(gapAt(10n ** 16n), undefined)
  assert.is(told.length, 1)
})

s.run()
