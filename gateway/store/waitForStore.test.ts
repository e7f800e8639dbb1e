import { mock } from 'node:test'
import { freePort } from '../../fixtures/freePort.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitForStore } from './waitForStore.ts'

/** By a clock that is set here; `sharedDatabase.test.ts` has a database that comes back. */
const s = suite('store/waitForStore')
let nowMs = 0
s.before(() => void mock.method(performance, 'now', () => nowMs))
s.after(() => mock.restoreAll())

const failed = () => undefined
const messageOf = (opened: Promise<unknown>) =>
  opened.then(
    () => 'opened',
    ({ message, code }: NodeJS.ErrnoException) => code ?? message,
  )

s('waits for a database that is away for five minutes, and tells so each time', async () => {
  const databaseUrl = `postgres://nobody@127.0.0.1:${await freePort()}/none`
  const told: number[] = []
  const waiting = () => {
    told.push(nowMs)
    nowMs = told.length === 1 ? 300_000 : 300_001
  }
  const config = { databasePath: '', databaseUrl }
  assert.match(
    await messageOf(waitForStore(config, { waiting, failed })),
    /ECONNREFUSED|does not answer/,
  )
  assert.equal(told, [0, 300_000])
})
s('waits for no file that cannot be opened', async () => {
  let told = 0
  const waiting = () => {
    told += 1
  }
  const config = { databasePath: '/nowhere/at/all.sqlite', databaseUrl: undefined }
  assert.match(await messageOf(waitForStore(config, { waiting, failed })), /directory|CANTOPEN/)
  assert.is(told, 0)
})
s.run()
