import type { Static } from 'typebox'
import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { startRoutingStand } from './testing/routingStand.ts'
import { verifyExecution } from './verifyExecution.ts'
import type { exactOutputResponse } from './wire/exactOutput.ts'
import type { disposalResponse } from './wire/lpDisposal.ts'
import type { QuoteResponse } from './wire/quote.ts'

/** Sentences of the document and of the decisions that no scenario of its own shows. */
const stand = await startRoutingStand()
const s = suite('promises of the routing service')
s.after(() => stand.close())

const { chainId, simulator, manifest } = stand
const [weth, usdc] = [stand.token('WETH'), stand.token('USDC')]
const oneEth = 10n ** 18n
const pair = { chain_id: chainId, token_in: weth, token_out: usdc }
const quote = (body: object = {}) =>
  stand.get<QuoteResponse>('/quote', { ...pair, amount_in: String(oneEth), ...body })
const exactOutputPath = (query: Record<string, string>) =>
  `/quote_exact_output?${new URLSearchParams({ ...pair, chain_id: String(chainId), ...query })}`
const exactOutput = (query: Record<string, string>) =>
  stand.get<Static<typeof exactOutputResponse>>(exactOutputPath(query))
const dispose = (legs: readonly object[], body: object = {}) =>
  stand.get<Static<typeof disposalResponse>>('/quote_lp_disposal', {
    chain_id: chainId,
    target_token: usdc,
    legs,
    ...body,
  })

s('takes 0xEeee…EEeE for the native currency, too [routing/native-eeee]', async () => {
  const eeee = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const [zero, other] = await Promise.all([
    quote({ token_in: zeroAddress }),
    quote({ token_in: eeee }),
  ])
  assert.is(other.output, zero.output)
  assert.is(other.execution?.value, '0xde0b6b3a7640000')
  const out = await quote({ token_in: usdc, token_out: eeee, amount_in: '1000000000' })
  assert.ok(BigInt(out.output) > 0n)
})

s('charges one unit for each candidate of a comparison [routing/compare-units]', async () => {
  const { execution, output } = await quote()
  const candidate = {
    target: execution?.target,
    approveTarget: execution?.spender,
    data: execution?.calldata,
    value: '0',
    inputToken: weth,
    outputToken: usdc,
    inputAmount: String(oneEth),
    quotedOutput: output,
  }
  for (const count of [1, 3]) {
    const before = stand.ledger.charged
    const candidates = Array.from({ length: count }, (_, at) => ({
      ...candidate,
      providerId: `source-${at}`,
    }))
    await stand.get('/compare/simulate', { chainId, candidates })
    assert.is(stand.ledger.charged, before + count)
  }
})

s('clamps an explicit amount to max_amount, too [routing/clamp-explicit]', async () => {
  const bound = String(oneEth / 4n)
  const { legs } = await dispose([
    { token: weth, amount: String(oneEth), max_amount: bound },
    { token: usdc, amount: '5000000', max_amount: '5000000' },
  ])
  assert.equal(
    legs.map((leg) => [leg.amount_source, leg.capped, leg.estimated_amount_in]),
    [
      ['explicit', true, bound],
      ['explicit', undefined, '5000000'],
    ],
  )
})

s('does not look at value_usd beside an amount [routing/value-beside-amount]', async () => {
  const leg = { token: weth, amount: String(oneEth) }
  const [alone] = (await dispose([leg])).legs
  for (const value_usd of [0, -5, 1e16, 1e-30, null]) {
    const [beside] = (await dispose([{ ...leg, value_usd }])).legs
    assert.is(beside?.amount_source, 'explicit')
    assert.is(beside?.estimated_amount_in, leg.amount)
    assert.is(beside?.quote?.output, alone?.quote?.output)
  }
})

s('quotes a token that two legs name in their order [routing/repeated-legs]', async () => {
  const amounts = [oneEth * 1_000n, oneEth * 1_000n, oneEth * 2_000n].map(String)
  const [first, second] = (
    await dispose(amounts.slice(0, 2).map((amount) => ({ token: weth, amount })))
  ).legs
  const [whole] = (await dispose([{ token: weth, amount: amounts[2] }])).legs
  const outputOf = (leg: typeof first) => BigInt(leg?.quote?.output ?? 0)
  assert.ok(outputOf(second) > 0n && outputOf(second) < outputOf(first))
  assert.ok(outputOf(first) + outputOf(second) <= outputOf(whole))
})

s('hands out no payload for an amount without a bound [routing/unbounded-estimate]', async () => {
  for (const routing_mode of ['deep', 'ultra']) {
    const { legs, complete } = await dispose(
      [
        { token: weth, value_usd: 1000 },
        { token: weth, value_usd: 1000, max_amount: String(oneEth) },
        { token: weth, amount: String(oneEth) },
      ],
      { allow_unbounded_estimate: true, routing_mode },
    )
    const [unbounded, ...bounded] = legs.map((leg) => leg.quote)
    assert.is(complete, true)
    assert.ok(unbounded && BigInt(unbounded.output) > 0n && unbounded.steps.length > 0)
    assert.is(unbounded.route_executable, false)
    assert.is(unbounded.route_readiness, 'unbounded_estimate')
    assert.is(unbounded.route_unexecutable_reason, 'unbounded_estimate')
    const { execution, router, calldata } = unbounded
    assert.equal([execution, router, calldata], [undefined, zeroAddress, '0x'])
    for (const quoted of bounded) assert.ok(quoted?.route_executable && quoted.execution)
  }
})

const sizes = { target_output: '1000000000', max_input: String(oneEth) }
/** The executor refuses to pay itself, so the dry run fails and there is no payload. */
const unexecutable = { ...sizes, verify: 'true', taker: manifest.executor }

s(
  'refuses an exact output without a payload, unless told otherwise [routing/executable-only]',
  async () => {
    for (const query of [unexecutable, { ...unexecutable, executable_only: 'true' }]) {
      const { status, code } = await stand.refusalOf(exactOutputPath(query))
      assert.equal([status, code], [404, 'no_route'])
    }
  },
)

s('answers it with the reason for executable_only=false [routing/executable-or-not]', async () => {
  const body = await exactOutput({ ...unexecutable, executable_only: 'false' })
  assert.is(body.route_executable, false)
  assert.is(body.route_unexecutable_reason, 'dry_run_failed')
  assert.is(body.execution, undefined)
})

s('never consumes more than max_input [routing/max-input]', async () => {
  const { input_consumed: needed } = await exactOutput(sizes)
  const exact = await exactOutput({ ...sizes, max_input: needed })
  assert.is(exact.route_executable, true)
  assert.ok(BigInt(exact.input_consumed) <= BigInt(needed))
  const short = String((BigInt(needed) * 99n) / 100n)
  const less = await exactOutput({ ...sizes, max_input: short })
  assert.is(less.route_executable, false)
  assert.ok(BigInt(less.input_consumed) <= BigInt(short))
  // So little gives nothing at all.
  const nothing = await exactOutput({ ...sizes, max_input: '1' })
  assert.is(nothing.route_unexecutable_reason, 'target_unreachable')
  assert.ok(BigInt(nothing.input_consumed) <= 1n)
})

s(
  'is verified down to one basis point below the output, and not below that [routing/verified-bound]',
  async () => {
    const quoted = await quote({ taker: stand.account })
    const { target, calldata, spender } = quoted.execution ?? {}
    if (!target || !calldata || !spender) throw new Error('there is a payload')
    const delivered = BigInt(quoted.output)
    const payload = { target, data: calldata, spender, value: 0n } as const
    const verify = (promised: bigint) =>
      verifyExecution(
        { simulator },
        {
          chainId,
          tokenIn: weth,
          tokenOut: usdc,
          amountIn: oneEth,
          execution: payload as Parameters<typeof verifyExecution>[1]['execution'],
          amountOut: promised,
          stateBlock: 0n,
        },
      )
    assert.is((await verify(delivered)).status, 'verified')
    assert.is((await verify((delivered * 10_000n) / 9_999n)).status, 'verified')
    const short = await verify((delivered * 10_000n) / 9_998n)
    assert.is(short.status, 'mismatched')
  },
)

s.run()
