import fc from 'fast-check'
import { type Address, type Hex, keccak256, numberToHex, stringToHex } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { RelayDecision, RelayStore } from './relay.ts'
import type { RelayLedger } from './relayBook.ts'
import type { Pace } from './relayClock.ts'

const chainId = 8453
const signer: Address = '0x000000000000000000000000000000000051913e'
const ownerAt = (index: number): Address => numberToHex(0xa0000 + index, { size: 20 })
const windowMs = 3_600_000
const markerMs = 120_000
/** What is told of a deployment beside its owner and the time. */
const usual = { chainId, signer, chainNonce: 0, windowMs, markerMs }
const cap = 3
const budget = 1_000n

type Step =
  | { readonly do: 'reserve'; readonly owner: number; readonly fee: number }
  | { readonly do: 'settle'; readonly as: 'mined' | 'failed' | 'pending'; readonly actual: number }
  /** May be negative: machines' clocks jump. */
  | { readonly do: 'wait'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('reserve' as const),
    owner: fc.nat(6),
    fee: fc.integer({ min: 1, max: 600 }),
  }),
  fc.record({
    do: fc.constant('settle' as const),
    as: fc.constantFrom('mined' as const, 'failed' as const, 'pending' as const),
    actual: fc.nat(600),
  }),
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.integer({ min: -4_000_000, max: 2_000_000 }),
  }),
)

type Marked = { readonly atMs: number; readonly wei: bigint; readonly kind: 'insert' | 'replace' }
let hashes = 0

/** The use case's rules in short: marker, cap, budget, then sign. */
function decide(ledger: RelayLedger, fee: bigint): RelayDecision<Marked | undefined> {
  const { live, nowMs, deploys, spendWei } = ledger
  const isStuck = live?.status === 'pending' && nowMs - live.markedAtMs >= markerMs
  if ((live && !isStuck) || deploys >= cap || spendWei + fee > budget)
    return { kind: 'leave', value: undefined }
  const hash: Hex = keccak256(stringToHex(`attempt ${hashes++}`))
  const attempt = {
    hash,
    raw: hash,
    gasLimit: 1n,
    maxFeePerGasWei: 1n,
    maxPriorityFeePerGasWei: 1n,
  }
  const signed = { attempt, reservedWei: fee }
  const kind = isStuck ? 'replace' : 'insert'
  const value: Marked = { atMs: nowMs, wei: fee, kind }
  return live && isStuck
    ? { kind: 'replace', id: live.id, signed, value }
    : { kind: 'insert', proxy: ownerAt(99), signed, value }
}

async function checkInvariants(relay: RelayStore) {
  const rows = await relay.listLatest({ limit: 10_000 })
  const live = rows.filter(({ status }) => status === 'pending' || status === 'mined')
  assert.is(new Set(live.map(({ owner }) => owner)).size, live.length, 'one live row per owner')
  const nonces = rows.map(({ nonce }) => nonce).toSorted((a, b) => a - b)
  assert.equal(
    nonces,
    nonces.map((_, index) => index),
    'contiguous nonces',
  )
  for (const { markedAtMs } of rows) {
    const hour = rows.filter(
      (row) => row.markedAtMs > markedAtMs - windowMs && row.markedAtMs <= markedAtMs,
    )
    assert.ok(hour.length <= cap, `${hour.length} deployments in an hour`)
    const reserved = hour.reduce((sum, row) => sum + row.reservedWei, 0n)
    assert.ok(reserved <= budget, `${reserved} wei in an hour`)
  }
}

async function settleFirst(
  relay: RelayStore,
  { as, actual }: Extract<Step, { readonly do: 'settle' }>,
) {
  const [row] = await relay.listOpen(chainId)
  if (!row) return
  const { id, status, attempts } = row
  const minedHash = attempts[0].hash
  const block = { blockNumber: 1n, blockHash: minedHash, minedHash, actualWei: BigInt(actual) }
  const outcome = as === 'pending' ? ({ status: as } as const) : { status: as, ...block }
  await relay.settle({ id, from: status, outcome })
}

function addTests(engine: StoreEngine) {
  const book = suite(`relay book on ${engine.name}`)
  book.after(engine.close)

  book(
    'P2 P5 P13: no order of requests, receipts and clock jumps breaks a cap [relay/book-clock]',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          const store = await engine.open()
          let nowMs = 1_900_000_000_000
          let bookMs = 0
          for (const one of steps) {
            if (one.do === 'wait') nowMs += one.ms
            if (one.do === 'reserve') {
              const marked = await store.relay.reserve(
                { ...usual, owner: ownerAt(one.owner), nowMs },
                (ledger) => decide(ledger, BigInt(one.fee)),
              )
              // What is marked in the past would leave the hour too early.
              assert.ok(!marked || marked.atMs >= bookMs, 'the clock of the book goes back')
              bookMs = marked?.atMs ?? bookMs
            }
            if (one.do === 'settle') await settleFirst(store.relay, one)
            await checkInvariants(store.relay)
          }
          await store.close()
        }),
        { numRuns: engine.name === 'SQLite' ? 150 : 12 },
      ),
  )

  book(
    'a replacement raises the worst case that is stored and counted [relay/raised]',
    async () => {
      const store = await engine.open()
      const request = { ...usual, owner: ownerAt(0) }
      const reserve = (fee: bigint, nowMs: number, pendingMs = markerMs) =>
        store.relay.reserve({ ...request, nowMs, markerMs: pendingMs }, (ledger) =>
          decide({ ...ledger, nowMs: ledger.nowMs + (markerMs - pendingMs) }, fee),
        )
      const nowMs = Date.now()
      assert.is((await reserve(100n, nowMs))?.kind, 'insert')
      assert.is((await reserve(150n, nowMs, 0))?.kind, 'replace')
      const [row] = await store.relay.listLatest({ limit: 2 })
      assert.is(row?.reservedWei, 150n)
      assert.is(row?.attempts.length, 2)
      const { deploys, spendWei } = await store.relay.totals({ chainId, nowMs, windowMs })
      assert.equal([deploys, spendWei], [1, 150n])
      await store.close()
    },
  )

  book(
    'a nonce is taken above the chain, the rows and the settlements of the same key',
    async () => {
      const store = await engine.open()
      const next = (chainNonce: number, owner: number) =>
        store.relay.reserve(
          { ...usual, owner: ownerAt(owner), chainNonce, nowMs: owner * 10 ** 7 },
          (ledger) => {
            const decision = decide(ledger, 1n)
            return { ...decision, value: ledger.nextNonce }
          },
        )
      assert.equal([await next(5, 1), await next(5, 2), await next(9, 3)], [5, 6, 9])
      await store.close()
    },
  )

  book('a second process that has moved a row on is not overruled', async () => {
    const store = await engine.open()
    const request = { ...usual, owner: ownerAt(1), nowMs: 1 }
    await store.relay.reserve(request, (ledger) => decide(ledger, 1n))
    const [row] = await store.relay.listOpen(chainId)
    const id = row?.id ?? 0
    const settle = (status: 'lost' | 'pending') =>
      store.relay.settle({ id, from: 'pending', outcome: { status } })
    assert.equal([await settle('lost'), await settle('pending')], [true, false])
    assert.is((await store.relay.listLatest({ limit: 1 }))[0]?.status, 'lost')
    await store.close()
  })

  book(
    'one that another of its owner has overtaken comes back only as final [teeth/comes-back]',
    async () => {
      const store = await engine.open()
      const own = { ...usual, owner: ownerAt(1) }
      const reserve = (nowMs: number) =>
        store.relay.reserve({ ...own, nowMs }, (ledger) => decide(ledger, 1n))
      await reserve(1)
      const [first] = await store.relay.listOpen(chainId)
      const [id, hash] = [first?.id ?? 0, first?.attempts[0].hash ?? '0x']
      await store.relay.settle({ id, from: 'pending', outcome: { status: 'lost' } })
      await reserve(2)
      const where = { blockNumber: 1n, blockHash: hash, minedHash: hash, actualWei: 1n }
      const comeBack = async (outcome: Parameters<RelayStore['settle']>[0]['outcome']) => {
        await store.relay.settle({ id, from: 'lost', outcome })
        return (await store.relay.listLatest({ limit: 9 })).map(({ status }) => status)
      }
      assert.equal(await comeBack({ status: 'pending' }), ['pending', 'lost'])
      assert.equal(await comeBack({ ...where, status: 'mined' }), ['pending', 'lost'])
      assert.equal(await comeBack({ ...where, status: 'final' }), ['pending', 'final'])
      await store.close()
    },
  )

  book(
    'tells how many are open and lost, of which chain, and why it is paused [teeth/totals]',
    async () => {
      const store = await engine.open()
      const { relay } = store
      const totalsAt = (nowMs: number, pace?: Pace) =>
        relay.totals({ chainId, nowMs, windowMs, pace })
      const none = { deploys: 0, spendWei: 0n, oldestMarkedAtMs: undefined, open: 0, lost: 0 }
      assert.equal(await totalsAt(5), { ...none, nowMs: 5, pausedReason: undefined })
      for (const owner of [1, 2, 3])
        await relay.reserve({ ...usual, owner: ownerAt(owner), nowMs: owner * 10 }, (ledger) =>
          decide(ledger, 10n),
        )
      const [first] = await relay.listOpen(chainId)
      await relay.settle({ id: first?.id ?? 0, from: 'pending', outcome: { status: 'lost' } })
      await relay.pause({ chainId, reason: 'why', nowMs: 40 })
      const all = { deploys: 3, spendWei: 30n, oldestMarkedAtMs: 10, open: 2, lost: 1 }
      // The book's clock is not behind what was marked last; a pace moves it on from where it was read.
      assert.equal(await totalsAt(5), { ...all, nowMs: 30, pausedReason: 'why' })
      const { nowMs } = await totalsAt(5, { fromMs: 30, elapsedMs: 7 })
      assert.is(nowMs, 37)
      // One that was read before the clock was set back says nothing.
      assert.is((await totalsAt(5, { fromMs: 31, elapsedMs: 7 })).nowMs, 30)
      await relay.resume(chainId)
      assert.equal(await totalsAt(9 + windowMs), {
        ...all,
        nowMs: 9 + windowMs,
        pausedReason: undefined,
      })
      assert.is((await totalsAt(10 + windowMs)).deploys, 2)
      await store.close()
    },
  )

  book(
    'what a chain has forgotten is listed from a nonce on, unless it is filled [teeth/forgotten]',
    async () => {
      const store = await engine.open()
      const { relay } = store
      for (const owner of [1, 2, 3])
        await relay.reserve(
          { ...usual, owner: ownerAt(owner), chainNonce: 4, nowMs: owner },
          (ledger) => decide(ledger, 1n),
        )
      const [lost, final, open] = await relay.listOpen(chainId)
      await relay.settle({ id: lost?.id ?? 0, from: 'pending', outcome: { status: 'lost' } })
      await relay.settle({ id: final?.id ?? 0, from: 'pending', outcome: { status: 'final' } })
      const listed = async (chainNonce: number) =>
        (await relay.listForgotten({ chainId, signer, chainNonce })).map(({ nonce }) => nonce)
      assert.equal(
        [lost, final, open].map((one) => one?.nonce),
        [4, 5, 6],
      )
      assert.equal([await listed(4), await listed(5), await listed(6)], [[4, 5], [5], []])
      const hash = keccak256(stringToHex('fill'))
      const prices = { gasLimit: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n }
      await relay.fill({ chainId, signer, nonce: 4, nowMs: 9, windowMs }, () => ({
        fill: { hash, raw: hash, ...prices },
        reservedWei: 1n,
      }))
      assert.equal(await listed(4), [5])
      await store.close()
    },
  )
  book.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
