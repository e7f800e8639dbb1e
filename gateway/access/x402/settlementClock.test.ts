import {
  settleChainId as chainId,
  openSettlements,
  signPayment as sign,
  settleStartMs as startMs,
} from '../../../fixtures/access/simSettlements.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessDeps, SettlementSigner } from '../sale/accessConfig.ts'
import { settlementClock } from './settlementClock.ts'
import { settlePayment } from './settlePayment.ts'

const hourMs = 3_600_000
const log = { debug() {}, info() {}, warn() {}, error() {} }
const s = suite('settlement clock')

s(
  'does not follow the wall clock when that is set while the process runs [18/settlement-steady]',
  async () => {
    const store = openStore({ path: ':memory:' })
    const signer = { chainId: 8453 } as SettlementSigner
    let wallMs = startMs
    const clock = settlementClock({ store, now: () => wallMs, bookNow: () => startMs, log }, signer)
    wallMs += 25 * hourMs
    assert.is((await clock.read(async () => startMs)).nowMs, startMs)
    store.close()
  },
)

s(
  'a gateway that starts a day ahead opens no hour of the caps of settlements [18/settlement-clock]',
  async () => {
    const { deps: right } = openSettlements(() => startMs, { maxPerHour: 1 })
    const payAt = async (deps: AccessDeps, nth: number, atMs: number) => {
      const { id: keyId } = await createKey(right, { label: `buyer ${nth}` })
      const payment = sign({ nth, atMs })
      return settlePayment({ ...deps, store: right.store }, { payment, keyId, waitMs: 0 })
    }
    assert.is((await payAt(right, 1, startMs)).status, 'pending')
    let nowMs = startMs + 25 * hourMs
    const { deps: ours } = openSettlements(() => nowMs, { maxPerHour: 1 })
    const told: object[] = []
    const ahead = { ...ours, log: { ...log, warn: (facts: object) => void told.push(facts) } }
    assert.equal(await payAt(ahead, 2, nowMs), { status: 'unavailable', reason: 'hourly_cap' })
    // Two minutes of it are let pass.
    assert.equal(told, [{ chainId, who: 'machine', aheadMs: 25 * hourMs - 120_000 }])
    // An hour of it is an hour.
    nowMs += hourMs
    assert.is((await payAt(ahead, 3, nowMs)).status, 'pending')
  },
)

s('a machine that slept since it asked for the head is not taken to be ahead', async () => {
  let nowMs = startMs
  const { deps } = openSettlements(() => nowMs, {
    asked(method) {
      if (method === 'eth_getBalance') nowMs = startMs + hourMs
    },
  })
  await deps.store.clock.resetClock({ chainId, nowMs: startMs })
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const payment = sign()
  const { status } = await settlePayment(deps, { payment, keyId, waitMs: 0 })
  assert.is(status, 'pending')
  const [settlement] = await deps.store.settlements.listOpen(chainId)
  assert.is(settlement?.createdAtMs, startMs + hourMs)
})
s.run()
