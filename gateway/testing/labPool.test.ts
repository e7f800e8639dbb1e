import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import type { LabManifest } from '../lab/manifest.ts'
import { type HeldLab, holdLab, writePool } from './labPool.ts'

const s = suite('labs of a pool')
const dirs: string[] = []
const makePool = (size = 1) => {
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-pool-test-'))
  dirs.push(dir)
  const manifests = Array.from({ length: size }, (_, pid) => ({ pid }) as LabManifest)
  writePool(dir, manifests)
  return dir
}
s.after(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true })
})
const hold = async (dir: string, timeoutMs = 50) => {
  const left: unknown[] = []
  const putBack = async (_: unknown, snapshots: object) => void left.push(snapshots)
  const held = await holdLab(dir, { timeoutMs, putBack })
  return { ...held, left: left[0] }
}
const refusal = (holding: Promise<HeldLab>) =>
  holding.then(() => '').catch((error: Error) => error.message)

/** Another process that holds a lab and is killed; `work` is what it does with it. */
function dieIn(dir: string, work: string) {
  const kit = join(import.meta.dirname, 'labPool.ts')
  const code = `import Database from 'better-sqlite3'
    const { holdLab } = await import(${JSON.stringify(kit)})
    const dir = ${JSON.stringify(dir)}
    const die = () => process.kill(process.pid, 'SIGKILL')
    ${work}`
  const args = ['--input-type=module', '-e', code]
  const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.is(signal, 'SIGKILL', stderr)
}

s('one holds it, and has given it back once and for all', async () => {
  const dir = makePool()
  const first = await hold(dir)
  assert.match(await refusal(hold(dir)), /no lab of the pool was free/)
  first.release()
  const second = await hold(dir)
  first.release()
  first.note({ 8453: '0x1' })
  assert.match(await refusal(hold(dir)), /no lab of the pool was free/)
  second.release()
  assert.equal((await hold(dir)).left, {})
})
s('what a dead holder left is put back before it is handed out', async () => {
  const dir = makePool()
  const noted = "held.note({ 8453: '0x7' })"
  dieIn(dir, `const held = await holdLab(dir, { putBack: async () => {} }); ${noted}; die()`)
  const held = await hold(dir)
  assert.equal(held.left, { 8453: '0x7' })
  held.release()
  assert.equal((await hold(dir)).left, {})
})
s('nobody is kept out by one who is killed while he takes over from a dead one', async () => {
  const dir = makePool()
  const noted = "held.note({ 8453: '0x7' })"
  dieIn(dir, `const held = await holdLab(dir, { putBack: async () => {} }); ${noted}; die()`)
  dieIn(dir, 'await holdLab(dir, { putBack: die })')
  dieIn(
    dir,
    `const db = new Database(dir + '/pool.sqlite')
     db.exec('BEGIN IMMEDIATE; UPDATE labs SET pid = 1'); die()`,
  )
  assert.equal((await hold(dir)).left, { 8453: '0x7' })
})
s('a process with the number of a dead holder holds nothing', async () => {
  const dir = makePool()
  dieIn(dir, 'await holdLab(dir, { putBack: die })')
  const { default: Database } = await import('better-sqlite3')
  const db = new Database(join(dir, 'pool.sqlite'))
  db.prepare('UPDATE labs SET pid = ?').run(process.pid)
  db.close()
  assert.equal((await hold(dir)).left, {})
})
s('what could not be put back is left to the next one', async () => {
  const dir = makePool()
  const noted = "held.note({ 8453: '0x7' })"
  dieIn(dir, `const held = await holdLab(dir, { putBack: async () => {} }); ${noted}; die()`)
  const putBack = () => Promise.reject(new Error('no chain'))
  assert.is(await refusal(holdLab(dir, { putBack })), 'no chain')
  assert.equal((await hold(dir)).left, { 8453: '0x7' })
})
s('each of several is held by one', async () => {
  const dir = makePool(2)
  const [one, other] = [await hold(dir), await hold(dir)]
  assert.equal([one, other].map(({ manifest }) => manifest.pid).sort(), [0, 1])
  assert.match(await refusal(hold(dir)), /no lab of the pool was free/)
  one.release()
  assert.equal((await hold(dir)).manifest, one.manifest)
})
s.run()
