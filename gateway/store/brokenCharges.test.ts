import pg from 'pg'
import { keccak256, stringToHex } from 'viem'
import { startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createBatchedCharges } from './batchedCharges.ts'
import { openPostgresStore, toClientConfig } from './openPostgresStore.ts'
import { createPorts } from './ports.ts'
import { attempts, createPostgresEngine } from './postgresEngine.ts'

const s = suite('charges whose connection breaks')
const postgres = await startPostgres()
const closing: (() => Promise<unknown>)[] = []
s.after(async () => {
  for (const close of closing.toReversed()) await close()
  await postgres?.close()
})

/** How a request ends that the server may have been sent. */
type Break = (send: () => Promise<unknown>) => Promise<void>
const isCharge = ({ name }: { readonly name?: string }) => name === 'forkyard_debit_all'

/** A ledger whose charges end as `breaks` says, while there is something there. */
async function open(keyId: string) {
  if (!postgres) throw new Error('there is no PostgreSQL')
  const url = await postgres.createDatabase()
  const store = await openPostgresStore({ url })
  const real = new pg.Pool({ ...toClientConfig(url), max: 4 })
  closing.push(store.close, () => real.end())
  const names = { start: 'x', label: '', wallet: undefined, scopes: ['quote'] }
  const idHash = keccak256(stringToHex(keyId))
  await store.keys.insert({
    ...names,
    id: keyId,
    idHash,
    secretHash: Buffer.from(keyId),
    createdAtMs: 1,
  })
  await store.ledger.grant({ keyId, units: 10, ref: 'g', atMs: 1 })
  const breaks: Break[] = []
  const isAway = { value: false, asked: 0 }
  const isDeadlock = { value: false }
  const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' })
  const lost = () => new Error('Connection terminated unexpectedly')
  const pool = {
    async query(request: { readonly name?: string }) {
      if (isAway.value) {
        isAway.asked += 1
        throw lost()
      }
      const next = isCharge(request) ? breaks.shift() : undefined
      if (!next) return real.query(request as never)
      await next(() => real.query(request as never))
      throw isDeadlock.value ? deadlock() : lost()
    },
    connect: () => real.connect(),
  } as unknown as pg.Pool
  const used = async () => (await store.ledger.balance(keyId)).used
  return { ...store, pool, breaks, isAway, isDeadlock, used, keyId }
}

const made: Break = async (send) => void (await send())
const never: Break = async () => undefined

if (postgres) {
  s(
    'serves those who were charged by a statement that was committed unheard [18/unheard-commit]',
    async () => {
      const { ledger, pool, breaks, used, keyId } = await open('unheard')
      const charge = createBatchedCharges(pool, ledger)
      breaks.push(made)
      const results = await Promise.all(
        ['a', 'b'].map((ref) => charge({ keyId, units: 2, ref, atMs: 2 })),
      )
      assert.equal(
        results.map(({ status }) => status),
        ['charged', 'charged'],
      )
      assert.is(await used(), 4)
      assert.equal(await ledger.audit(), [])
    },
  )

  s(
    'asks again for a batch that the database ended for a deadlock [18/deadlock-again]',
    async () => {
      const { ledger, pool, breaks, isDeadlock, used, keyId } = await open('deadlock')
      isDeadlock.value = true
      const charge = createBatchedCharges(pool, ledger)
      breaks.push(never, never)
      const results = await Promise.all(
        ['a', 'b'].map((ref) => charge({ keyId, units: 2, ref, atMs: 2 })),
      )
      assert.equal(
        results.map(({ status }) => status),
        ['charged', 'charged'],
      )
      assert.equal([breaks.length, await used()], [0, 4])
      // As often as it is worth.
      breaks.push(...Array.from({ length: attempts }, () => never))
      const [refused] = await Promise.allSettled([charge({ keyId, units: 2, ref: 'c', atMs: 3 })])
      assert.is(refused.status, 'rejected')
      assert.equal([breaks.length, await used()], [0, 4])
    },
  )

  s('serves one whose own transaction was committed unheard', async () => {
    const { ledger, pool, used, keyId } = await open('alone')
    const alone = createPorts(createPostgresEngine(pool, { time: 'caller' })).ledger
    const unheard: typeof ledger.charge = async (parameters) => {
      await alone.charge(parameters)
      throw new Error('Connection terminated unexpectedly')
    }
    const charge = createBatchedCharges(pool, { ...ledger, charge: unheard })
    const idempotency = { key: 'once', fingerprint: Buffer.from('a'), holder: 'me' }
    const named = { keyId, units: 3, ref: 'named', atMs: 2, idempotency }
    const { status } = await charge(named)
    assert.is(status, 'charged')
    await ledger.conclude({ ...named, answer: { status: 200, body: '{}' } })
    assert.is((await ledger.charge(named)).status, 'answered')
    assert.is(await used(), 3)
  })

  s(
    'refuses what never came, and for good: what comes late finds its name taken [18/unheard-never]',
    async () => {
      const { ledger, pool, breaks, used, keyId } = await open('late')
      const late: (() => Promise<unknown>)[] = []
      breaks.push(async (send) => void late.push(send))
      const charge = createBatchedCharges(pool, ledger)
      const [lost] = await Promise.allSettled([charge({ keyId, units: 2, ref: 'a', atMs: 2 })])
      assert.is(lost.status, 'rejected')
      assert.is(await used(), 0)
      const [came] = await Promise.allSettled(late.map((send) => send()))
      assert.match(String((came as { reason?: unknown }).reason), /charge_fences_pkey/)
      assert.is(await used(), 0)
      assert.is((await charge({ keyId, units: 2, ref: 'b', atMs: 3 })).status, 'charged')
    },
  )

  s(
    'tells nobody of a refusal before it is known, so that no kill makes it untrue [18/unheard-kill]',
    async () => {
      const { ledger, pool, breaks, isAway, used, keyId } = await open('away')
      breaks.push(async (send) => {
        await send()
        isAway.value = true
      })
      const charge = createBatchedCharges(pool, ledger)
      let isTold = false
      const told = charge({ keyId, units: 2, ref: 'a', atMs: 2 }).finally(() => {
        isTold = true
      })
      await waitFor('it is charged', async () => (await used()) === 2)
      await waitFor('it has been asked for again and again', async () => isAway.asked > 1)
      assert.is(isTold, false)
      isAway.value = false
      assert.is((await told).status, 'charged')
    },
  )

  s(
    'says that it is not known when that takes too long, and gives back what was charged',
    async () => {
      const { ledger, pool, breaks, isAway, used, keyId } = await open('long')
      breaks.push(async (send) => {
        await send()
        isAway.value = true
      })
      const charge = createBatchedCharges(pool, ledger, { heldForMs: 20 })
      const [lost] = await Promise.allSettled([charge({ keyId, units: 2, ref: 'a', atMs: 2 })])
      assert.match(String((lost as { reason?: unknown }).reason), /not known yet: long a/)
      assert.is(await used(), 2)
      isAway.value = false
      await waitFor('it is given back', async () => (await used()) === 0)
      assert.equal(await ledger.audit(), [])
    },
  )

  s(
    'gives back once what it has taken, however often that breaks as well [18/given-back]',
    async () => {
      const { ledger, pool, breaks, isAway, used, keyId } = await open('again')
      breaks.push(async (send) => {
        await send()
        isAway.value = true
      })
      let times = 0
      const conclude: typeof ledger.conclude = async (parameters) => {
        times += 1
        // Unheard of, then made and unheard of, then heard.
        if (times > 1) await ledger.conclude(parameters)
        if (times < 3) throw new Error('Connection terminated unexpectedly')
        return true
      }
      const charge = createBatchedCharges(pool, { ...ledger, conclude }, { heldForMs: 20 })
      const same = { keyId, units: 2, ref: 'same', atMs: 2 }
      await Promise.allSettled([charge(same)])
      assert.is(await used(), 2)
      isAway.value = false
      await waitFor('it is given back', async () => times === 3)
      await waitFor('it has ended', async () => (await used()) === 0)
      assert.equal(await ledger.audit(), [])
    },
  )

  s('leaves no name behind of what has ended well', async () => {
    const { ledger, pool, breaks, keyId } = await open('names')
    const charge = createBatchedCharges(pool, ledger)
    const once = (ref: string) => charge({ keyId, units: 1, ref, atMs: 2 })
    for (const ref of ['a', 'b', 'c']) await once(ref)
    breaks.push(never)
    await Promise.allSettled([once('d')])
    await once('e')
    const { rows } = await pool.query({
      text: 'SELECT charged FROM charge_fences ORDER BY charged',
    })
    assert.equal(rows, [{ charged: 'names' }, { charged: null }])
  })
}
if (!postgres) s('needs PostgreSQL, which is not installed', () => undefined)
s.run()
