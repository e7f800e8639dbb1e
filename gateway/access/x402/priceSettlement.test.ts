import { assert, suite } from '../../../fixtures/test.ts'
import { judgeCaps, raisedPrices } from './priceSettlement.ts'

const s = suite('x402/priceSettlement')
const limits = { maxFeeWei: 1_100n, maxPerHour: 3, maxSpendPerHourWei: 5_000n }
const prices = { gasLimit: 100n, maxFeePerGasWei: 10n, maxPriorityFeePerGasWei: 1n }
/** The worst case of one is 1,000 of gas and `l1FeeWei`. */
const judge = (l1FeeWei: bigint, count = 0, spendWei = 0n) =>
  judgeCaps(limits, { prices, l1FeeWei, book: { count, spendWei } })

s('lets exactly as many through in an hour as the cap says [x402/caps-exact]', () => {
  assert.is(judge(0n, 2), undefined)
  assert.is(judge(0n, 3), 'hourly_cap')
})
s(
  'lets a worst case of exactly the ceiling through, data fee included [x402/ceiling-exact]',
  () => {
    assert.is(judge(100n), undefined)
    assert.is(judge(101n), 'fee_ceiling')
  },
)
s('lets the hour spend exactly its budget, with the data fee of each [x402/spend-exact]', () => {
  assert.is(judge(0n, 2, 4_000n), undefined)
  assert.is(judge(0n, 2, 4_001n), 'hourly_spend')
  assert.is(judge(100n, 2, 3_700n), undefined)
  assert.is(judge(100n, 2, 3_701n), 'hourly_spend')
})

s('raises a stuck one to the price of now, at least by an eighth, at most to its ceiling', () => {
  const last = { gasLimit: 100n, maxFeePerGasWei: 8_000_000n, maxPriorityFeePerGasWei: 1_000_000n }
  const raise = (baseFeePerGasWei: bigint, maxFeeWei = 10n ** 18n) =>
    raisedPrices(last, { facts: { baseFeePerGasWei, l1FeeWei: 100n }, maxFeeWei })
  assert.is(raise(20_000_000n).maxFeePerGasWei, 41_000_000n)
  assert.is(raise(1_000_000n).maxFeePerGasWei, 9_000_000n)
  assert.is(raise(20_000_000n, 2_000_000_100n).maxFeePerGasWei, 20_000_000n)
  // Nodes take no less: the caps then keep it as it is.
  assert.is(raise(20_000_000n, 800_000_000n).maxFeePerGasWei, 9_000_000n)
  assert.is(raise(20_000_000n).maxPriorityFeePerGasWei, 1_125_000n)
})

s.run()
