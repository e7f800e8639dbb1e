import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/enginePool.ts'
import { createUniswapV2Pool } from '../protocols/uniswapV2.ts'
import { createUniswapV3Pool } from '../protocols/uniswapV3.ts'
import { type FindRouteParameters, findRoute, findRouteInSlices } from './findRoute.ts'
import { createMarket, type Market, updateMarket } from './market.ts'
import type { Route } from './route.ts'

const s = suite('findRoute')

function pair(id: string, tokens: string, reserves: readonly [number, number], feePips = 3000) {
  const [token0 = '', token1 = ''] = tokens.split('/')
  const [reserve0, reserve1] = reserves.map((amount) => BigInt(amount) * 10n ** 18n) as [
    bigint,
    bigint,
  ]
  return createUniswapV2Pool({ id, token0, token1, reserve0, reserve1, feePips })
}

function ask(market: Market, changes: Partial<FindRouteParameters> = {}) {
  return findRoute(market, {
    tokenIn: 'a',
    tokenOut: 'd',
    amountIn: 10n ** 20n,
    maxHops: 3,
    maxSteps: 16,
    gasPriceWei: 0n,
    nativeToken: 'a',
    maxWork: 1e8,
    deadlineMs: 10_000,
    now: () => performance.now(),
    ...changes,
  })
}

/** Runs a route pool by pool as the executor does and returns what is left of every token. */
function execute(pools: readonly EnginePool[], route: Route) {
  const balances = new Map([[route.steps[0]?.tokenIn ?? '', route.amountIn]])
  const used = new Set<string>()
  for (const step of route.steps) {
    assert.not(used.has(step.poolId), 'a pool is used once')
    used.add(step.poolId)
    const pool = pools.find(({ id }) => id === step.poolId)
    assert.ok(pool)
    const balance = balances.get(step.tokenIn) ?? 0n
    const amountIn = (balance * step.share) >> 64n
    assert.is(amountIn, step.amountIn)
    const swap = pool?.swap(
      pool.tokens.indexOf(step.tokenIn),
      pool.tokens.indexOf(step.tokenOut),
      amountIn,
    )
    assert.is(swap?.amountIn, amountIn)
    assert.is(swap?.amountOut, step.amountOut)
    balances.set(step.tokenIn, balance - amountIn)
    balances.set(step.tokenOut, (balances.get(step.tokenOut) ?? 0n) + step.amountOut)
  }
  return balances
}

function random(seed: number) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}

function randomMarket(seed: number, poolCount: number, tokens = 'abcdef') {
  const next = random(seed)
  const worth = [...tokens].map(() => 0.1 + 3 * next())
  return Array.from({ length: poolCount }, (_, index) => {
    const i = Math.floor(next() * tokens.length)
    const j = (i + 1 + Math.floor(next() * (tokens.length - 1))) % tokens.length
    const depth = 100 + 100_000 * next() ** 3
    const skew = 1 + 0.004 * (next() - 0.5)
    const reserves = [depth / (worth[i] as number), (depth * skew) / (worth[j] as number)] as const
    return pair(`p${index}`, `${tokens[i]}/${tokens[j]}`, [
      Math.ceil(reserves[0]),
      Math.ceil(reserves[1]),
    ])
  })
}

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

s('survives bad pools and odd questions', () => {
  const good = pair('good', 'a/d', [1000, 1000])
  const pools = [
    good,
    pair('empty', 'a/d', [0, 0]),
    pair('drained', 'a/d', [1000, 0]),
    pair('self', 'a/a', [10, 10]),
    createUniswapV3Pool({
      id: 'contradictory',
      token0: 'a',
      token1: 'd',
      feePips: 500,
      tickSpacing: 10,
      sqrtPriceX96: 1n,
      tick: 99,
      liquidity: -5n,
      ticks: [[50, -100n]],
    }),
    {
      id: 'a refusing',
      tokens: ['a', 'd'],
      gas: 1,
      curve: good.curve,
      swap: () => undefined,
    },
  ]
  const market = createMarket(pools)
  for (const amountIn of [0n, 1n, 2n, 10n ** 6n, 10n ** 20n, 2n ** 112n, 2n ** 127n, 2n ** 255n])
    for (const maxHops of [0, 1, 2, 3, 4])
      for (const tokenOut of ['a', 'd', 'nowhere']) {
        const route = ask(market, { amountIn, maxHops, tokenOut })
        if (route) execute(pools, route)
      }
  assert.equal(
    ask(market)?.steps.map(({ poolId }) => poolId),
    ['good'],
  )
})

s('answers within a deadline that is already over', () => {
  const market = createMarket(randomMarket(7, 60))
  const full = ask(market)
  const hasty = ask(market, { deadlineMs: 0 })
  assert.ok(full && hasty && hasty.amountOut <= full.amountOut)
})

s('keeps within its steps whatever the time', () => {
  const market = createMarket(randomMarket(21, 400, 'abcdefgh'))
  for (const deadlineMs of [1, 2, 4, 1000]) {
    const route = ask(market, { amountIn: 10n ** 23n, maxSteps: 5, deadlineMs })
    assert.ok(route && route.steps.length <= 5)
  }
})

s('answers among 10,000 pools of dust within its time', () => {
  const dust = randomMarket(5, 10_000, 'abcdefghijklmnopqrstuvwxyz')
  const market = createMarket(dust)
  ask(market, { deadlineMs: 1 })
  const started = performance.now()
  const route = ask(market, { deadlineMs: 1 })
  assert.ok(route)
  assert.ok(performance.now() - started < 1000)
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

s('is never below the best single pool, and gains from more hops', () => {
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

s('gives the event loop its turns', async () => {
  const market = createMarket(randomMarket(3, 200, 'abcdefghijkl'))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
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
  const route = await findRouteInSlices(market, parameters, { sliceMs: 0 })
  clearInterval(timer)
  assert.equal(route, ask(market, question))
})

s.run()
