import { Client } from 'pg'
import { type Address, keccak256, numberToHex, stringToHex } from 'viem'
import { query, startPostgres } from '../../fixtures/store/postgres.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { openPostgresStore, type PostgresStore } from './openPostgresStore.ts'
import { openStore } from './openStore.ts'
import type { RelayDecision } from './relay.ts'
import type { RelayLedger } from './relayBook.ts'
import { StoreUnavailable } from './storeUnavailable.ts'

/** What several gateways on one PostgreSQL may rely on; each store here stands for a process. */
const s = suite('a database that gateways share')
const postgres = await startPostgres()
if (postgres) addTests(postgres)
else s('needs PostgreSQL, which is not installed', () => undefined)

function addTests({ createDatabase, crash, close }: NonNullable<typeof postgres>) {
  const opened: PostgresStore[] = []
  s.after(async () => {
    await Promise.all(opened.map((store) => store.close()))
    await close()
  })

  async function open(url: string): Promise<PostgresStore> {
    const store = await openPostgresStore({ url, connections: 4 })
    opened.push(store)
    return store
  }
  async function openTwo() {
    const url = await createDatabase()
    const [one, two] = await Promise.all([open(url), open(url)])
    return { url, one, two }
  }
  async function addKey({ keys, ledger }: PostgresStore, units: number, id = 'key') {
    await keys.insert(testKey(id))
    await ledger.grant({ keyId: id, units, ref: 'test', atMs: 1 })
    return id
  }

  s('has the same tables and columns as a SQLite file, migrated once', async () => {
    const { url } = await openTwo()
    const theirs = (await query(
      url,
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public'`,
    )) as { name: string }[]
    const file = openStore({ path: ':memory:' })
    const ours = file.db
      .prepare<[], { name: string }>(
        `SELECT m.name || '.' || c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table'`,
      )
      .all()
    file.close()
    const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).toSorted()
    assert.equal(names(theirs), names(ours))
    assert.is((await query(url, 'SELECT id FROM migrations')).length > 0, true)
  })

  s(
    'charges a retry for itself whose first request ends while it takes over [18/ended-meanwhile]',
    async () => {
      const { url, one, two } = await openTwo()
      const keyId = await addKey(one, 10)
      const asked = (holder: string) => ({
        keyId,
        units: 2,
        ref: holder,
        atMs: 2,
        idempotency: { key: 'once', fingerprint: Buffer.from('a'), holder },
      })
      await one.ledger.charge(asked('first'))
      await query(url, 'UPDATE idempotency SET at_ms = at_ms - 61000')
      // The first is refused at that moment: what its transaction changes is held.
      const first = new Client({ connectionString: url })
      await first.connect()
      await first.query(`BEGIN; DELETE FROM idempotency; UPDATE balances SET used = used - 2;
      INSERT INTO ledger (key_id, kind, units, ref, at_ms) VALUES ('${keyId}', 'refund', 2, 'first', 2)`)
      const second = two.ledger.charge(asked('second'))
      await until('the second waits', async () => (await query(url, waitingSessions)).length > 0)
      await first.query('COMMIT')
      await first.end()
      assert.is((await second).status, 'charged')
      assert.ok(
        await two.ledger.conclude({ ...asked('second'), answer: { status: 200, body: '' } }),
      )
      assert.is((await one.ledger.balance(keyId)).used, 2)
      assert.equal(await one.ledger.audit(), [])
    },
  )

  s(
    'gives free quotes once to a wallet that registers on two chains at once [attack/free-once]',
    async () => {
      const { url, one, two } = await openTwo()
      const wallet = '0x000000000000000000000000000000000000aaaa'
      const add = ({ keys }: PostgresStore, id: string, walletChainId: number) =>
        keys.insert({ ...testKey(id), wallet, walletChainId, freeQuotes: 5 })
      // Neither can end before both have begun.
      const gate = new Client({ connectionString: url })
      await gate.connect()
      await gate.query('BEGIN; LOCK TABLE balances')
      const adding = Promise.all([add(one, 'base', 8453), add(two, 'arbitrum', 42161)])
      await until('both wait', async () => (await query(url, waitingSessions)).length === 2)
      await gate.query('COMMIT')
      await gate.end()
      await adding
      const had = await Promise.all(['base', 'arbitrum'].map((id) => one.ledger.balance(id)))
      assert.equal(had.map(({ total }) => total).toSorted(), [0, 5])
    },
  )

  s('lets exactly 10 of 40 charges pass that two gateways make at once', async () => {
    const { one, two } = await openTwo()
    const keyId = await addKey(one, 10)
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? one : two).ledger.charge({ keyId, units: 1, ref: `r${index}`, atMs: 2 }),
      ),
    )
    assert.is(results.filter(({ status }) => status === 'charged').length, 10)
    assert.equal(await two.ledger.balance(keyId), { total: 10, used: 10, remaining: 0 })
    assert.equal(await one.ledger.audit(), [])
  })

  s('never holds two keys in a circle, and tells each charge its own balance', async () => {
    const { one, two } = await openTwo()
    const names = Array.from({ length: 30 }, (_, index) => `key${index}`)
    for (const name of names) await addKey(one, 100, name)
    const charge = (store: PostgresStore, keyId: string) =>
      store.ledger.charge({ keyId, units: 1, ref: 'r', atMs: 2 })
    for (let round = 0; round < 40; round += 1)
      await Promise.all([
        ...names.map((name) => charge(one, name)),
        ...names.toReversed().map((name) => charge(two, name)),
      ])
    const last = await Promise.all([1, 2, 3].map(() => charge(one, 'key0')))
    assert.equal(
      last.map((result) => result.status === 'charged' && result.balance.remaining),
      [19, 18, 17],
    )
    assert.is((await two.ledger.balance('key29')).used, 80)
    assert.equal(await two.ledger.audit(), [])
  })

  s(
    'no claim that takes a credit over and no charge ever wait for one another [18/deadlocks]',
    async () => {
      const { url, one, two } = await openTwo()
      // Names that a language's order sorts otherwise than code units do.
      const names = ['a1', 'B2', 'c3', 'D4', 'e5', 'F6', 'g7', 'H8']
      for (const name of names) await addKey(one, 10_000, name)
      const credit = (store: PostgresStore, index: number, proof: 1 | 3) =>
        store.payments.credit({
          chainId: 1,
          txHash: keccak256(numberToHex(index)),
          blockNumber: 5n,
          blockHash: keccak256('0x02'),
          keyId: names[(proof === 1 ? index : index * 3 + 1) % names.length] ?? '',
          atMs: 1,
          payments: [{ ...paid, proof }],
        })
      const charges: Promise<{ status: string }>[] = []
      for (let round = 0; round < 150; round += 1) {
        for (const store of [one, two])
          for (const keyId of names)
            charges.push(store.ledger.charge({ keyId, units: 1, ref: 'r', atMs: 2 }))
        await credit(round % 2 ? one : two, round, 1)
        const other = credit(round % 2 ? two : one, round, 3)
        charges.push(other.then(() => ({ status: 'charged' })))
        if (round % 10 === 0) await other
      }
      const results = await Promise.allSettled(charges)
      assert.equal(
        results.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : [])),
        [],
      )
      const [counted] = await query(
        url,
        'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
      )
      assert.is((counted as { deadlocks: number }).deadlocks, 0)
      assert.equal(await one.ledger.audit(), [])
    },
  )

  s('looks up keys that arrive together, each for itself, and none that was revoked', async () => {
    const { one, two } = await openTwo()
    const names = Array.from({ length: 30 }, (_, index) => `looked${index}`)
    for (const name of names) await addKey(one, 1, name)
    await one.keys.revoke({ id: 'looked7', atMs: 1 })
    const asked = [...names, 'nobody', ...names.toReversed()]
    const found = await Promise.all(
      asked.map((name) => two.keys.findBySecretHash(Buffer.from(name), 1)),
    )
    assert.equal(
      found.map((key) => key?.id),
      asked.map((name) => (name === 'looked7' || name === 'nobody' ? undefined : name)),
    )
  })

  s('charges an Idempotency-Key once that meets both gateways', async () => {
    const { one, two } = await openTwo()
    const keyId = await addKey(one, 10)
    const idempotency = { key: 'i', fingerprint: Buffer.from('f') }
    const charge = { keyId, units: 1, ref: 'r', atMs: 1_000, idempotency }
    const results = await Promise.all(
      [one, two, one, two].map((each) => each.ledger.charge(charge)),
    )
    assert.equal(results.map(({ status }) => status).toSorted(), [
      'charged',
      'in_progress',
      'in_progress',
      'in_progress',
    ])
  })

  s('credits a payment once that both gateways see at once', async () => {
    const { one, two } = await openTwo()
    const keyId = await addKey(one, 0)
    const payment = {
      chainId: 1,
      txHash: keccak256('0x01'),
      blockNumber: 5n,
      blockHash: keccak256('0x02'),
      keyId,
      atMs: 1,
      payments: [paid],
    }
    const credits = await Promise.all(
      [one, two, one, two].map((each) => each.payments.credit(payment)),
    )
    assert.equal(credits, [7, 7, 7, 7])
    assert.is((await two.ledger.balance(keyId)).remaining, 7)
  })

  s(
    'takes a payment back and credits it again once, whichever gateway sees what first',
    async () => {
      const { one, two } = await openTwo()
      const keyId = await addKey(one, 0)
      const mined = (block: 1 | 2) => ({
        chainId: 1,
        txHash: keccak256('0x01'),
        blockNumber: 5n,
        blockHash: keccak256(numberToHex(block)),
        payments: [{ ...paid, logIndex: block }],
      })
      await one.payments.credit({ ...mined(1), keyId, atMs: 1 })
      await Promise.all(
        [one, two, one, two, one, two].flatMap((each) => [
          each.payments.orphan({ ...mined(1), headBlock: 6n, atMs: 2 }),
          each.payments.credit({ ...mined(2), keyId, atMs: 2 }),
          each.payments.listLost({ chainId: 1, limit: 9 }),
        ]),
      )
      assert.equal(await two.ledger.balance(keyId), { total: 7, used: 0, remaining: 7 })
      assert.equal(await two.payments.listLost({ chainId: 1, limit: 9 }), [])
      assert.equal(await one.ledger.audit(), [])
    },
  )

  s('P2 P5: the caps, the nonces and the one live row hold across gateways', async () => {
    const { one, two } = await openTwo()
    const owners = Array.from({ length: 40 }, (_, index) => numberToHex(index + 1, { size: 20 }))
    const kinds = await Promise.all(
      owners.flatMap((owner) => [one, two].map((each) => reserve(each, owner))),
    )
    assert.is(kinds.filter((kind) => kind === 'insert').length, cap)
    const rows = await one.relay.listLatest({ limit: 100 })
    assert.equal(
      rows.map(({ nonce }) => nonce).toReversed(),
      Array.from({ length: cap }, (_, index) => index),
    )
    assert.is(new Set(rows.map(({ owner }) => owner)).size, cap)
  })

  s('P13: the database tells the time: a machine with a wrong clock opens no cap', async () => {
    const { one, two } = await openTwo()
    for (let index = 1; index <= cap; index += 1)
      await reserve(one, numberToHex(index, { size: 20 }))
    const later = Date.now() + 30 * 24 * 3_600_000
    assert.is(await reserve(two, numberToHex(99, { size: 20 }), later), 'leave')
    const { deploys } = await two.relay.totals({ chainId, nowMs: later, windowMs: 3_600_000 })
    assert.is(deploys, cap)
  })

  s('one candidate holds a leadership, the next has it when the first is gone', async () => {
    const { url, one, two } = await openTwo()
    const elections: string[] = []
    const stand = (who: string, { coordination }: PostgresStore) =>
      coordination.elect({
        name: 'x',
        won: (term) => elections.push(`${who} ${term}`),
        lost: () => elections.push(`${who} out`),
      })
    const first = stand('one', one)
    await until('the first holds it', () => first.isHeld())
    const second = stand('two', two)
    const other = two.coordination.elect({ name: 'another election' })
    await until('the other leadership is held', () => other.isHeld())
    assert.not.ok(second.isHeld())
    await first.close()
    await until('the second holds it', () => second.isHeld())
    assert.equal(elections, ['one 1', 'one out', 'two 2'])
    // Its session is ended from outside: it knows, and stands again.
    await query(url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`)
    await until('a third election', () => elections.length === 5)
    assert.equal(elections.slice(3), ['two out', 'two 3'])
    assert.ok(second.isHeld())
  })

  s('tells every gateway what one has to say, and of every gap', async () => {
    const { url, one, two } = await openTwo()
    const heard: (string | undefined)[] = []
    const ear = two.coordination.subscribe('news', (payload) => heard.push(payload))
    await until('it listens', () => heard.length === 1)
    await one.coordination.publish({ channel: 'news', payload: 'hello' })
    await until('it has heard', () => heard.length === 2)
    assert.equal(heard, [undefined, 'hello'])
    await query(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND datname = current_database()`,
    )
    await until('it has heard of the gap', () => heard.length === 3)
    assert.is(heard[2], undefined)
    await ear.close()
  })

  s(
    'keeps what it acknowledged when the server is killed, and says so while it is away',
    async () => {
      const { one, two } = await openTwo()
      const keyId = await addKey(one, 1_000_000)
      let [acked, refused, going] = [0, 0, true]
      async function client(store: PostgresStore) {
        while (going) {
          try {
            await store.ledger.charge({ keyId, units: 1, ref: 'r', atMs: 2 })
            acked += 1
          } catch (error) {
            assert.instance(error, StoreUnavailable)
            refused += 1
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        }
      }
      const clients = Promise.all([one, two, one, two].map(client))
      await until('charges flow', () => acked > 50)
      await crash(async () => {
        for (const store of [one, two]) {
          const said = await store.ledger.balance(keyId).catch((error: unknown) => error)
          assert.instance(said, StoreUnavailable)
        }
      })
      const before = acked
      await until('charges flow again', () => acked > before + 50)
      going = false
      await clients
      const { used } = await two.ledger.balance(keyId)
      assert.ok(used >= acked && used <= acked + refused, `${used} used, ${acked} acknowledged`)
      assert.equal(await one.ledger.audit(), [])
    },
  )
}

const until = (what: string, isTrue: () => boolean | Promise<boolean>) =>
  waitFor(what, isTrue, { deadlineMs: 60_000 })
const waitingSessions = `SELECT 1 FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`
const chainId = 8453
const signer: Address = '0x000000000000000000000000000000000051913e'
const price = { amount: 700n, quotes: 7 }
const paid = { logIndex: 0, payer: signer, ...price, proof: 1 as const, source: signer }
const cap = 7

/** The use case's rules in short: marker, cap, then sign. */
function reserve({ relay }: PostgresStore, owner: Address, nowMs = Date.now()) {
  const decide = (ledger: RelayLedger): RelayDecision<'leave' | 'insert'> => {
    if (ledger.live || ledger.deploys >= cap) return { kind: 'leave', value: 'leave' }
    const hash = keccak256(stringToHex(`${owner} ${ledger.nextNonce}`))
    const fees = { gasLimit: 1n, maxFeePerGasWei: 1n, maxPriorityFeePerGasWei: 1n }
    const signed = { attempt: { hash, raw: hash, ...fees }, reservedWei: 1n }
    return { kind: 'insert', proxy: owner, signed, value: 'insert' }
  }
  const windows = { windowMs: 3_600_000, markerMs: 120_000 }
  return relay.reserve({ chainId, owner, signer, chainNonce: 0, nowMs, ...windows }, decide)
}
s.run()
