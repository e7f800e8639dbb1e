import fc from 'fast-check'
import { assert, suite } from '../../fixtures/test.ts'
import { type FeeSnapshot, quoteFees, quoteReplacement } from './fees.ts'
import { firstAnswer, gates, type LedgerFacts, type SimulatedFacts } from './gates.ts'
import { defaultLimits } from './limits.ts'

const table = suite('relay gate table')
const limits = defaultLimits
const proxy = '0x000000000000000000000000000000000000b0b0'
const simulated: SimulatedFacts = {
  limits,
  amountIn: 5n,
  existingProxy: undefined,
  tokenBalance: 5n,
  nativeBalance: 1n,
  deploy: { status: 'ok', gasUsed: 200_000n },
}
const snapshot: FeeSnapshot = {
  baseFeePerGasWei: 900_000_000n,
  priorityFeePerGasWei: 100_000_000n,
  l1FeeWei: 0n,
  gasEstimate: undefined,
  relayerNonce: 0,
  timestampMs: 0,
}
const fees = quoteFees(snapshot, { gasUsed: 200_000n, limits })
const priced = { limits, fees, relayerBalance: 1_000_000_000_000_000n }
const ledger: LedgerFacts = {
  limits,
  fees,
  marker: undefined,
  deploysThisHour: 59,
  spendThisHourWei: 20_000_000_000_000_000n - fees.reservedWei,
  secsToRelief: 1,
}

table('has the ten steps of the document, in order [relay/steps]', () => {
  assert.equal(
    gates.map(({ step, gate }) => `${step} ${gate}`),
    [
      '1 Proxy state',
      '2 Token balance',
      '3 Native balance',
      '4 Simulation',
      '5 Gas ceiling',
      '6 Fee ceiling',
      '7 Relayer funding',
      '8 Pending marker',
      '9 Hourly deploy cap',
      '10 Hourly spend budget',
    ],
  )
})
table('passes at every limit [relay/at-limits]', () => {
  assert.is(fees.feeWei, limits.maxRelayFeeWei)
  assert.is(firstAnswer('simulation', simulated), undefined)
  assert.is(firstAnswer('fees', priced), undefined)
  assert.is(firstAnswer('ledger', ledger), undefined)
})
table('stops one unit beyond every limit, at its own step [relay/beyond-limits]', () => {
  const stepOf = (stopped: ReturnType<typeof firstAnswer>) => stopped?.step
  const simulate = (change: Partial<SimulatedFacts>) =>
    stepOf(firstAnswer('simulation', { ...simulated, ...change }))
  assert.is(simulate({ existingProxy: proxy }), 1)
  assert.is(simulate({ tokenBalance: 4n }), 2)
  assert.is(simulate({ tokenBalance: undefined }), 2)
  assert.is(simulate({ amountIn: 0n, tokenBalance: 0n }), 2)
  assert.is(simulate({ nativeBalance: 0n }), 3)
  assert.is(simulate({ deploy: { status: 'reverted', reason: 'no' } }), 4)
  assert.is(simulate({ deploy: { status: 'ok', gasUsed: 200_001n } }), 5)
  const dear = { ...fees, feeWei: limits.maxRelayFeeWei + 1n }
  assert.is(stepOf(firstAnswer('fees', { ...priced, fees: dear })), 6)
  assert.is(stepOf(firstAnswer('fees', { ...priced, relayerBalance: 10n ** 15n - 1n })), 7)
  const mark = { status: 'pending', txHash: '0x01', proxy } as const
  const judge = (change: Partial<LedgerFacts>) =>
    stepOf(firstAnswer('ledger', { ...ledger, ...change }))
  assert.is(judge({ marker: mark, deploysThisHour: 60 }), 8)
  assert.is(judge({ deploysThisHour: 60 }), 9)
  assert.is(judge({ spendThisHourWei: ledger.spendThisHourWei + 1n }), 10)
})

table('answers each step in the words of the document [teeth/gate-answers]', () => {
  const mark = { status: 'pending', txHash: '0x01', proxy } as const
  const facts = { ...simulated, ...priced, ...ledger, marker: mark, secsToRelief: 77 }
  const deploy = { status: 'reverted', reason: `a${'b'.repeat(254)}cd` } as const
  const answers = gates.map(({ otherwise }) => {
    const answer = otherwise({ ...facts, existingProxy: proxy, deploy })
    if (answer?.status !== 'refused') return answer
    return [answer.httpStatus, answer.code, answer.sentence, answer.retryAfterSecs]
  })
  assert.equal(answers, [
    { status: 'existing', proxy },
    [400, 'insufficient_token_balance', 'owner balance does not cover this amount', undefined],
    [400, 'no_native_balance', 'owner has no native balance', undefined],
    [400, 'simulation_reverted', `simulation reverted: a${'b'.repeat(254)}c`, undefined],
    [400, 'gas_cap_exceeded', 'proxy deployment exceeds the sponsored gas cap', undefined],
    [503, 'fee_ceiling_exceeded', 'relay fee ceiling exceeded on this chain right now', 15],
    [503, 'relay_not_funded', 'relay is not funded on this chain', 60],
    mark,
    [429, 'deploy_cap_reached', 'sponsored proxy deploy limit is exhausted this hour', 77],
    [429, 'spend_budget_exhausted', 'relay spend budget for this chain is exhausted this hour', 77],
  ])
  const zero = firstAnswer('simulation', { ...simulated, amountIn: 0n })
  assert.equal(zero?.step, 2)
  assert.match(JSON.stringify(zero), '"httpStatus":400,"code":"invalid_request"')
  assert.is(firstAnswer('simulation', { ...simulated, amountIn: 1n, tokenBalance: 1n }), undefined)
})

table(
  'counts the worst case of the bytes into the budget, not the price of now [relay/worst-case]',
  () => {
    const cheap = { ...snapshot, baseFeePerGasWei: 10_000_000n, priorityFeePerGasWei: 0n }
    const quote = quoteFees(cheap, { gasUsed: 100_000n, limits })
    assert.ok(quote.reservedWei > quote.feeWei)
    const stepAt = (spendThisHourWei: bigint) =>
      firstAnswer('ledger', { ...ledger, fees: quote, spendThisHourWei })?.step
    const roomWei = limits.maxSpendPerHourWei - quote.reservedWei
    assert.is(stepAt(roomWei), undefined)
    assert.is(stepAt(roomWei + 1n), 10)
    assert.is(stepAt(limits.maxSpendPerHourWei - quote.feeWei), 10)
  },
)

table(
  "Arbitrum's L1 data, gas of the estimate, counts into price, limit and reservation [relay/l1-fee]",
  () => {
    const prices = { baseFeePerGasWei: 10_000_000n, priorityFeePerGasWei: 0n }
    const quoteAt = (gasEstimate: bigint) =>
      quoteFees({ ...snapshot, ...prices, gasEstimate }, { gasUsed: 72_000n, limits })
    const quote = quoteAt(150_000n)
    assert.is(quote.feeWei, 150_000n * 10_000_000n)
    assert.ok(quote.gasLimit >= 150_000n && quote.reservedWei >= quote.feeWei)
    assert.is(firstAnswer('fees', { ...priced, fees: quote }), undefined)
    const dear = firstAnswer('fees', { ...priced, fees: quoteAt(200_001n) })
    assert.is(dear?.step, 6)
    assert.is(quoteAt(21_000n).gas, 72_000n)
  },
)

const wei = (max: bigint) => fc.bigInt({ min: 0n, max })
table(
  'whatever gate 6 passes, the signed bytes cost at most the ceiling and at least the price',
  () => {
    fc.assert(
      fc.property(
        fc.record({
          baseFeePerGasWei: wei(4_000_000_000n),
          priorityFeePerGasWei: wei(1_000_000_000n),
          l1FeeWei: wei(300_000_000_000_000n),
          gasEstimate: fc.option(wei(400_000n), { nil: undefined }),
        }),
        fc.bigInt({ min: 21_000n, max: 200_000n }),
        (fees, gasUsed) => {
          const read = { ...snapshot, ...fees }
          const quote = quoteFees(read, { gasUsed, limits })
          if (firstAnswer('fees', { ...priced, fees: quote })) return
          assert.ok(quote.reservedWei <= limits.maxRelayFeeWei)
          assert.ok(quote.gasLimit >= gasUsed && quote.gasLimit <= 200_000n)
          assert.ok(quote.maxFeePerGasWei >= fees.baseFeePerGasWei + fees.priorityFeePerGasWei)
          assert.ok(quote.maxFeePerGasWei >= quote.maxPriorityFeePerGasWei)
          const again = quoteReplacement(quote, quote)
          assert.ok(again.maxFeePerGasWei * 8n >= quote.maxFeePerGasWei * 9n)
          assert.ok(again.maxPriorityFeePerGasWei * 8n >= quote.maxPriorityFeePerGasWei * 9n)
          assert.is(again.feeWei, again.gasLimit * again.maxFeePerGasWei + fees.l1FeeWei)
        },
      ),
      { numRuns: 5_000 },
    )
  },
)
table.run()
