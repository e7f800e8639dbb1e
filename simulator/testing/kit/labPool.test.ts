import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { holdLab } from './labPool.ts'

const s = suite('labs of a pool')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-pool-test-'))
const lock = join(dir, '0.lock')
/** Greater than any process id of Linux. */
const nobody = 2 ** 30
const readLock = () => JSON.parse(readFileSync(lock, 'utf8')) as Record<string, unknown>
const die = (snapshots: object) => writeFileSync(lock, JSON.stringify({ pid: nobody, snapshots }))
writeFileSync(join(dir, '0.json'), '{}')
s.before.each(() => rmSync(lock, { force: true }))
s.after(() => rmSync(dir, { recursive: true }))

s('one holds it, and has given it back once and for all', async () => {
  const held = await holdLab(dir, { putBack: async () => undefined })
  held.note({ 8453: '0x1' })
  assert.equal(readLock(), { pid: process.pid, snapshots: { 8453: '0x1' } })
  held.release()
  writeFileSync(lock, "somebody else's")
  held.release()
  held.note({})
  assert.is(readFileSync(lock, 'utf8'), "somebody else's")
})
s('what a dead holder left is put back before it is handed out', async () => {
  die({ 8453: '0x7' })
  const left: unknown[] = []
  const held = await holdLab(dir, { putBack: async (_, snapshots) => void left.push(snapshots) })
  assert.equal(left, [{ 8453: '0x7' }])
  assert.equal(readLock(), { pid: process.pid, snapshots: {} })
  held.release()
  assert.not(existsSync(lock))
})
s('what could not be put back is left to the next one', async () => {
  die({ 8453: '0x7' })
  const refused = holdLab(dir, { putBack: () => Promise.reject(new Error('no chain')) })
  assert.is(await refused.catch((error: Error) => error.message), 'no chain')
  assert.equal(readLock(), { pid: process.pid, snapshots: { 8453: '0x7' } })
})
s('while another takes it over nobody else does', async () => {
  die({})
  writeFileSync(`${lock}.turn`, '')
  const putBack = () => Promise.reject(new Error('it was taken'))
  const late = holdLab(dir, { timeoutMs: 100, putBack })
  const refusal = await late.then(() => '').catch((error: Error) => error.message)
  assert.match(refusal, /no lab of the pool was free/)
  rmSync(`${lock}.turn`)
})
s.run()
