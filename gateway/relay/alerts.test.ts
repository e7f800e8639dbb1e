import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { alarmKinds, refusalCodes } from './events.ts'
import { quoteFees } from './fees.ts'
import { gates, type LedgerFacts, type PricedFacts, type SimulatedFacts } from './gates.ts'
import { defaultLimits as limits } from './limits.ts'
import { judgeLedger } from './signReservation.ts'

const alerts = suite('relay alerts')
const rules = readFileSync(join(import.meta.dirname, '../../docker/alerts/relay.yaml'), 'utf8')
const snapshot = {
  baseFeePerGasWei: 1n,
  priorityFeePerGasWei: 1n,
  l1FeeWei: 0n,
  gasEstimate: undefined,
  relayerNonce: 0,
  timestampMs: 0,
}
const fees = quoteFees(snapshot, { gasUsed: 70_000n, limits })
const priced: PricedFacts = { limits, fees, relayerBalance: 10n ** 18n }
const facts: SimulatedFacts & PricedFacts & LedgerFacts = {
  ...priced,
  amountIn: 1n,
  existingProxy: undefined,
  tokenBalance: undefined,
  nativeBalance: 0n,
  deploy: { status: 'reverted', reason: 'no' },
  marker: undefined,
  deploysThisHour: 60,
  spendThisHourWei: 0n,
  secsToRelief: 1,
}

alerts(
  'there is a rule for every refusal of the gate table, for the pause and for a missing nonce',
  () => {
    const ledger = {
      nowMs: 0,
      signer: zeroAddress,
      live: undefined,
      deploys: 0,
      spendWei: 0n,
      oldestMarkedAtMs: undefined,
      chainNonce: 0,
      nextNonce: 0,
      missingNonce: undefined,
      pausedReason: undefined,
    }
    const waits = [{ pausedReason: 'x' }, { missingNonce: 7 }].map(
      (one) => judgeLedger(priced, { ...ledger, ...one }).stopped?.answer,
    )
    const answers = [...gates.map(({ otherwise }) => otherwise(facts)), ...waits]
    const codes = answers.flatMap((answer) => (answer?.status === 'refused' ? [answer.code] : []))
    const known: readonly string[] = refusalCodes
    assert.equal(
      codes.filter((code) => !known.includes(code)),
      [],
    )
    for (const code of refusalCodes)
      assert.ok(rules.includes(`kind="answered",code="${code}"`), code)
  },
)

alerts('there is a rule for everything that needs a person', () => {
  for (const kind of alarmKinds) assert.ok(rules.includes(`{kind="${kind}"}`), kind)
})
alerts.run()
