import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { query } from '../../../fixtures/store/postgres.ts'
import { openAt, startStoreEngines } from '../../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createLog } from '../../observe/log.ts'
import { createAudits } from './audits.ts'

const s = suite('ops/audits')
const engines = await startStoreEngines()
s.after(async () => {
  for (const engine of engines) await engine.close()
})

function createDesk(address: string) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'debug', secrets: [], destination })
  let ms = 0
  const now = () => {
    ms += 5
    return ms
  }
  const isServer = address.startsWith('postgres:')
  const database = { databasePath: address, databaseUrl: isServer ? address : undefined }
  return { audits: createAudits({ log, now }, { database, trusted: [] }), lines }
}

async function grantKeys(address: string, count: number): Promise<void> {
  const store = await openAt(address)
  const rest = {
    label: '',
    wallet: undefined,
    scopes: ['quote'],
    createdAtMs: 1,
    quotes: 7,
  } as const
  for (let left = count; left > 0; left -= 1) {
    const [id, idHash] = [`key_${left}`, `0x${left}`] as const
    await store.keys.insert({ id, idHash, secretHash: Buffer.from(id), start: id, ...rest })
  }
  await store.close()
}

/** Past the store. */
async function execute(address: string, statement: string): Promise<void> {
  if (address.startsWith('postgres:')) return void (await query(address, statement))
  const db = new Database(address)
  db.exec(statement)
  db.close()
}

for (const engine of engines)
  s(`audits beside the thread that serves, on ${engine.name} [ops/audits]`, async () => {
    const address = await engine.createDatabase()
    // Each is found by its balance and by its total.
    await grantKeys(address, 51)
    const { audits } = createDesk(address)
    assert.equal(audits.state(), {})
    let threads = 0
    const count = () => {
      threads += 1
    }
    process.on('worker', count)
    const [first, joined] = [audits.run(), audits.run()]
    assert.is(first, joined)
    assert.equal(audits.state(), { runningSinceMs: 5 })
    await first
    process.off('worker', count)
    assert.is(threads, 1)
    assert.equal(audits.state(), { last: { found: 0, faults: [], atMs: 5, tookMs: 5 } })
    await execute(address, 'UPDATE balances SET total = total + 3')
    await audits.run()
    const { found, faults, atMs } = audits.state().last ?? {}
    assert.equal([found, faults?.length, atMs], [102, 100, 15])
    const one = faults?.find(({ row }) => row === 'key_1')
    assert.equal(one, { check: 'balance', row: 'key_1', found: '10, its ledger 7' })
    assert.equal(await audits.close(), undefined)
  })

s('says that none could be made, and nothing of where the database is [ops/audits]', async () => {
  const secret = 'hunter2'
  for (const address of [
    `postgres://me:${secret}@127.0.0.1:1/books`,
    `/nowhere/${secret}.sqlite`,
  ]) {
    const { audits, lines } = createDesk(address)
    await audits.run()
    assert.equal(audits.state(), { failedAtMs: 5 })
    assert.is(lines.length, 1)
    assert.match(lines[0] ?? '', 'the books could not be audited')
    assert.not.match(lines[0] ?? '', secret)
  }
})

s('one that is under way when the gateway closes ends with it [ops/audits]', async () => {
  const { audits } = createDesk('/nowhere/a.sqlite')
  const over = audits.run()
  await audits.close()
  await over
  assert.equal(audits.state(), { failedAtMs: 5 })
})

s(
  'one that has just begun loads what it needs before it is ended [ops/audits-loaded]',
  async () => {
    const said: unknown[] = []
    const hear = (worker: Worker) => {
      worker.on('message', (word) => said.push(word))
      worker.on('exit', () => said.push('ended'))
    }
    process.once('worker', hear)
    const { audits } = createDesk('/nowhere/a.sqlite')
    const over = audits.run()
    await audits.close()
    await over
    assert.equal(said, ['loaded', 'ended'])
  },
)
s.run()
