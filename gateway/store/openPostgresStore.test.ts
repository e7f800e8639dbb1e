import {
  type Asked,
  type ScriptedAnswer,
  startScriptedPostgres,
} from '../../fixtures/store/scriptedPostgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { version } from '../runtime/version.ts'
import { dropOldFences } from './chargeFences.ts'
import { type Migration, migrations } from './migrations.ts'
import { openPostgresStore, toClientConfig } from './openPostgresStore.ts'
import { toLockKey } from './postgresEngine.ts'
import { StoreUnavailable } from './storeUnavailable.ts'

const s = suite('store/openPostgresStore')
const opened: { close(): Promise<void> }[] = []
s.after(async () => {
  await Promise.allSettled(opened.toReversed().map(({ close }) => close()))
})
const known: readonly Migration[] = [
  { id: 1, name: 'one', schema: () => 'CREATE TABLE one (id TEXT)' },
  { id: 2, name: 'two', schema: ({ integer }) => `CREATE TABLE two (n ${integer})`, needs: 1 },
]
const row = (id: number, needs: number | null = null) => ({
  id,
  name: `${id}`,
  version: null,
  needs,
})
const listApplied = 'SELECT * FROM migrations ORDER BY id'

/** A server whose schema is up to date, and what else it answers. */
async function start(answer: (asked: Asked) => Promise<ScriptedAnswer> = async () => []) {
  const applied = [row(1), row(2)]
  const server = await startScriptedPostgres((asked) =>
    asked.text === listApplied ? applied : answer(asked),
  )
  opened.push(server)
  return { ...server, applied }
}
/** Closed at the end, where its test has not come to that. */
async function open(options: Parameters<typeof openPostgresStore>[0]) {
  const store = await openPostgresStore(options)
  opened.push(store)
  return store
}

s('applies what is missing in one transaction, one gateway after the other', async () => {
  const { url, applied, asked, sessions, textsOf, close } = await start()
  applied.splice(1)
  const store = await open({ url, known })
  const texts = textsOf(0)
  const lock = `SELECT pg_advisory_xact_lock(${toLockKey('migrations')})`
  assert.equal(texts.slice(0, 3), ['BEGIN', 'SET LOCAL statement_timeout = 300000', lock])
  // Its own table, of whatever version, before it is read.
  assert.match(texts[3] ?? '', 'CREATE TABLE IF NOT EXISTS migrations')
  assert.match(texts[4] ?? '', 'ADD COLUMN IF NOT EXISTS version')
  const [read, schema, insert, ...rest] = texts.slice(5)
  assert.equal([read, schema], [listApplied, 'CREATE TABLE two (n BIGINT)'])
  assert.match(insert ?? '', 'INSERT INTO migrations')
  const noted = asked.find(({ text }) => text === insert)
  assert.equal(noted?.values, ['2', 'two', version, '1'])
  assert.equal(rest, [dropOldFences, 'COMMIT'])
  await waitFor('that session has ended', () => sessions[0]?.isOpen === false)
  await store.close()
  await close()
})
s('makes an empty database what this gateway knows, each migration noted behind it', async () => {
  const { url, applied, asked, textsOf, close } = await start()
  applied.length = 0
  const store = await open({ url })
  const texts = textsOf(0)
  const noted = asked.filter(({ text }) => text.includes('INSERT INTO migrations'))
  assert.equal(
    noted.map(({ values }) => values),
    migrations.map(({ id, name, needs = id }) => [`${id}`, name, version, `${needs}`]),
  )
  assert.match(texts.find((text) => text.includes('ledger_is_append_only()')) ?? '', 'plpgsql')
  // A charge that is given back leaves no row, and nothing else may go.
  assert.match(texts.join(), /WHEN \(OLD\.kind <> 'charge'\)/)
  assert.not.match(texts.join(), /undefined/)
  await store.close()
  await close()
})
s('leaves a schema alone that it does not know, and no session behind', async () => {
  const { url, applied, countOpen, textsOf, close } = await start()
  applied.push(row(3))
  const [refused] = await Promise.allSettled([openPostgresStore({ url, known })])
  assert.match(String((refused as { reason?: unknown }).reason), 'SchemaTooNew')
  assert.is(textsOf(0).at(-1), listApplied)
  await waitFor('its session has ended', () => countOpen() === 0)
  await close()
})
s('has sixteen connections at most, and one for each who asks up to that', async () => {
  const gate = Promise.withResolvers<void>()
  const server = await start(async ({ text }) => {
    if (text.startsWith('SELECT total')) await gate.promise
    return []
  })
  const store = await open({ url: server.url, known })
  const begun = server.sessions.length
  const asking = Array.from({ length: 20 }, (_, n) => store.ledger.balance(`key ${n}`))
  const waiting = () => server.asked.filter(({ text }) => text.startsWith('SELECT total')).length
  await waitFor('all connections are taken', () => waiting() >= 16)
  gate.resolve()
  await Promise.all(asking)
  assert.is(server.sessions.length - begun, 16)
  await store.close()
  // At once: idle ones would end by themselves after a while.
  await waitFor('all of them have ended', () => server.countOpen() === 0, { deadlineMs: 3_000 })
  await server.close()
})
s("goes by the database's clock unless it is to go by the caller's", async () => {
  const server = await start(async ({ text }) =>
    text.startsWith('SELECT') && text.endsWith(' AS ms') ? [{ ms: 9_000 }] : [],
  )
  const challenge = (nowMs: number) => ({
    nonce: 'n',
    address: '0x000000000000000000000000000000000000aaaa' as const,
    chainId: 1,
    message: '',
    expiresAtMs: nowMs,
  })
  const readAt = async (time?: 'caller') => {
    const store = await open({ url: server.url, known, time })
    const { expiresAtMs } = await store.challenges.insert({ nowMs: 5 }, challenge)
    await store.close()
    return expiresAtMs
  }
  assert.equal([await readAt(), await readAt('caller')], [9_000, 5])
  await server.close()
})
s('looks keys up and charges together what comes together', async () => {
  const server = await start(async ({ text }) =>
    text.includes('debited') ? [{ key_id: 'a', total: 9, used: 4 }] : [],
  )
  const store = await open({ url: server.url, known })
  const charge = (units: number) => store.ledger.charge({ keyId: 'a', units, ref: 'r', atMs: 5 })
  const [, charged] = await Promise.all([charge(1), charge(2)])
  assert.equal(charged, { status: 'charged', balance: { total: 9, used: 4, remaining: 5 } })
  const find = (secret: string) => store.keys.findBySecretHash(Buffer.from(secret), 5)
  assert.equal(await Promise.all([find('x'), find('y')]), [undefined, undefined])
  const [lookedUp] = server.asked.filter(({ text }) => text.includes('secret_hash = ANY'))
  const [debited] = server.asked.filter(({ text }) => text.includes('debited'))
  // By the database's clock: no time goes along.
  assert.equal([debited?.values[5], lookedUp?.values[1]], ['{NULL,NULL}', null])
  await store.close()
  await server.close()
})
s('outlives connections that break, and hears of each', async () => {
  const failures: string[] = []
  const server = await start(async ({ text, session }) => {
    if (text.startsWith('DELETE FROM challenges') && session === 2) server.sessions[2]?.cut()
    return [{ total: 7, used: 3 }]
  })
  const failed = ({ message }: Error) => void failures.push(message)
  const store = await open({ url: server.url, known, failed })
  assert.is((await store.ledger.balance('a')).remaining, 4)
  // While nobody uses it, then while it works.
  server.sessions[1]?.cut()
  await waitFor('it is heard of', () => failures.length > 0)
  const [lost] = await Promise.allSettled([store.challenges.use('a')])
  assert.ok((lost as { reason?: unknown }).reason instanceof StoreUnavailable)
  assert.is((await store.ledger.balance('a')).remaining, 4)
  assert.equal([...new Set(failures)], ['Connection terminated unexpectedly'])
  await store.close()
  await server.close()
})
s('is not opened where its connection breaks amid a migration', async () => {
  const { url, sessions, close } = await start(async ({ text }) => {
    if (text === 'BEGIN') sessions[0]?.cut()
    return []
  })
  const [refused] = await Promise.allSettled([open({ url, known })])
  assert.match(String((refused as { reason?: unknown }).reason), 'Connection terminated')
  await close()
})
s('ends who stands for an office with the store', async () => {
  const server = await start(async ({ text }) =>
    text.includes('offices') ? [{ term: 1 }] : [{ won: true }],
  )
  const store = await open({ url: server.url, known })
  const told: string[] = []
  const { isHeld } = store.coordination.elect({ name: 'x', lost: () => told.push('lost') })
  await waitFor('it holds the office', isHeld)
  await store.close()
  assert.equal([isHeld(), told], [false, ['lost']])
  await waitFor('nobody is connected', () => server.countOpen() === 0)
  await server.close()
})
s('sets for each session what the store relies on, whatever the database has', async () => {
  const server = await start()
  const store = await open({ url: server.url, known })
  await store.isReachable()
  await store.close()
  assert.is(server.sessions.length, 2)
  for (const { startup } of server.sessions) {
    const { options = '', application_name: name } = startup
    assert.is(name, `forkyard ${process.pid}`)
    for (const setting of [
      'default_transaction_isolation=read\\ committed',
      'synchronous_commit=on',
    ])
      assert.match(options, `-c ${setting}`)
    assert.is(options.split('-c ').length, 9)
  }
  await server.close()
})
s('reads whole numbers as such, and waits for no silent connection', () => {
  const { types, query_timeout: silentAfterMs, keepAlive } = toClientConfig('postgres://u@h/d')
  assert.equal([silentAfterMs, keepAlive], [8_000, true])
  const parse = (oid: number) => types?.getTypeParser(oid, 'text') as (text: string) => unknown
  assert.equal([parse(20)('7'), parse(16)('t'), parse(25)('7')], [7, true, '7'])
})
s.run()
