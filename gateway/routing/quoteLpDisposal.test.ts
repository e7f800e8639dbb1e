import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { type DisposalLeg, type DisposalParameters, quoteLpDisposal } from './quoteLpDisposal.ts'
import type { RoutingChain } from './routingChain.ts'
import type { UsdPrice } from './usdPrices.ts'

const s = suite('disposals')
const { chain: generated, market } = createGeneratedChain({ pools: 60, tokens: 6, seed: 1 })
/** The first is the wrapped native currency, the last two have 18 decimals. */
const [target, one, other] = [0, 3, 4].map((at) => market.addresses[at]) as [
  Address,
  Address,
  Address,
]
const nobody: Address = '0x00000000000000000000000000000000000000aa'
const e18 = 10n ** 18n
/** Three dollars a whole token of 18 decimals, up to a thousand dollars. */
const price: UsdPrice = {
  usdPerRawE36: 3n * e18,
  origin: 'pools',
  ageSecs: 0,
  confidence: 1,
  depthUsd: 1_000,
}

async function dispose(
  legs: readonly DisposalLeg[],
  own: Partial<DisposalParameters> = {},
  change: Partial<RoutingChain> = {},
) {
  const chain: RoutingChain = {
    ...generated,
    usdPrices: async () => new Map([[one.toLowerCase(), price]]),
    ...change,
  }
  return quoteLpDisposal(
    {
      chains: new Map([[chain.chainId, chain]]),
      simulator: undefined,
      now: () => performance.now(),
      maxLagMs: 30_000,
    },
    {
      chainId: chain.chainId,
      targetToken: target,
      legs,
      slippageBps: 50,
      haircutBps: 0,
      mode: 'deep',
      allowPartial: false,
      ...own,
    },
  )
}
async function legsOf(...asked: Parameters<typeof dispose>) {
  const outcome = await dispose(...asked)
  if (outcome.status !== 'ok') throw new Error(outcome.status)
  return outcome.disposal.legs
}
/** A leg worth so many dollars. */
const worth = (valueUsd: number, own: Partial<DisposalLeg> = {}): DisposalLeg => ({
  token: one,
  valueUsd,
  valueUsdE18: BigInt(Math.round(valueUsd * 1e6)) * 10n ** 12n,
  ...own,
})

s(
  'sizes a leg by its value, floored, then by the haircut, floored [teeth/disposal-sizes]',
  async () => {
    // A dollar is a third of a token.
    const [leg] = await legsOf([worth(1)])
    assert.equal(
      [leg?.amountIn, leg?.amountSource, leg?.capped],
      [333_333_333_333_333_333n, 'value_usd', false],
    )
    assert.equal([leg?.price, leg?.valueUsd], [price, 1])
    const [cut] = await legsOf([worth(1)], { haircutBps: 100 })
    assert.is(cut?.amountIn, (333_333_333_333_333_333n * 9_900n) / 10_000n)
  },
)
s('sells no more than the most of a leg, and says so [teeth/disposal-sizes]', async () => {
  const most = 333_333_333_333_333_332n
  const [capped] = await legsOf([worth(1, { maxAmount: most })])
  assert.equal([capped?.amountIn, capped?.capped], [most, true])
  const [whole] = await legsOf([worth(1, { maxAmount: most + 1n })])
  assert.equal([whole?.amountIn, whole?.capped], [most + 1n, false])
  const [told] = await legsOf([{ token: other, amount: 10n ** 15n, maxAmount: 10n ** 14n }])
  assert.equal(
    [told?.amountIn, told?.capped, told?.amountSource, told?.price, told?.valueUsd],
    [10n ** 14n, true, 'explicit', undefined, 0],
  )
  // The haircut is off what a price made alone.
  const [exact] = await legsOf([{ token: other, amount: 10n ** 15n }], { haircutBps: 5_000 })
  assert.equal([exact?.amountIn, exact?.capped], [10n ** 15n, false])
})
s(
  'has no price for a leg that nobody prices, or deeper than its pools [teeth/disposal-sizes]',
  async () => {
    assert.equal(await dispose([{ token: other, amount: 1n }, worth(1, { token: other })]), {
      status: 'unpriced',
      leg: 1,
    })
    assert.is((await dispose([worth(1_000)])).status, 'ok')
    assert.equal(await dispose([worth(1_001)]), { status: 'unpriced', leg: 0 })
    assert.equal(await dispose([{ token: one, valueUsd: 1 }]), { status: 'unpriced', leg: 0 })
  },
)
s('is for sending only where something bounds what is held [teeth/disposal-payloads]', async () => {
  const [free, bound, told] = await legsOf([
    worth(1),
    worth(1, { maxAmount: e18 }),
    { token: other, amount: 10n ** 15n },
  ])
  assert.equal(
    [
      free?.quote?.executable,
      free?.quote?.execution,
      free?.quote?.readiness,
      free?.quote?.unexecutableReason,
    ],
    [false, undefined, 'unbounded_estimate', 'unbounded_estimate'],
  )
  for (const leg of [bound, told]) assert.ok(leg?.quote?.executable && leg.quote.execution)
  // What could not be sent anyway keeps its own reason.
  const [mute] = await legsOf([worth(1)], {}, { executor: undefined })
  assert.not(mute?.quote?.readiness === 'unbounded_estimate')
  assert.not(mute?.quote?.unexecutableReason === 'unbounded_estimate')
})
s('passes the target through, and sums up what all legs bring [teeth/disposal-sums]', async () => {
  const outcome = await dispose([
    { token: target, amount: 77n },
    { token: one, amount: 10n ** 15n },
    { token: other, amount: 10n ** 15n },
  ])
  if (outcome.status !== 'ok') throw new Error(outcome.status)
  const { legs, totalOutput, complete, failedLegs, targetToken } = outcome.disposal
  assert.equal(
    legs.map(({ passthrough, token }) => [passthrough, token]),
    [
      [true, target],
      [false, one],
      [false, other],
    ],
  )
  assert.is(legs[0]?.quote, undefined)
  const outputs = legs.slice(1).map(({ quote }) => quote?.amountOut ?? 0n)
  assert.ok(outputs.every((output) => output > 0n))
  assert.is(totalOutput, 77n + outputs.reduce((sum, output) => sum + output, 0n))
  assert.equal([complete, failedLegs, targetToken], [true, 0, target])
})
s('counts no liquidity twice [teeth/disposal-sums]', async () => {
  const amount = 10n ** 20n
  const [alone] = await legsOf([{ token: one, amount }])
  const [first, second] = await legsOf([
    { token: one, amount },
    { token: one, amount },
  ])
  assert.is(first?.quote?.amountOut, alone?.quote?.amountOut)
  assert.ok((second?.quote?.amountOut ?? 0n) < (first?.quote?.amountOut ?? 0n))
})
s(
  'fails with the first leg that has no route, or in part where that is allowed [teeth/disposal-fails]',
  async () => {
    const legs = [
      { token: one, amount: 10n ** 15n },
      { token: nobody, amount: 5n },
    ]
    assert.equal(await dispose(legs), { status: 'no_route', leg: 1 })
    const outcome = await dispose(legs, { allowPartial: true })
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    const { legs: found, complete, failedLegs, totalOutput } = outcome.disposal
    assert.equal(
      found.map(({ error }) => error),
      [undefined, 'no executable route found'],
    )
    assert.equal([complete, failedLegs, totalOutput], [false, 1, found[0]?.quote?.amountOut])
  },
)
s(
  'is unavailable where its chain is not there, or not read yet [teeth/disposal-fails]',
  async () => {
    const legs = [{ token: one, amount: 5n }]
    assert.equal(await dispose(legs, { chainId: 1 }), {
      status: 'unavailable',
      reason: 'the chain is not configured',
    })
    const sync = { ...generated.sync, fresh: async () => undefined }
    assert.is((await dispose(legs, {}, { sync })).status, 'unavailable')
  },
)

s(
  'sizes by the value alone where nobody says what it is in dollars [teeth/disposal-sizes]',
  async () => {
    const shallow = { ...price, depthUsd: 0.5 }
    const states: unknown[] = []
    const usdPrices: RoutingChain['usdPrices'] = async (asked) => {
      states.push(await asked)
      return new Map([[one.toLowerCase(), shallow]])
    }
    const [leg] = await legsOf([{ token: one, valueUsdE18: e18 / 4n }], {}, { usdPrices })
    assert.equal([leg?.amountIn, leg?.valueUsd], [e18 / 12n, 0])
    assert.ok(states.length === 1 && states[0] === generated.sync.current())
  },
)
s(
  'goes through no pool that is left out, from the state it has [teeth/disposal-fails]',
  async () => {
    const legs = [{ token: one, amount: 10n ** 15n }]
    const [best] = await legsOf(legs)
    assert.is(best?.quote?.source, 'local')
    const excludePools = (best?.quote?.steps ?? []).map(({ pool }) => pool.toLowerCase())
    const [other] = await legsOf(legs, { options: { excludePools } })
    const steps = other?.quote?.steps ?? []
    assert.ok(steps.length > 0 && excludePools.length > 0)
    assert.not(steps.some(({ pool }) => excludePools.includes(pool.toLowerCase())))
    // The very first of them, too.
    assert.equal(await dispose([{ token: nobody, amount: 5n }, ...legs]), {
      status: 'no_route',
      leg: 0,
    })
  },
)

s.run()
