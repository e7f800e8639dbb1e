import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import type { Disposal } from '../quoteLpDisposal.ts'
import {
  type DisposalBody,
  disposalResponse,
  fromDisposal,
  toDisposal,
  toUsdE18,
} from './lpDisposal.ts'

const s = suite('USD values')

s(
  'are read as the decimal that was written, not as its binary fraction [routing/decimal-usd]',
  () => {
    const cases: readonly (readonly [number, bigint])[] = [
      [0.1, 10n ** 17n],
      [1234.56, 1_234_560_000_000_000_000_000n],
      [1e-7, 10n ** 11n],
      [1e-18, 1n],
      [1e-19, 0n],
      [1e15, 10n ** 33n],
      [1.5e-18, 1n],
      [1.5e-17, 15n],
      [2, 2n * 10n ** 18n],
    ]
    for (const [value, expected] of cases) assert.is(toUsdE18(value), expected, String(value))
  },
)

const [token, target] = [
  '0x4200000000000000000000000000000000000006',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
] as const

s(
  'an amount that is given counts before a value, and a bound beside either [teeth/wire-disposal]',
  () => {
    const body = {
      chain_id: 1,
      target_token: target.toLowerCase(),
      slippage_bps: 50,
      amount_haircut_bps: 40,
      allow_partial: true,
      legs: [
        { token: token.toLowerCase(), value_usd: 2 },
        { token, value_usd: 2, amount: '7', max_amount: '9' },
        { token, value_usd: null },
      ],
    } as unknown as DisposalBody
    const read = toDisposal(body)
    assert.equal(
      [read.targetToken, read.mode, read.haircutBps, read.allowPartial],
      [target, 'deep', 40, true],
    )
    assert.is(toDisposal({ ...body, routing_mode: 'ultra' }).mode, 'ultra')
    assert.equal(read.legs, [
      { token, valueUsd: 2, valueUsdE18: 2n * 10n ** 18n, maxAmount: undefined },
      { token, valueUsd: 2, amount: 7n, maxAmount: 9n },
      { token, valueUsd: undefined, valueUsdE18: undefined, maxAmount: undefined },
    ])
  },
)
s('tells of each leg what there is of it [teeth/wire-disposal]', () => {
  const leg = { token, valueUsd: 0, amountIn: 5n, amountSource: 'explicit', passthrough: true }
  const price = { origin: 'pools', ageSecs: 3, confidence: 0.123456 }
  const disposal = {
    chainId: 1,
    targetToken: target,
    complete: false,
    failedLegs: 1,
    totalOutput: 8n,
    legs: [leg, { ...leg, passthrough: false, capped: true, price, error: 'why' }],
  } as unknown as Disposal
  const answer = fromDisposal(disposal, { serviceName: 'S' })
  assert.is(checkShape(disposalResponse, answer), undefined)
  const told = { token, value_usd: 0, estimated_amount_in: '5', amount_source: 'explicit' }
  const priced = { source: 'pools', age_secs: 3, confidence: 0.1235 }
  assert.equal(answer, {
    chain_id: 1,
    target_token: target,
    complete: false,
    failed_legs: 1,
    total_estimated_output: '8',
    legs: [
      { ...told, passthrough: true },
      { ...told, passthrough: false, capped: true, price: priced, error: 'why' },
    ],
  } as never)
})

s.run()
