import type { Static } from 'typebox'
import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { startRoutingStand } from './testing/routingStand.ts'
import type { exactOutputResponse } from './wire/exactOutput.ts'
import type { DisposalBody, disposalResponse } from './wire/lpDisposal.ts'

const stand = await startRoutingStand()
const { chainId, account, token } = stand
const s = suite('positions and exact outputs')
s.after(() => stand.close())

const [weth, usdc] = [token('WETH'), token('USDC')]
const oneEth = '1000000000000000000'
type Disposal = Static<typeof disposalResponse>
const dispose = (body: Partial<DisposalBody>) =>
  stand.get<Disposal>('/quote_lp_disposal', { chain_id: chainId, target_token: usdc, ...body })
const exactOutput = (query: Record<string, string>) =>
  stand.get<Static<typeof exactOutputResponse>>(
    `/quote_exact_output?${new URLSearchParams({
      chain_id: String(chainId),
      token_in: weth,
      token_out: usdc,
      ...query,
    })}`,
  )

s(
  'solves an exact output for the least input, and its payload delivers it [routing/exact-output]',
  async () => {
    await stand.approve([weth])
    for (const target_output of ['1', '1234567', '987654321', '50000000000']) {
      const max_input = `100${'0'.repeat(18)}`
      const body = await exactOutput({ target_output, max_input, taker: account })
      assert.is(body.source, 'SmartRouter:exact_output_via_exact_input')
      assert.ok(BigInt(body.output) >= BigInt(target_output))
      assert.is(body.optimality_gap_bps, undefined)
      assert.is(BigInt(body.min_output), (BigInt(body.output) * 9_950n) / 10_000n)
      if (!body.execution) throw new Error('there is a payload')
      const before = await stand.balanceOf(weth)
      assert.is(await stand.execute(body.execution, usdc), BigInt(body.output))
      assert.is(before - (await stand.balanceOf(weth)), BigInt(body.input_consumed))
    }
  },
)

s('verifies an exact output where it is asked to [routing/exact-verify]', async () => {
  const sizes = { target_output: '1000000', max_input: oneEth }
  assert.is((await exactOutput({ ...sizes, verify: 'true' })).route_readiness, 'verified')
})

s('answers an unreachable target with 200 and the reason [routing/unreachable]', async () => {
  const body = await exactOutput({ target_output: `1${'0'.repeat(18)}`, max_input: '1000000' })
  assert.is(body.route_executable, false)
  assert.is(body.route_unexecutable_reason, 'target_unreachable')
  assert.is(body.execution, undefined)
})

s(
  'charges one unit for each leg that is routed, sixteen for an exact output [routing/units]',
  async () => {
    const before = stand.ledger.charged
    await dispose({
      legs: [
        { token: weth, amount: oneEth },
        { token: zeroAddress, amount: oneEth },
        { token: usdc, amount: '1' },
      ],
    })
    assert.is(stand.ledger.charged, before + 2)
    await exactOutput({ target_output: '1', max_input: oneEth })
    assert.is(stand.ledger.charged, before + 18)
  },
)

s('routes the legs of a position, each on what the legs before left [routing/legs]', async () => {
  const body = await dispose({
    legs: [
      { token: token('cbBTC'), value_usd: 1000, max_amount: '100000000' },
      { token: token('AERO'), value_usd: 1000, max_amount: '1000000000000000' },
      { token: weth, amount: `2000${'0'.repeat(18)}` },
      { token: zeroAddress, amount: `2000${'0'.repeat(18)}` },
      { token: usdc, amount: '5000000' },
    ],
  })
  assert.is(body.complete, true)
  assert.is(body.failed_legs, 0)
  const [valued, capped, first, second, passthrough] = body.legs
  const outputOf = (leg: typeof first) => BigInt(leg?.quote?.output ?? 0)
  assert.ok(outputOf(second) > 0n && outputOf(second) < outputOf(first))
  assert.is(passthrough?.passthrough, true)
  assert.is(passthrough?.quote, undefined)
  assert.is(valued?.amount_source, 'value_usd')
  assert.is(valued?.capped, undefined)
  assert.is(first?.amount_source, 'explicit')
  // The slippage of who says nothing of it.
  assert.is(BigInt(first?.quote?.min_output ?? 0), (outputOf(first) * 9_950n) / 10_000n)
  // 1,000 USD less half a percent, less what the swap costs.
  const delivered = Number(outputOf(valued)) / 1e6
  assert.ok(delivered > 960 && delivered < 996, `${delivered}`)
  assert.is(capped?.capped, true)
  assert.is(capped?.estimated_amount_in, '1000000000000000')
  const sum = body.legs.reduce(
    (total, leg) => total + BigInt(leg.quote?.output ?? leg.estimated_amount_in),
    0n,
  )
  assert.is(body.total_estimated_output, sum.toString())
})

s(
  'clamps to a bound below the haircut amount, also where the leg passes through [routing/clamp]',
  async () => {
    const { legs } = await dispose({
      legs: [
        { token: weth, value_usd: 1000, max_amount: `1${'0'.repeat(12)}` },
        { token: usdc, value_usd: 1000, max_amount: '77' },
      ],
    })
    assert.equal(
      legs.map(({ capped, estimated_amount_in }) => [capped, estimated_amount_in]),
      [
        [true, '1000000000000'],
        [true, '77'],
      ],
    )
  },
)

s(
  'reports a failed leg in place with allow_partial, and refuses the whole without [routing/failed-leg]',
  async () => {
    const legs = [
      { token: weth, amount: oneEth },
      { token: '0x00000000000000000000000000000000000000aa' as const, amount: '1' },
    ]
    const body = { chain_id: chainId, target_token: usdc, legs }
    const refused = await stand.refusalOf('/quote_lp_disposal', body)
    assert.is(refused.status, 404)
    assert.is(refused.details?.[0]?.field, 'legs[1]')
    const partial = await dispose({ legs, allow_partial: true })
    assert.is(partial.complete, false)
    assert.is(partial.failed_legs, 1)
    assert.type(partial.legs[1]?.error, 'string')
  },
)

s.run()
