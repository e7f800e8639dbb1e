import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { createPerson, startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import type { AccessDeps } from '../sale/accessConfig.ts'
import { encodeHeader } from '../sale/paymentRequired.ts'
import { decodePaymentHeader } from './paymentPayload.ts'
import { readOffers } from './readOffers.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

const s = suite('access/x402/tellSettlementCaps')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-caps-'))
const world = await startWorldChain({ chainId: 8453 })
const parts = {
  worlds: [world],
  path: join(dir, 'shared.sqlite'),
  isSettling: true,
  endpoints: [workEndpoint],
}
const stands = [await startAccessStand(parts), await startAccessStand(parts)] as const
s.after(async () => {
  for (const stand of stands) await stand.close()
  await world.close()
  rmSync(dir, { recursive: true })
})
const base = stands[0].chain(8453)

/** One gateway of the database, under caps of its own, and what it logged as a warning. */
function gatewayOf({ deps }: (typeof stands)[number], maxPerHour: number) {
  const warnings: unknown[] = []
  const contracts = deps.config.contracts.map((contract) => ({
    ...contract,
    ...(contract.settlement && {
      settlement: {
        ...contract.settlement,
        limits: { ...contract.settlement.limits, maxPerHour },
      },
    }),
  }))
  const log = { ...deps.log, warn: (fields: unknown) => void warnings.push(fields) }
  return { deps: { ...deps, config: { ...deps.config, contracts }, log }, warnings }
}

/** Signed while there is room; to be settled by any gateway. */
async function sign() {
  const { id, apiKey: key } = await stands[0].createKey('buyer')
  const { account } = await createPerson(base)
  const answer = await stands[0].call('/work', { key, body: {} })
  const offer = decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(account))
  const payload = await new x402HTTPClient(client).createPaymentPayload(offer)
  const payment = decodePaymentHeader(encodeHeader(payload))
  if ('problem' in payment) throw new Error(payment.problem)
  return (deps: AccessDeps) => settlePayment(deps, { payment, keyId: id })
}

s(
  'of gateways with different caps on one database the lowest hold, and one is warned [18/settlement-caps]',
  async () => {
    const high = gatewayOf(stands[0], 1_000)
    const low = gatewayOf(stands[1], 2)
    const schemes = async () => (await readOffers(high.deps)).map(({ scheme }) => scheme)
    const [first, second, third] = [await sign(), await sign(), await sign()]
    await reconcileSettlements(low.deps, { chain: base.client })
    assert.is((await first(high.deps)).status, 'settled')
    assert.equal(await schemes(), ['exact'])
    assert.is((await second(high.deps)).status, 'settled')
    assert.equal(await third(high.deps), { status: 'unavailable', reason: 'hourly_cap' })
    assert.equal(await schemes(), ['prepaid-claim'])
    assert.equal(high.warnings, [
      { kind: 'limits_differ', chainId: 8453, maxPerHour: 2, maxSpendPerHourWei: `${10n ** 18n}` },
    ])
    assert.equal(low.warnings, [])
  },
)
s.run()
