import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { startScriptedPostgres } from '../../fixtures/store/scriptedPostgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openPostgresStore } from './openPostgresStore.ts'
import { openStore } from './openStore.ts'
import { createPorts } from './ports.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

/** What is asked of a database itself. */
const s = suite('store/ports')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-ports-'))
const path = join(dir, 'x.sqlite')
s.after(() => rmSync(dir, { recursive: true }))

s('says whether a file answers and takes writes, and how large it is', async () => {
  const store = openStore({ path })
  assert.equal([await store.isReachable(), await store.isWritable()], [true, true])
  store.db.pragma('wal_checkpoint(TRUNCATE)')
  assert.is(await store.readSize(), statSync(path).size)
  store.close()
  assert.equal([await store.isReachable(), await store.isWritable()], [false, false])
})
s('says of one that can only be read that it takes none', async () => {
  const db = new Database(path, { readonly: true })
  const ports = createPorts(createSqliteEngine(db))
  assert.equal([await ports.isReachable(), await ports.isWritable()], [true, false])
  db.close()
})
s('writes no row to find out, and asks PostgreSQL for all that the database takes', async () => {
  const server = await startScriptedPostgres(({ text }) => {
    if (text.includes('pg_logical_emit_message')) return isFull ? { code: '53100' } : []
    return text.includes('pg_database_size') ? [{ bytes: 9_000 }] : []
  })
  let isFull = false
  const store = await openPostgresStore({ url: server.url, known: [] })
  assert.equal([await store.isReachable(), await store.isWritable()], [true, true])
  assert.is(await store.readSize(), 9_000)
  isFull = true
  assert.equal([await store.isReachable(), await store.isWritable()], [true, false])
  await store.close()
  await server.close()
})
s.run()
