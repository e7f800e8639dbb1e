import { assert, suite } from '../../../fixtures/test.ts'
import { lesser } from '../../amounts/amounts.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createMarket } from './market.ts'
import { at } from './pieces.ts'
import { replayRoute } from './replayRoute.ts'

const s = suite('replayRoute')
const whole = 1n << 64n

/** Pays a rate in percent, rounded down; may refuse, or take less than it is offered. */
function pay(
  id: string,
  tokens: string,
  own: { percent?: bigint; most?: bigint; gas?: number } = {},
) {
  const { percent = 100n, most = 1n << 200n, gas = 7 } = own
  const pool: EnginePool = {
    id,
    tokens: tokens.split('/'),
    gas,
    curve: () => undefined,
    swap: (_i, _j, offered) => {
      const amountIn = lesser(offered, most)
      return amountIn > 0n
        ? { amountIn, amountOut: (amountIn * percent) / 100n, next: pool }
        : undefined
    },
  }
  return pool
}

function replay(
  pools: readonly EnginePool[],
  flows: readonly (readonly [id: string, flow: number])[],
  amountIn = 1_000n,
) {
  const market = createMarket(pools)
  const idOf = (edge: number) => at(market.pools, market.edgePool[edge] as number)?.id
  const edgeOf = (id: string) =>
    [...market.edgeFrom.keys()].find(
      (edge) => idOf(edge) === id && (market.edgeI[edge] as number) === 0,
    ) ?? -1
  const result = replayRoute(market, {
    tokenIn: market.tokenIndex.get('a') ?? -1,
    tokenOut: market.tokenIndex.get('d') ?? -1,
    amountIn,
    plan: flows.map(([id, flow]) => ({ edge: edgeOf(id), flow })),
  })
  return result.status === 'refused' ? { ...result, id: idOf(result.edge) } : result
}
const routeOf = (...args: Parameters<typeof replay>) => {
  const result = replay(...args)
  if (result.status !== 'ok') throw new Error(result.status)
  return result.route
}

s('takes shares of what is left, and the last all of it [teeth/replay-route]', () => {
  const pools = [pay('x', 'a/d'), pay('y', 'a/d', { percent: 50n }), pay('z', 'a/d', { gas: 30 })]
  const { steps, ...route } = routeOf(pools, [
    ['x', 1],
    ['y', 1],
    ['z', 2],
  ])
  assert.equal(
    steps.map(({ poolId, share, amountIn, amountOut, shareBps, path }) => [
      poolId,
      share,
      amountIn,
      amountOut,
      shareBps,
      path,
    ]),
    [
      ['x', whole / 4n, 250n, 250n, 2_500, 0],
      // A third of what is left, rounded down.
      ['y', BigInt(Math.floor(2 ** 53 / 3)) << 11n, 249n, 124n, 2_500, 1],
      ['z', whole, 501n, 501n, 5_000, 2],
    ],
  )
  assert.equal(route, { amountIn: 1_000n, amountOut: 875n, gas: 44 })
})

s('sells what really arrived, under the path that brought most of it [teeth/replay-route]', () => {
  const pools = [
    pay('ab', 'a/b', { percent: 90n }),
    pay('ac', 'a/c'),
    pay('cb', 'c/b', { percent: 10n }),
    pay('bd', 'b/d', { percent: 200n }),
    pay('cd', 'c/d'),
  ]
  const { steps, amountOut } = routeOf(pools, [
    ['ac', 3],
    ['ab', 7],
    ['cb', 1],
    ['cd', 2],
    ['bd', 9],
  ])
  assert.equal(
    steps.map(({ poolId, path, shareBps }) => [poolId, path, shareBps]),
    [
      ['ac', 0, 3_000],
      ['ab', 1, 7_000],
      ['cb', 2, 1_000],
      ['cd', 0, 2_000],
      ['bd', 1, 8_000],
    ],
  )
  const [ac = 0n, ab = 0n, cb = 0n, cd = 0n, bd = 0n] = steps.map(({ amountIn }) => amountIn)
  assert.is(ac + ab, 1_000n)
  assert.is(cb + cd, ac)
  assert.is(bd, (ab * 90n) / 100n + cb / 10n)
  assert.is(amountOut, bd * 2n + cd)
  assert.equal(
    steps.map(({ tokenIn, tokenOut }) => `${tokenIn}${tokenOut}`),
    ['ac', 'ab', 'cb', 'cd', 'bd'],
  )
})

s('names the pool that reverts, pays nothing or cannot take all [teeth/replay-route]', () => {
  const bad = [
    pay('bad', 'a/d', { most: 0n }),
    pay('bad', 'a/d', { percent: 0n }),
    pay('bad', 'a/d', { most: 499n }),
  ]
  for (const pool of bad) {
    const result = replay(
      [pay('good', 'a/d'), pool],
      [
        ['good', 1],
        ['bad', 1],
      ],
    )
    assert.equal([result.status, 'id' in result && result.id], ['refused', 'bad'])
  }
})

s(
  'passes over a share of nothing, and has no route that leaves something [teeth/replay-route]',
  () => {
    const pools = [pay('x', 'a/d'), pay('y', 'a/d'), pay('ab', 'a/b'), pay('bd', 'b/d')]
    const dust = routeOf(
      pools,
      [
        ['x', 1],
        ['y', 1e6],
      ],
      1_000n,
    )
    assert.equal(
      dust.steps.map(({ poolId, amountIn }) => [poolId, amountIn]),
      [['y', 1_000n]],
    )
    assert.is(replay(pools, [['ab', 1]]).status, 'incomplete', 'b is left')
    assert.is(replay(pools, []).status, 'incomplete', 'a is left')
    assert.is(replay(pools, [], 0n).status, 'incomplete', 'nothing is bought')
  },
)
s.run()
