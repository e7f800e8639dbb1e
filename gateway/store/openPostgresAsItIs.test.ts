import { startScriptedPostgres } from '../../fixtures/store/scriptedPostgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { openAsItIs } from './openAsItIs.ts'
import { sql } from './program.ts'

const s = suite('store/openPostgresAsItIs')
const count = sql('SELECT 7 AS count')

async function ask(access: 'read' | 'write') {
  const server = await startScriptedPostgres(({ text }) =>
    text.endsWith(' AS ms') ? [{ ms: 9 }] : [{ count: 7 }],
  )
  const database = { databasePath: '', databaseUrl: server.url }
  const { engine, close } = await openAsItIs(database, access)
  const counts = await Promise.all([1, 2].map(() => engine.read(() => count.count())))
  const clock = await engine.read(() => engine.clock(5))
  const { sessions, asked } = server
  // One that breaks while nobody asks is replaced.
  sessions[0]?.cut()
  await waitFor('it is gone', () => server.countOpen() === 0)
  counts.push(await engine.read(() => count.count()))
  await close()
  await waitFor('nobody is connected', () => server.countOpen() === 0)
  await server.close()
  return { counts, clock, options: sessions[0]?.startup['options'] ?? '', sessions, asked }
}

s('asks a database on one connection, and migrates nothing', async () => {
  const { counts, clock, sessions, asked } = await ask('read')
  assert.equal([counts, clock], [[7, 7, 7], 9])
  assert.equal([sessions.length, asked.filter(({ session }) => session === 0).length], [2, 3])
  assert.equal([...new Set(asked.slice(0, 2).map(({ text }) => text))], ['SELECT 7 AS count'])
})
s('writes nothing for whoever only reads, who may ask for ten minutes', async () => {
  const [read, write] = [await ask('read'), await ask('write')]
  const more = ' -c default_transaction_read_only=on -c statement_timeout=600000'
  assert.is(read.options, `${write.options}${more}`)
  assert.match(write.options, 'synchronous_commit=on')
})
s.run()
