import fc from 'fast-check'
import { type Address, numberToHex } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { RelayDecision, RelayStore } from './relay.ts'
import type { RelayLedger } from './relayBook.ts'

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
  status: 'mined' | 'failed' | 'final',
): Promise<void> {
  const [row] = await relay.listOpen(chainId)
  if (!row) return
  const minedHash = row.attempts[0].hash
  const block = { blockNumber: 1n, blockHash: minedHash, minedHash, actualWei: 400n }
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
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
