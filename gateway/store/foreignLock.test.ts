import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { keccak256, numberToHex, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { openStore } from './openStore.ts'

/** Another process (a backup tool, an operator's shell) has the SQLite file locked. */
const s = suite('a foreign lock on the SQLite file')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-lock-'))
const path = join(dir, 'a.sqlite')
const store = openStore({ path })
const foreign = new Database(path)
s.after(() => {
  foreign.close()
  store.close()
  rmSync(dir, { recursive: true })
})
await store.keys.insert({
  id: 'key',
  idHash: keccak256('0x01'),
  secretHash: Buffer.from('key'),
  start: 'x',
  label: '',
  wallet: undefined,
  scopes: ['quote'],
  createdAtMs: 1,
  quotes: 1_000,
})
const charge = (ref: string) => store.ledger.charge({ keyId: 'key', units: 1, ref, atMs: 2 })

s(
  'holds up the charges but not the thread, and they are made when it is gone [18/foreign-lock]',
  async () => {
    foreign.exec('BEGIN IMMEDIATE')
    const charges = Array.from({ length: 20 }, (_, index) => charge(`early ${index}`))
    // Were the thread held up at each look, all would be refused by then.
    for (let turns = 0; turns < 150; turns += 1) await wait(5)
    assert.is((await store.ledger.balance('key')).used, 0)
    foreign.exec('COMMIT')
    const results = await Promise.all(charges)
    assert.ok(results.every(({ status }) => status === 'charged'))
    assert.is((await store.ledger.balance('key')).used, 20)
  },
)

s(
  'refuses all that wait together after five seconds, and not each in its turn [18/busy-group]',
  async () => {
    foreign.exec('BEGIN IMMEDIATE')
    const startMs = performance.now()
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => charge(`late ${index}`)),
    )
    foreign.exec('COMMIT')
    assert.ok(performance.now() - startMs < 9_000)
    for (const result of results)
      assert.match(String(result.status === 'rejected' && result.reason.code), /^SQLITE_BUSY/)
    assert.is((await charge('after')).status, 'charged')
    assert.is((await store.ledger.balance('key')).used, 21)
  },
)
s(
  'refuses deployments that are booked together after five seconds, and not each in its turn [20/busy-together]',
  async () => {
    const usual = { chainId: 8453, signer: zeroAddress, chainNonce: 0, windowMs: 9, markerMs: 9 }
    const owners = [1, 2, 3].map((index) => numberToHex(index, { size: 20 }))
    foreign.exec('BEGIN IMMEDIATE')
    const startMs = performance.now()
    const results = await Promise.allSettled(
      owners.map((owner) =>
        store.relay.reserve({ ...usual, owner, nowMs: 3 }, () => ({ kind: 'leave', value: owner })),
      ),
    )
    foreign.exec('COMMIT')
    assert.ok(performance.now() - startMs < 9_000)
    for (const result of results)
      assert.match(String(result.status === 'rejected' && result.reason.code), /^SQLITE_BUSY/)
  },
)
s.run()
