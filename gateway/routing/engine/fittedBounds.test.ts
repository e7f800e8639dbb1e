import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createRandom } from '../testing/random.ts'
import { fittedFamilies, randomFittedPool } from '../testing/randomFittedPool.ts'
import { mostProfit } from './edgeCurve.ts'
import { createMarket, edgesOfPool } from './market.ts'

/** Usage, for more than the suite has time for: `node gateway/routing/engine/fittedBounds.test.ts CASES SEED`. */
const [cases = 900, seed = 1] = process.argv.slice(2).map(Number)
const pricesEach = 10
/** Sizes of swaps that are tried, a fortieth of an octave apart or so. */
const sizes = 400
/** How much too much is allowed is told of trades whose units do not count. */
const leastTraded = 1e6
const { unit: random } = createRandom(seed)
const s = suite('what a bound lets fitted pools earn')

type Trade = { readonly x: number; readonly y: number }

/** Exact swaps of all sizes, from a unit to far beyond the curve's end. */
function tradesOf(pool: EnginePool, i: number, j: number): readonly Trade[] {
  const curve = pool.curve(i, j)
  const end = curve?.x[curve.count] ?? 0
  const amounts = Array.from({ length: sizes }, (_, k) =>
    BigInt(Math.ceil((16 * end) ** ((k + random()) / sizes))),
  )
  return [...new Set(amounts)].flatMap((amountIn) => {
    const swap = pool.swap(i, j, amountIn)
    return swap ? [{ x: Number(amountIn), y: Number(swap.amountOut) }] : []
  })
}

s('is never less than what swaps of any size earn [20/gap-fitted]', () => {
  let count = 0
  const errors: number[] = []
  const wrong: string[] = []
  for (let pools = 0; count < cases; pools += 1) {
    const family = fittedFamilies[pools % fittedFamilies.length] as string
    const pool = randomFittedPool(family, random)
    const market = createMarket([pool])
    for (const edge of edgesOfPool(market, { index: 0, tokens: pool.tokens })) {
      const trades = tradesOf(pool, market.edgeI[edge] as number, market.edgeJ[edge] as number)
      if (trades.length < 2) continue
      for (let price = 0; price < pricesEach; price += 1) {
        // A price somewhere between two swaps, a little off.
        const at = Math.floor(random() * (trades.length - 1))
        const [one, next] = trades.slice(at, at + 2) as [Trade, Trade]
        const priceFrom = (Math.max(next.y - one.y, 1) / (next.x - one.x)) * (0.9 + 0.2 * random())
        const best = trades.reduce((most, { x, y }) => Math.max(most, y - priceFrom * x), 0)
        const bound = mostProfit(market, edge, { priceFrom, priceTo: 1 })
        const traded = trades.reduce((most, { x, y }) => (y - priceFrom * x === best ? y : most), 1)
        count += 1
        if (traded > leastTraded) errors.push(((bound - best) / traded) * 1e4)
        // Pools round by units: a fee of less than one is none.
        if (bound + priceFrom + 1 >= best * (1 - 1e-9)) continue
        wrong.push(`${family}, price ${priceFrom}: ${bound} of ${best}`)
      }
    }
  }
  errors.sort((one, other) => one - other)
  const [half = 1e4, most = 1e4] = [0.5, 0.95].map(
    (part) => errors[Math.floor(part * errors.length)],
  )
  assert.ok(half < 15 && most < 500, `allowed too much: p50 ${half}, p95 ${most} bps`)
  assert.equal(wrong.slice(0, 10), [])
})

s.run()
