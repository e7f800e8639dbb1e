import { assert, suite } from '../../../fixtures/test.ts'
import type { StoredSettlement } from '../../store/settlements.ts'
import type { SettlementSigner } from '../sale/accessConfig.ts'
import { forgetMined, unminedForMs } from './sightings.ts'

const s = suite('x402/sightings')
const toSettlement = (id: number, signedAtMs: number) =>
  ({ id, signedAtMs }) as unknown as StoredSettlement
const [one, raised, other] = [toSettlement(1, 5), toSettlement(1, 9), toSettlement(2, 5)]

s('counts from when these bytes were first seen, for each signer [teeth/sightings]', () => {
  const signers = [{}, {}] as SettlementSigner[]
  const [signer, stranger] = signers as [SettlementSigner, SettlementSigner]
  const ageOf = (settlement: StoredSettlement, nowMs: number, of = signer) =>
    unminedForMs(of, { settlement, nowMs })
  assert.is(ageOf(one, 100), 0)
  assert.is(ageOf(one, 130), 30)
  assert.is(ageOf(raised, 130), 0, 'other bytes')
  assert.is(ageOf(other, 140), 0)
  assert.is(ageOf(one, 150, stranger), 0)
  forgetMined(signer, [other])
  assert.equal([ageOf(one, 200), ageOf(other, 200)], [0, 60])
  forgetMined({} as SettlementSigner, [])
})
s.run()
