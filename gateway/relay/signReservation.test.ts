import { pad } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { RelayLedger } from '../store/relayBook.ts'
import type { RelayTransaction } from '../store/relayTransaction.ts'
import { quoteFees } from './fees.ts'
import { defaultLimits as limits } from './limits.ts'
import { currentHash, findStuck, judgeLedger, toLedgerFacts, toWish } from './signReservation.ts'

const s = suite('what the book lets be signed')
const [signer, other, owner] = ['0x1', '0x2', '0x3'].map((hex) =>
  pad(hex as '0x1', { size: 20 }),
) as ['0x1', '0x2', '0x3']
const snapshot = {
  baseFeePerGasWei: 1_000n,
  priorityFeePerGasWei: 0n,
  l1FeeWei: 0n,
  gasEstimate: undefined,
  relayerNonce: 0,
  timestampMs: 0,
}
const fees = quoteFees(snapshot, { gasUsed: 70_000n, limits })
const facts = { limits, fees, relayerBalance: 10n ** 18n }
const attempt = {
  hash: '0xa1',
  raw: '0x',
  gasLimit: 80_000n,
  maxFeePerGasWei: 8_000n,
  maxPriorityFeePerGasWei: 8n,
} as const
const live = {
  id: 1,
  owner,
  signer,
  nonce: 5,
  status: 'pending',
  markedAtMs: 1_000_000,
  attempts: [attempt],
  proxy: other,
} as unknown as RelayTransaction
const empty: RelayLedger = {
  nowMs: 1_120_000,
  signer,
  live: undefined,
  deploys: 0,
  spendWei: 0n,
  oldestMarkedAtMs: undefined,
  chainNonce: 5,
  nextNonce: 6,
  missingNonce: undefined,
  pausedReason: undefined,
}
const stuckAt = (given: Partial<RelayLedger>, row: Partial<RelayTransaction> = {}) =>
  findStuck({ ...empty, live: { ...live, ...row }, ...given }, limits) !== undefined
const refusalOf = (given: Partial<RelayLedger>) => {
  const { stopped } = judgeLedger(facts, { ...empty, ...given })
  return stopped && { step: stopped.step, ...stopped.answer }
}

s("stuck: this key's, unmined, past its window, its nonce not used [teeth/stuck]", () => {
  assert.is(stuckAt({}), true)
  assert.is(stuckAt({ nowMs: 1_119_999 }), false)
  assert.is(stuckAt({}, { status: 'mined' }), false)
  assert.is(stuckAt({ signer: other }), false)
  assert.is(stuckAt({ chainNonce: 6 }), false)
  assert.is(stuckAt({ chainNonce: 4 }), true)
  assert.is(stuckAt({ live: undefined }), false)
})
s('the hash to watch: what was mined, or the latest [teeth/stuck]', () => {
  const attempts = ['0xa1', '0xa2', '0xa3'].map((hash) => ({ ...attempt, hash }))
  const row = { ...live, attempts } as unknown as RelayTransaction
  assert.is(currentHash(row), '0xa3')
  assert.is(currentHash({ ...row, minedHash: '0xa1' }), '0xa1')
})
s('a transaction in its window answers for its owner, with its hash and proxy [teeth/book]', () => {
  assert.equal(refusalOf({ live, nowMs: 1_119_999 }), {
    step: 8,
    status: 'pending',
    txHash: '0xa1',
    proxy: other,
  })
})
s('a stuck one is priced as its replacement, and judged by its price again [teeth/book]', () => {
  const { fees: raised, stopped } = judgeLedger(facts, { ...empty, live })
  assert.is(stopped, undefined)
  assert.equal([raised.gasLimit, raised.maxFeePerGasWei], [80_000n, 9_000n])
  const attempts = [attempt, attempt, { ...attempt, maxFeePerGasWei: 16_000n }] as const
  const again = judgeLedger(facts, { ...empty, live: { ...live, attempts } })
  assert.is(again.fees.maxFeePerGasWei, 18_000n)
  const low = { ...facts, limits: { ...limits, maxRelayFeeWei: 719_999_999n } }
  assert.is(judgeLedger(low, { ...empty, live }).stopped?.step, 6)
  const enough = { ...facts, limits: { ...limits, maxRelayFeeWei: 720_000_000n } }
  assert.is(judgeLedger(enough, { ...empty, live }).stopped, undefined)
})
s('a pause and a missing nonce stop what all gates let through [teeth/book]', () => {
  const paused = {
    step: 11,
    status: 'refused',
    httpStatus: 503,
    code: 'relay_paused',
    sentence: 'relay is paused on this chain',
    retryAfterSecs: 60,
  }
  const gap = {
    step: 12,
    status: 'refused',
    httpStatus: 503,
    code: 'nonce_gap',
    sentence: 'relay waits for a missing transaction on this chain',
    retryAfterSecs: 15,
  }
  assert.is(refusalOf({}), undefined)
  assert.equal(refusalOf({ pausedReason: 'x' }), paused)
  assert.equal(refusalOf({ missingNonce: 5 }), gap)
  assert.equal(refusalOf({ pausedReason: 'x', missingNonce: 5 }), paused)
  assert.is(refusalOf({ pausedReason: 'x', deploys: 60 })?.step, 9)
})
s('what is stuck below the missing nonce may still be replaced [teeth/book]', () => {
  assert.is(refusalOf({ live, missingNonce: 6 }), undefined)
  assert.is(refusalOf({ live, missingNonce: 5 })?.step, 12)
})
s('the lowest caps of the gateways that share the book hold [teeth/book]', () => {
  const lowestCaps = { maxPerHour: 3, maxSpendPerHourWei: 10n ** 15n }
  assert.is(refusalOf({ lowestCaps, deploys: 2 }), undefined)
  assert.is(refusalOf({ lowestCaps, deploys: 3 })?.step, 9)
  assert.is(refusalOf({ lowestCaps, spendWei: 10n ** 15n - fees.reservedWei }), undefined)
  assert.is(refusalOf({ lowestCaps, spendWei: 10n ** 15n - fees.reservedWei + 1n })?.step, 10)
})
s(
  'relief comes when the oldest leaves the hour, in whole seconds, at least one [teeth/book]',
  () => {
    const secsAt = (oldestMarkedAtMs: number | undefined) =>
      toLedgerFacts(facts, { ...empty, oldestMarkedAtMs }).secsToRelief
    assert.is(secsAt(undefined), 1)
    assert.is(secsAt(empty.nowMs), 3_600)
    assert.is(secsAt(empty.nowMs - 3_599_000), 1)
    assert.is(secsAt(empty.nowMs - 3_598_999), 2)
    assert.is(secsAt(empty.nowMs - 3_600_000), 1)
  },
)
s('a wish is another one as soon as anything that is signed differs [teeth/book]', () => {
  const order = { owner, nonce: 5, fees, replaces: undefined }
  const idOf = (given: object) => toWish({ ...order, ...given }).id
  const ids = [
    idOf({}),
    idOf({ nonce: 6 }),
    idOf({ owner: other }),
    idOf({ replaces: 1 }),
    ...(['gasLimit', 'maxFeePerGasWei', 'maxPriorityFeePerGasWei', 'reservedWei'] as const).map(
      (name) => idOf({ fees: { ...fees, [name]: fees[name] + 1n } }),
    ),
  ]
  assert.is(new Set(ids).size, 8)
  assert.is(idOf({}), ids[0])
})
s(
  'what is new may be signed for a later nonce, a replacement for its own alone [20/later-nonce]',
  () => {
    const order = { owner, nonce: 5, fees, replaces: undefined }
    const { next } = toWish(order)
    assert.equal([next?.nonce, next?.at(7).id], [5, toWish({ ...order, nonce: 7 }).id])
    assert.is(toWish({ ...order, replaces: 1 }).next, undefined)
  },
)
s.run()
