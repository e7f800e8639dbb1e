import fc from 'fast-check'
import { Client } from 'pg'
import { type Address, numberToHex } from 'viem'
import { query } from '../../fixtures/store/postgres.ts'
import { openAt, type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { toLockKey } from './postgresEngine.ts'
import type { RelayDecision, RelayStore } from './relay.ts'
import type { RelayLedger, ReserveRequest } from './relayBook.ts'

const chainId = 8453
const signer: Address = '0x000000000000000000000000000000000051913e'
const ownerAt = (index: number): Address => numberToHex(0xa0000 + index, { size: 20 })
const [windowMs, markerMs] = [3_600_000, 120_000]
const usual = { chainId, signer, chainNonce: 0, windowMs, markerMs }
const [cap, budget] = [4, 1_000n]

type Ask = { readonly owner: number; readonly fee: number; readonly chainNonce: number }
const ask: fc.Arbitrary<Ask> = fc.record({
  owner: fc.nat(4),
  fee: fc.integer({ min: 1, max: 500 }),
  chainNonce: fc.nat(3),
})
/** What comes together, how much later, and what becomes of the oldest that is open. */
const round = fc.record({
  asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
  laterMs: fc.constantFrom(0, markerMs, windowMs),
  outcome: fc.constantFrom(undefined, 'mined' as const, 'failed' as const, 'final' as const),
})

type Told = Pick<
  RelayLedger,
  'deploys' | 'spendWei' | 'oldestMarkedAtMs' | 'nextNonce' | 'missingNonce'
>
let hashes = 0

/** The use case's rules in short. */
function decide(ledger: RelayLedger, { fee, owner }: Ask): RelayDecision<Told & { kind: string }> {
  const { live, nowMs, deploys, spendWei, oldestMarkedAtMs, nextNonce, missingNonce } = ledger
  const told = { deploys, spendWei, oldestMarkedAtMs, nextNonce, missingNonce }
  const isStuck = live?.status === 'pending' && nowMs - live.markedAtMs >= markerMs
  if ((live && !isStuck) || deploys >= cap || spendWei + BigInt(fee) > budget)
    return { kind: 'leave', value: { ...told, kind: live ? `live ${live.nonce}` : 'over' } }
  const hash = numberToHex(hashes++, { size: 32 })
  const prices = { gasLimit: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n }
  const signed = { attempt: { hash, raw: hash, ...prices }, reservedWei: BigInt(fee) }
  return live
    ? { kind: 'replace', id: live.id, signed, value: { ...told, kind: `replace ${live.nonce}` } }
    : { kind: 'insert', proxy: ownerAt(owner), signed, value: { ...told, kind: 'insert' } }
}

const take = (relay: RelayStore, asked: Ask, nowMs: number) =>
  relay.reserve(
    { ...usual, owner: ownerAt(asked.owner), chainNonce: asked.chainNonce, nowMs },
    (ledger) => decide(ledger, asked),
  )

async function settleOldest(
  relay: RelayStore,
  status: 'mined' | 'failed' | 'final' | 'final_failed',
  actualWei = 400n,
): Promise<void> {
  const [row] = await relay.listOpen(chainId)
  if (!row) return
  const minedHash = row.attempts[0].hash
  const block = { blockNumber: 1n, blockHash: minedHash, minedHash, actualWei }
  await relay.settle({ id: row.id, from: row.status, outcome: { status, ...block } })
}

async function listRows(relay: RelayStore) {
  const rows = await relay.listLatest({ limit: 1_000 })
  return rows.map(({ id, owner, nonce, status, markedAtMs, reservedWei, attempts }) =>
    [id, owner, nonce, status, markedAtMs, reservedWei, attempts.length].join(' '),
  )
}

function addTests(engine: StoreEngine) {
  const s = suite(`what the relay books together, on ${engine.name}`)
  s.after(engine.close)

  s('is what it would be one after the other [20/book-together]', () =>
    fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 8 }), async (rounds) => {
        const [together, apart] = [await engine.open(), await engine.open()]
        let nowMs = 1_900_000_000_000
        for (const { asks, laterMs, outcome } of rounds) {
          nowMs += laterMs
          const told = await Promise.all(asks.map((one) => take(together.relay, one, nowMs)))
          const expected = []
          for (const one of asks) expected.push(await take(apart.relay, one, nowMs))
          assert.equal(told, expected)
          if (outcome) for (const { relay } of [together, apart]) await settleOldest(relay, outcome)
        }
        assert.equal(await listRows(together.relay), await listRows(apart.relay))
        await Promise.all([together.close(), apart.close()])
      }),
      { numRuns: engine.name === 'SQLite' ? 60 : 5 },
    ),
  )

  s(
    'is seen before by whoever looks, who writes nothing and holds up nobody [20/look]',
    async () => {
      const { relay, close } = await engine.open()
      const asked = { owner: 1, fee: 10, chainNonce: 2 }
      await take(relay, asked, 1_000)
      const request = { ...usual, owner: ownerAt(1), chainNonce: 2, nowMs: 5_000 }
      const seen: RelayLedger[] = []
      await relay.reserve({ ...request, nowMs: 1_000 }, (ledger) => {
        seen.push(ledger)
        return { kind: 'leave', value: undefined }
      })
      assert.equal(await relay.look({ ...request, nowMs: 1_000 }), seen[0])
      assert.is(seen[0]?.live?.nonce, 2)
      assert.is((await relay.look(request)).nowMs, 5_000)
      assert.is(await relay.readClock(chainId), 1_000)
      const paused = relay.pause({ chainId, reason: 'why', nowMs: 1_000 })
      await paused
      const other = await relay.look({ ...request, owner: ownerAt(2), chainNonce: 4 })
      assert.equal(
        [other.live, other.deploys, other.nextNonce, other.missingNonce, other.pausedReason],
        [undefined, 1, 4, undefined, 'why'],
      )
      await close()
    },
  )

  s('is read for each by its own chain, key and windows [20/book-kinds]', async () => {
    const { relay, close } = await engine.open()
    const outcomes = ['final', 'final_failed', 'failed', undefined] as const
    for (const [index, outcome] of outcomes.entries()) {
      await take(relay, { owner: 3 - index, fee: 1, chainNonce: 5 }, 1_000)
      if (outcome) await settleOldest(relay, outcome, 1n)
    }
    const ledgers = new Map([
      [{}, ['8 3 9', '7 3 9', '6 3 9', '5 3 9']],
      [{ chainNonce: 6 }, ['8 3 9', '7 3 9', '6 3 9', 'none 4 9']],
      [{ chainId: 42161 }, Array.from({ length: 4 }, () => 'none 0 0')],
      [{ signer: ownerAt(9) }, ['8 3 0', '7 3 0', '6 3 0', 'none 4 0']],
      [{ markerMs: 500 }, ['8 3 9', 'none 4 9', 'none 4 9', '5 3 9']],
      [{ windowMs: 500 }, ['8 0 9', '7 0 9', '6 0 9', '5 0 9']],
    ])
    const asked = [...ledgers.keys()].flatMap((own) =>
      [0, 1, 2, 3].map((owner) => ({ ...usual, owner: ownerAt(owner), nowMs: 2_000, ...own })),
    )
    const read = (request: (typeof asked)[number]) =>
      relay.reserve(request, (ledger) => ({ kind: 'leave', value: ledger }))
    for (const ask of [relay.look, read]) {
      const told = await Promise.all(asked.map(ask))
      assert.equal(
        told.map(
          ({ live, deploys, nextNonce }) => `${live?.nonce ?? 'none'} ${deploys} ${nextNonce}`,
        ),
        [...ledgers.values()].flat(),
      )
    }
    await close()
  })

  s('counts fills, and not what a replacement takes the place of [20/own-place]', async () => {
    const { relay, close } = await engine.open()
    const look = (owner: number, own: Partial<ReserveRequest> = {}) =>
      relay.look({ ...usual, owner: ownerAt(owner), nowMs: 2_000, ...own })
    await take(relay, { owner: 1, fee: 10, chainNonce: 5 }, 1_000)
    await settleOldest(relay, 'final')
    await take(relay, { owner: 2, fee: 20, chainNonce: 5 }, 2_000)
    const hash = numberToHex(hashes++, { size: 32 })
    const prices = { gasLimit: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n }
    await relay.fill({ chainId, signer, nonce: 4, nowMs: 2_000, windowMs }, () => ({
      fill: { hash, raw: hash, ...prices },
      reservedWei: 7n,
    }))
    const told = await Promise.all([1, 2, 3].map((owner) => look(owner)))
    assert.equal(
      told.map(({ deploys, spendWei, oldestMarkedAtMs }) => [deploys, spendWei, oldestMarkedAtMs]),
      [
        [1, 27n, 2_000],
        [1, 407n, 1_000],
        [2, 427n, 1_000],
      ],
    )
    // Of an owner's that may be live the newest counts.
    await settleOldest(relay, 'failed')
    const laterMs = 1_000 + 2 * markerMs
    await take(relay, { owner: 2, fee: 1, chainNonce: 5 }, laterMs)
    assert.is((await look(2, { nowMs: laterMs, markerMs: windowMs })).live?.nonce, 7)
    await close()
  })

  s('one that cannot be written costs the others nothing [20/book-fault]', async () => {
    const { relay, close } = await engine.open()
    await take(relay, { owner: 0, fee: 1, chainNonce: 0 }, 1_000)
    const [taken] = await relay.listOpen(chainId)
    const request = { ...usual, owner: ownerAt(2), nowMs: 1_000 }
    const told = await Promise.allSettled([
      take(relay, { owner: 1, fee: 1, chainNonce: 0 }, 1_000),
      relay.reserve(request, (ledger) => {
        const decided = decide(ledger, { owner: 2, fee: 1, chainNonce: 0 })
        if (decided.kind !== 'insert' || !taken) return decided
        return { ...decided, signed: { ...decided.signed, attempt: taken.attempts[0] } }
      }),
      take(relay, { owner: 3, fee: 1, chainNonce: 0 }, 1_000),
    ])
    assert.equal(
      told.map((one) => (one.status === 'fulfilled' ? one.value.nextNonce : one.status)),
      [1, 'rejected', 2],
    )
    const rows = await relay.listOpen(chainId)
    assert.equal(
      rows.map(({ owner, nonce }) => [BigInt(owner) - BigInt(ownerAt(0)), nonce]),
      [
        [0n, 0],
        [1n, 1],
        [3n, 2],
      ],
    )
    await close()
  })

  s('is of the latest time that one of those who ask knows [20/book-time]', async () => {
    const { relay, close } = await engine.open()
    const asked = [3_000, 5_000].map((nowMs) => ({ ...usual, owner: ownerAt(1), nowMs }))
    const paced = { ...usual, owner: ownerAt(1), nowMs: 1, pace: { fromMs: 0, elapsedMs: 9_000 } }
    const timesOf = async (requests: readonly ReserveRequest[]) =>
      (await Promise.all(requests.map(relay.look))).map(({ nowMs }) => nowMs)
    assert.equal(await timesOf(asked), [5_000, 5_000])
    assert.equal(await timesOf([paced, ...asked]), [9_000, 9_000, 9_000])
    await close()
  })

  if (engine.name === 'PostgreSQL')
    s('is read behind whoever had the chain before [20/book-behind]', async () => {
      const url = await engine.createDatabase()
      const { relay, close } = await openAt(url)
      const gate = new Client({ connectionString: url })
      await gate.connect()
      await gate.query(`BEGIN; SELECT pg_advisory_xact_lock(${toLockKey(`spend ${chainId}`)})`)
      const asked = relay.reserve({ ...usual, owner: ownerAt(1), nowMs: 1 }, (ledger) => ({
        kind: 'leave',
        value: [ledger.nowMs, ledger.pausedReason],
      }))
      const isWaiting = async () => (await query(url, waitingSessions)).length > 0
      await waitFor('it waits', isWaiting, { deadlineMs: 60_000 })
      await gate.query(
        `INSERT INTO relay_chains (chain_id, clock_ms, paused_reason) VALUES (${chainId}, ${farMs}, 'why');
         COMMIT`,
      )
      await gate.end()
      assert.equal(await asked, [farMs, 'why'])
      await close()
    })
  s.run()
}

const farMs = 9_000_000_000_000
const waitingSessions = `SELECT 1 FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`

for (const engine of await startStoreEngines()) addTests(engine)
