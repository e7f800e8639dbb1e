import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import type { SettlementSigner } from '../sale/accessConfig.ts'
import { settlementClock } from './settlementClock.ts'

const hourMs = 3_600_000
const s = suite('settlement clock')

s('does not follow the wall clock when that is set while the process runs', async () => {
  const store = openStore({ path: ':memory:' })
  const signer = { chainId: 8453 } as SettlementSigner
  let wallMs = 1_900_000_000_000
  const startMs = wallMs
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const clock = settlementClock({ store, now: () => wallMs, bookNow: () => startMs, log }, signer)
  wallMs += 25 * hourMs
  assert.is((await clock.read(async () => startMs)).nowMs, startMs)
  store.close()
})
s.run()
