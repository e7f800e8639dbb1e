import { query } from '../../fixtures/store/postgres.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { version } from '../runtime/version.ts'
import { type Migration, migrations } from './migrations.ts'
import { openPostgresStore } from './openPostgresStore.ts'
import { openStore } from './openStore.ts'
import type { Store } from './ports.ts'
import { requireKnownSchema, SchemaTooNew } from './schemaGuard.ts'
import { waitForStore } from './waitForStore.ts'

type Opened = Store & { close(): unknown }
const last = migrations.at(-1)?.id ?? 0

/** Opens the database as a gateway that knows these migrations. */
async function openAs(address: string, known: readonly Migration[]): Promise<Opened> {
  if (address.startsWith('postgres:'))
    return openPostgresStore({ url: address, connections: 2, known })
  return openStore({ path: address, known })
}

async function addKey({ keys }: Store, id: string) {
  await keys.insert({ ...testKey(id), quotes: 10 })
}

const charge = ({ ledger }: Store, keyId: string, ref: string) =>
  ledger.charge({ keyId, units: 1, ref, atMs: 2 })

async function refusal(work: Promise<Opened>): Promise<string> {
  try {
    await (await work).close()
  } catch (error) {
    if (error instanceof SchemaTooNew) return error.message
    throw error
  }
  return 'it opened'
}

function addTests({ name, createDatabase, close }: StoreEngine) {
  const s = suite(`store/schemaGuard on ${name}`)
  s.after(close)
  /** What the next release adds, and the one after it takes away. */
  const expansion: Migration = {
    id: last + 1,
    name: 'notes of keys',
    schema: () => 'ALTER TABLE keys ADD COLUMN note TEXT',
    needs: last,
  }
  const contraction: Migration = {
    id: last + 2,
    name: 'no labels',
    schema: () => 'ALTER TABLE keys DROP COLUMN label',
  }

  s(
    'keeps both gateways serving while one adds to the schema, and lets the older start again [24/expand]',
    async () => {
      const address = await createDatabase()
      const older = await openAs(address, migrations)
      await addKey(older, 'one')
      const newer = await openAs(address, [...migrations, expansion])
      assert.is((await charge(older, 'one', 'a')).status, 'charged')
      assert.is((await charge(newer, 'one', 'b')).status, 'charged')
      await older.close()
      const rolledBack = await openAs(address, migrations)
      await addKey(rolledBack, 'two')
      assert.is((await charge(rolledBack, 'one', 'c')).status, 'charged')
      assert.is((await charge(newer, 'two', 'd')).status, 'charged')
      assert.is((await newer.ledger.balance('one')).used, 3)
      assert.equal(await newer.ledger.audit(), [])
      await Promise.all([newer.close(), rolledBack.close()])
    },
  )

  s(
    'refuses to start where the schema has lost something, and says whose it is [24/schema-guard]',
    async () => {
      const address = await createDatabase()
      const running = await openAs(address, [...migrations, expansion, contraction])
      const written = `migration ${last + 2} (no labels) was written by ${version}, and ${version} knows ${last} at the most`
      assert.match(await refusal(openAs(address, migrations)), written)
      // Whoever has heard of it in the release before starts.
      const notYet = await refusal(openAs(address, [...migrations, expansion]))
      assert.match(notYet, `knows ${last + 1}`)
      assert.is(await running.isReachable(), true)
      await running.close()
    },
  )

  s(
    'waits for no database that is too new, as for one that is away [24/schema-waits]',
    async () => {
      const address = await createDatabase()
      await (await openAs(address, [...migrations, expansion, contraction])).close()
      const databaseUrl = address.startsWith('postgres:') ? address : undefined
      const opening = waitForStore(
        { databasePath: address, databaseUrl },
        {
          failed: () => undefined,
          waiting() {
            throw new Error('it waits')
          },
        },
      )
      assert.match(await refusal(opening), 'no labels')
    },
  )

  s('takes up a database that was written before versions were', async () => {
    const address = await createDatabase()
    await (await openAs(address, migrations)).close()
    const forget =
      'ALTER TABLE migrations DROP COLUMN version; ALTER TABLE migrations DROP COLUMN needs'
    if (address.startsWith('postgres:')) await query(address, forget)
    else {
      const { db, close: end } = openStore({ path: address })
      db.exec(forget)
      end()
    }
    const opened = await openAs(address, migrations)
    await addKey(opened, 'one')
    await opened.close()
  })
  s.run()
}

const s = suite('store/schemaGuard')
s('names a writer that gave no name', () => {
  const row = { id: 7, name: 'seven', version: null, needs: null }
  const known = migrations.slice(0, 6)
  assert.throws(() => requireKnownSchema([row], known), /by an unnamed version/)
  requireKnownSchema([{ ...row, needs: 6 }], known)
})

for (const engine of await startStoreEngines()) addTests(engine)
s.run()
