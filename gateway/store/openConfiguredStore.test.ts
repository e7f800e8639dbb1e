import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedPostgres } from '../../fixtures/store/scriptedPostgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { openConfiguredStore } from './openConfiguredStore.ts'

const s = suite('store/openConfiguredStore')
const folder = mkdtempSync(join(tmpdir(), 'forkyard-configured-'))
s.after(() => rmSync(folder, { recursive: true }))

s('opens the file where no URL is given, until it is closed', async () => {
  const databasePath = join(folder, 'x.sqlite')
  const store = await openConfiguredStore({ databasePath, databaseUrl: undefined })
  assert.equal([existsSync(databasePath), await store.isReachable()], [true, true])
  await store.close()
  assert.is(await store.isReachable(), false)
})
s('opens the database of a URL instead, and tells of its broken connections', async () => {
  const server = await startScriptedPostgres(() => [])
  const failures: string[] = []
  const failed = ({ message }: Error) => void failures.push(message)
  const databasePath = join(folder, 'not-this.sqlite')
  const store = await openConfiguredStore({ databasePath, databaseUrl: server.url }, { failed })
  assert.equal([existsSync(databasePath), await store.isReachable()], [false, true])
  server.sessions.at(-1)?.cut()
  await waitFor('it is heard of', () => failures.length > 0)
  await store.close()
  await server.close()
})
s.run()
