import { openAt, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Access } from './engine.ts'
import { openAsItIs } from './openAsItIs.ts'
import { createOperatorLog } from './operatorLog.ts'

const row = { operator: 'me', command: 'test', subject: '', phase: 'done', detail: '{}' } as const

for (const { name, createDatabase, close } of await startStoreEngines()) {
  const s = suite(`a ${name} as it is`)
  s.after(close)
  const toConfig = (address: string) =>
    name === 'SQLite'
      ? { databasePath: address, databaseUrl: undefined }
      : { databasePath: '', databaseUrl: address }

  async function append(address: string, access: Access): Promise<string> {
    const { engine, close } = await openAsItIs(toConfig(address), access)
    const entry = { ...row, run: access, atMs: 1 }
    return createOperatorLog(engine)
      .append(entry)
      .then(
        () => 'written',
        ({ message, cause }: Error) => `${message} ${cause}`,
      )
      .finally(close)
  }

  s('is written by who may, and read by the others', async () => {
    const address = await createDatabase()
    const store = await openAt(address)
    assert.match(await append(address, 'read'), /readonly|read-only/)
    assert.is(await append(address, 'write'), 'written')
    assert.equal(
      (await store.operatorLog.list(9)).map(({ run }) => run),
      ['write'],
    )
    await store.close()
  })

  s('is not migrated', async () => {
    const empty = await createDatabase()
    if (name === 'SQLite')
      assert.match(
        await append(empty, 'write').catch((error: Error) => error.message),
        'unable to open',
      )
    else assert.match(await append(empty, 'write'), 'does not exist')
  })
  s.run()
}
