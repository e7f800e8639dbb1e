import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { evenPool as even } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { evenOutput as out } from '../testing/solveForward.ts'
import { boundOutput } from './boundOutput.ts'
import { createMarket } from './market.ts'
import { frameBetween } from './searchFrame.ts'
import { settledPrices } from './settledPrices.ts'
import { tightenBound } from './tightenBound.ts'

const s = suite('tightenBound')
const amountIn = 1e5

type Own = {
  readonly gasPrice?: number
  /** What the route brings, and what is near enough to it. */
  readonly net: number
  readonly enough?: number
  readonly isOver?: () => boolean
  readonly prices: Readonly<Record<string, number>>
}

/** A bound at some prices, and what comes of it. */
function tighten(
  pools: readonly EnginePool[],
  { gasPrice = 0, net, enough = net * (1 + 1e-9), isOver = () => false, prices: told }: Own,
) {
  const market = createMarket(pools)
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  const [tokenIn, tokenOut] = [numberOf('a'), numberOf('d')]
  const prices = new Float64Array(market.tokens.length)
  for (const [token, price] of Object.entries({ ...told, d: 1 })) prices[numberOf(token)] = price
  const frame = frameBetween(market, { tokenIn, tokenOut, maxHops: 4, gasPrice })
  const first = boundOutput(market, frame, { prices, amountIn })
  frame.effort.spent = 0
  const search = tightenBound(market, frame, { first, amountIn, net, enough, isOver })
  for (let pieces = 0; ; pieces += 1) {
    const step = search.next()
    if (!step.done) continue
    const again = boundOutput(market, frame, { prices: step.value.prices, amountIn })
    near(step.value.bound, again.bound, 1e-12)
    const { bound, prices: found } = step.value
    const priceOf = (token: string) => found[numberOf(token)] as number
    const profit = settledPrices(market, tokenOut)?.profit ?? 0
    return { first, bound, pieces, work: frame.effort.spent, priceOf, profit }
  }
}

s('comes down to what the best split brings, from whatever prices', () => {
  const pools = [
    even('ab', 'a/b', { depth: 2e6 }),
    even('bd', 'b/d', { depth: 2e6 }),
    even('ad', 'a/d', { depth: 9e6 }),
  ]
  const net = out(1e7, amountIn)
  for (const prices of [
    { a: 0.9, b: 0.8 },
    { a: 0.99, b: 0.999 },
    { a: 2, b: 0.3 },
  ]) {
    const { first, bound } = tighten(pools, { net, prices })
    assert.ok(bound <= first.bound)
    near(bound, net, 1e-8)
  }
})

s('leaves what is near enough, and what there is no time for', () => {
  const pools = [even('ad', 'a/d', { depth: 1e6 }), even('ad2', 'a/d', { depth: 1e6 })]
  const net = out(2e6, amountIn)
  const prices = { a: 0.92 }
  const { first, bound, work } = tighten(pools, { net, prices, isOver: () => true })
  assert.ok(bound <= first.bound && work < 100)
  const already = tighten(pools, { net, prices, enough: first.bound })
  assert.equal([already.bound, already.pieces], [first.bound, 0])
})

s('goes without pools that earn less than their gas', () => {
  // At the best prices of both the small one earns 98, and both pay 200.
  const pools = [even('big', 'a/d', { depth: 9e6 }), even('small', 'a/d', { depth: 1e6 })]
  const net = out(9e6, amountIn) - 200
  const { bound } = tighten(pools, { gasPrice: 200, net, prices: { a: 0.9 } })
  near(bound, net, 1e-8)
})

s('never comes below what some route brings, however far it is looked for', () => {
  const next = [0.7, 1.4, 0.9, 1.1, 1.25]
  const pools = next.flatMap((rate, k) => [
    even(`ab${k}`, 'a/b', { rate, depth: 1e5 * (k + 1), gas: 10 }),
    even(`bd${k}`, 'b/d', { rate: 1.5 / rate, depth: 2e5 * (k + 1), gas: 10 }),
    even(`ba${k}`, 'b/a', { rate: 0.9 / rate, depth: 1e5, gas: 10 }),
  ])
  for (const gasPrice of [0, 1, 30]) {
    // All through the best pool of each two.
    const best = next.map((rate, k) => {
      const some = rate * out(1e5 * (k + 1), amountIn)
      return Math.max(
        ...next.map((other, j) => (1.5 / other) * out(2e5 * (j + 1), some) - 20 * gasPrice),
      )
    })
    const net = Math.max(...best)
    const { first, bound } = tighten(pools, { gasPrice, net, prices: { a: 1, b: 1 } })
    assert.ok(bound >= net && bound <= first.bound, `${bound}, ${net} of ${first.bound}`)
  }
})
const bothWays = (tokens: string, rate = 1) => {
  const back = [...tokens].toReversed().join('')
  return [even(tokens, tokens, { rate }), even(back, back)]
}

s('begins at the prices of the market itself where these bound closer', () => {
  const circle = ['a/b', 'b/d', 'a/d'].flatMap((tokens) => bothWays(tokens))
  const own = { net: 1, enough: 0, prices: { a: 2, b: 0.3 } }
  // Where each is worth as much as the others, no pool earns.
  const begun = tighten(circle, { ...own, isOver: () => true })
  near(begun.bound, amountIn, 1e-9)
  // From there, and then from where the flow was.
  const { bound, pieces } = tighten(circle, own)
  near(bound, out(1.5e6, amountIn), 1e-8)
  assert.is(pieces, 2)
})

s('looks once where the trades of the pools with each other are in the way', () => {
  const pools = [
    ...bothWays('a/b'),
    ...bothWays('b/d'),
    ...bothWays('b/c', 1.2),
    ...bothWays('c/d'),
  ]
  const best = tighten(pools, { net: 0, enough: 0, prices: { a: 1, b: 1, c: 1 } })
  const [a = 0, b = 0, c = 0] = [...'abc'].map(best.priceOf)
  const enough = best.bound - 100
  const look = (net: number) => tighten(pools, { net, enough, prices: { a: 1.01 * a, b, c } })
  const [inVain, may] = [1, -1].map((more) => look(enough - best.profit + more))
  assert.ok(best.profit > 100, `${best.profit}`)
  assert.equal([inVain?.pieces, may?.pieces], [2, 3])
})

s('looks again where it came nearer by a tenth of what is left', () => {
  const pools = [even('ad', 'a/d'), even('ad2', 'a/d')]
  const net = out(2e6, amountIn)
  // About one above the best.
  const prices = { a: (2 / 2.1) ** 2 + 0.0013 }
  const pieces = (enough: number) => tighten(pools, { net, enough, prices }).pieces
  assert.equal([pieces(net - 1_000), pieces(net - 1)], [1, 3])
})

s('is not led away by what is on no way, leads back, or is sold to nobody', () => {
  const way = [
    even('ab', 'a/b', { depth: 2e6 }),
    even('bd', 'b/d', { depth: 2e6 }),
    even('ad', 'a/d', { depth: 9e6 }),
  ]
  const apart = [even('bx', 'b/x', { rate: 9 }), even('xb', 'x/b', { rate: 9 })]
  const back = [even('ba', 'b/a', { rate: 9 }), even('db', 'd/b', { rate: 9 })]
  const unsold = [even('ay', 'a/y'), even('by', 'b/y'), even('yz', 'y/z'), even('bz', 'b/z')]
  const net = out(1e7, amountIn)
  for (const more of [apart, back, unsold]) {
    const { bound } = tighten([...way, ...more], { net, prices: { a: 0.9, b: 0.8 } })
    near(bound, net, 1e-8)
  }
})

s('solves no more than 128 tokens at once', () => {
  const chain = (count: number) => {
    const tokens = ['a', ...Array.from({ length: count - 1 }, (_, k) => `t${k}`), 'd']
    const pools = tokens.slice(1).map((token, k) => even(`p${k}`, `${tokens[k]}/${token}`))
    return tighten(pools, { net: 1, enough: 0, prices: {} }).pieces > 0
  }
  assert.equal([chain(128), chain(129)], [true, false])
})

s('weighs gas by what each token is worth', () => {
  const pools = [
    even('big', 'a/b', { depth: 9e6 }),
    even('small', 'a/b', { depth: 1e6 }),
    even('bd', 'b/d', { rate: 2, depth: 1e14, gas: 0 }),
  ]
  const net = 2 * out(9e6, amountIn) - 400
  const { bound } = tighten(pools, { gasPrice: 400, net, prices: { a: 1.8, b: 2 } })
  near(bound, net, 1e-7)
})
s.run()
