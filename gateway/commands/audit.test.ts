import { failureOf } from '../../fixtures/backups/failureOf.ts'
import { openAt, startSqlite } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { auditCommand } from './audit.ts'

const s = suite('commands/audit')
const { createDatabase, close } = await startSqlite()
s.after(close)

s('asks for no node where it is to ask none [24/audit-offline]', async () => {
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  const env = { KEY_PEPPER: 'p'.repeat(32), DATABASE_PATH: await createDatabase() }
  await (await openAt(env.DATABASE_PATH)).close()
  const type = (...words: readonly string[]) =>
    auditCommand(print, env).parseAsync([...words], { from: 'user' })
  await type('--offline')
  assert.is(printed, 'the books balance\n')
  assert.match(await failureOf(type()), 'set BASE_RPC_URL')
})
s.run()
