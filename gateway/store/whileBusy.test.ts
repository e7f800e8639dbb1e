import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { isBusy, whileBusy } from './whileBusy.ts'

/** By a clock that is set here; `foreignLock.test.ts` has a file that is locked. */
const s = suite('store/whileBusy')
let nowMs = 0
s.before(() => void mock.method(performance, 'now', () => nowMs))
s.after(() => mock.restoreAll())
const failWith = (code: unknown) => Object.assign(new Error('failed'), { code })

s('knows what the lock of another process is', () => {
  for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY'])
    assert.ok(isBusy(failWith(code)), code)
  for (const error of [failWith('SQLITE_FULL'), failWith(5), new Error('SQLITE_BUSY'), undefined])
    assert.not.ok(isBusy(error))
  assert.not.ok(isBusy({ code: 'SQLITE_BUSY' }))
})
s('tries again until the lock is gone, and answers what the work does', async () => {
  let tries = 0
  const startedAtMs = Date.now()
  const answer = await whileBusy(() => {
    tries += 1
    if (tries < 3) throw failWith('SQLITE_BUSY')
    return 7
  })
  assert.equal([answer, tries], [7, 3])
  // A moment lies between.
  assert.ok(Date.now() - startedAtMs >= 45)
})
s('gives up after five seconds, and at once for anything else', async () => {
  const tryOver = async (code: string, tookMs: readonly number[]) => {
    let tries = 0
    const [ended] = await Promise.allSettled([
      whileBusy(() => {
        nowMs += tookMs[tries] ?? 0
        tries += 1
        throw failWith(code)
      }),
    ])
    return [ended.status, tries]
  }
  assert.equal(await tryOver('SQLITE_BUSY', [5_000, 1]), ['rejected', 2])
  assert.equal(await tryOver('SQLITE_BUSY', [5_001]), ['rejected', 1])
  assert.equal(await tryOver('SQLITE_FULL', []), ['rejected', 1])
})
s.run()
