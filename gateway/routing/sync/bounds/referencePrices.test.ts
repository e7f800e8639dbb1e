import { assert, suite } from '../../../../fixtures/test.ts'
import type { ConcentratedRecord } from '../../protocols/concentrated/concentratedRecord.ts'
import type { QuotedRecord } from '../../protocols/quoted/quotedChain.ts'
import {
  against,
  basket,
  boundMarket,
  dai,
  e18,
  fake,
  honest,
  pair,
  usd,
  usdc,
} from '../../testing/boundMarket.ts'
import { standingAt } from './referencePrices.ts'

/** What a pool is worth, where somebody names false prices of hubs and takes nothing in the way of it. */
const s = suite('prices of reference assets')

s('money that nobody can trade away prices no reference asset [bounds/untradable]', () => {
  const fair = pair([dai, usdc], [100_000n * e18, usd(100_000)])
  const absurd = pair([dai, usdc], [e18, usd(1_000_000)])
  for (const shut of [
    { ...absurd, feePips: 1_000_000 },
    { ...absurd, parts: [{ address: fake(9), codeHash: undefined }] },
  ]) {
    const { begin, come } = boundMarket()
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
    const { begin, come } = boundMarket()
    begin([honest, fair, shut])
    assert.is(come(pair([fake(1), dai], [10n ** 30n, e18])), 0)
    assert.is(come(pair([fake(1), dai], [10n ** 30n, 200n * e18])), 1)
  }
  assert.is(standingAt(ranged(even, { from: 0, to: 100, liquidity }), dai), 0)
})

s('nor does it price what pools without a reference asset lean on [bounds/one-sided-token]', () => {
  const { begin, come } = boundMarket()
  const range = { from: -346_324, to: -345_404, liquidity: 10n ** 21n }
  begin([honest, against(fake(3), 100_000, 100_000), ranged(1e-15, range, fake(3))])
  assert.is(come(pair([fake(3), fake(4)], [200n * e18, e18])), 1)
})

s('nor does what a quoter prices after a fee of its own [bounds/untradable-quoted]', () => {
  const fair = pair([dai, usdc], [100_000n * e18, usd(100_000)])
  const even = basket([usdc, dai], 1_000) as QuotedRecord
  for (const left of [1_000n, 990n, 1n, 0n]) {
    const { begin, come } = boundMarket()
    const outputs = even.outputs.map((output) => (output * left) / 1_000n)
    begin([honest, fair, { ...even, held: [usd(1_000_000), 10n * e18], outputs }])
    const backed = pair([fake(1), dai], [10n ** 30n, 200n * e18])
    assert.is(come(backed), 1, `${left} of 1000 are left`)
  }
})
s.run()
