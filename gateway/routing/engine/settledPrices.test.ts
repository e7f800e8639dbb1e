import { pair, random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { mostProfit } from './edgeCurve.ts'
import { createMarket, type Market, updateMarket } from './market.ts'
import { settledPrices } from './settledPrices.ts'

const s = suite('settledPrices')
const tokens = [...'abcdefgh']
const worths = tokens.map((_, index) => 1 + index / 3)

/** All pairs of eight tokens, each pool off by as much as `drift` at most. */
function drifted(seed: number, drift: number) {
  const next = random(seed)
  return tokens.flatMap((one, from) =>
    tokens.slice(from + 1).map((other, place) => {
      const size = 1e9 * (0.1 + next())
      const off = 1 + drift * (2 * next() - 1)
      const to = from + 1 + place
      const reserves = [size / (worths[from] ?? 1), (off * size) / (worths[to] ?? 1)] as const
      return pair(`${one}${other}`, `${one}/${other}`, [
        Math.ceil(reserves[0]),
        Math.ceil(reserves[1]),
      ])
    }),
  )
}

/** What all pools bring at these prices. */
function profitAt(market: Market, logs: Float64Array): number {
  let profit = 0
  for (let edge = 0; edge < market.edgeFrom.length; edge++) {
    const [from, to] = [market.edgeFrom[edge] as number, market.edgeTo[edge] as number]
    const [priceFrom, priceTo] = [Math.exp(logs[from] ?? 0), Math.exp(logs[to] ?? 0)]
    profit += Math.max(0, mostProfit(market, edge, { priceFrom, priceTo }))
  }
  return profit
}
const indexOf = (market: Market, token: string) => market.tokenIndex.get(token) ?? -1
const settled = (market: Market, tokenOut: string) =>
  settledPrices(market, indexOf(market, tokenOut))?.logs ?? new Float64Array()

s('are what the pools say where they agree, in units of any token [20/settled-prices]', () => {
  const market = createMarket(drifted(1, 0))
  for (const out of tokens) {
    const logs = settled(market, out)
    for (const [index, token] of tokens.entries()) {
      const price = (worths[index] ?? 1) / (worths[tokens.indexOf(out)] ?? 1)
      const found = Math.exp(logs[indexOf(market, token)] ?? 0)
      // Within the fee, where no pool trades with another.
      assert.ok(Math.abs(found / price - 1) < 0.0031, `${token} in ${out}: ${found}, not ${price}`)
    }
  }
})

s('leave the pools less profit than prices nearby, where they disagree [20/settled-prices]', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const market = createMarket(drifted(seed, 0.05))
    const logs = settled(market, 'a')
    // In units of the hub, in which the profit is taken.
    const profit = profitAt(market, logs)
    assert.ok(profit > 0)
    const told = settledPrices(market, indexOf(market, 'a'))?.profit ?? 0
    assert.ok(Math.abs(told / profit - 1) < 1e-9, `${told}, and ${profit}`)
    for (const token of tokens.filter((one) => one !== 'a'))
      for (const step of [-1e-3, 1e-3]) {
        const moved = logs.slice()
        moved[indexOf(market, token)] = (logs[indexOf(market, token)] ?? 0) + step
        assert.ok(profitAt(market, moved) > profit, `seed ${seed}: ${token} ${step}`)
      }
  }
})

s('follow the pools into the next market, and are the same for whoever asks again', () => {
  const market = createMarket(drifted(3, 0.05))
  const before = settled(market, 'd')
  assert.equal(settled(market, 'd'), before)
  const later = updateMarket(market, drifted(4, 0.05).slice(0, 3))
  const after = settled(later, 'd')
  assert.not.equal(after, before)
  // As near as from the beginning.
  const anew = settled(
    createMarket([...drifted(4, 0.05).slice(0, 3), ...drifted(3, 0.05).slice(3)]),
    'd',
  )
  for (const [index, log] of after.entries())
    assert.ok(Math.abs(log - (anew[index] ?? 0)) < 1e-5, `${log}, anew ${anew[index]}`)
  assert.equal(settled(market, 'd'), before)
})

s('are told with what is left to trade where no step brings less [20/settled-prices]', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const market = createMarket(drifted(seed, 0.0065))
    const { logs, profit } = settledPrices(market, indexOf(market, 'a')) ?? {}
    const left = profitAt(market, logs ?? new Float64Array())
    assert.ok(Math.abs((profit ?? Number.NaN) - left) <= 1e-9 * left, `${seed}: ${profit}, ${left}`)
  }
})

s('stay while blocks leave as much to trade [20/settled-prices]', () => {
  const market = createMarket(drifted(5, 0.05))
  const logs = settled(market, 'd')
  const without = (id: string) =>
    drifted(5, 0.05).map((pool) => (pool.id === id ? { ...pool, curve: () => undefined } : pool))
  const after = (id: string) => settled(updateMarket(market, without(id)), 'd')
  // At these prices the one trades with no other.
  assert.equal(after('be'), logs)
  assert.not.equal(after('eg'), logs)
})

s('are not looked for among more than 128 tokens, nor told of a token that none leads to', () => {
  const ringOf = (count: number) =>
    createMarket(
      Array.from({ length: count }, (_, index) =>
        pair(`${index}`, `t${index}/t${(index + 1) % count}`, [1e6, 1e6]),
      ),
    )
  assert.equal(
    [128, 129].map((count) => Boolean(settledPrices(ringOf(count), 0))),
    [true, false],
  )
  const market = createMarket([...drifted(1, 0.05), pair('apart', 'x/y', [1e6, 1e6])])
  assert.is(settledPrices(market, indexOf(market, 'x')), undefined)
  assert.ok(settledPrices(market, indexOf(market, 'a')))
})
s.run()
