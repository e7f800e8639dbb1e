import { assert, suite } from '../../fixtures/test.ts'
import { capWindowMs, defaultLimits, toCaps } from './limits.ts'

const s = suite('relay limits')

s('are those of the document where nothing else is set [relay/limits]', () => {
  assert.equal(defaultLimits, {
    gasCap: 200_000,
    maxRelayFeeWei: 2n * 10n ** 14n,
    minRelayerBalanceWei: 10n ** 15n,
    pendingWindowMs: 120_000,
    maxDeploysPerHour: 60,
    maxSpendPerHourWei: 2n * 10n ** 16n,
  })
  assert.equal(toCaps(defaultLimits), { maxPerHour: 60, maxSpendPerHourWei: 2n * 10n ** 16n })
  assert.is(capWindowMs, 60 * 60 * 1_000)
})
s.run()
