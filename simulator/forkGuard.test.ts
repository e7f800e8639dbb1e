import childProcess, { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { assert, suite } from '../fixtures/test.ts'
import { createForkGuard, killFork, sweepForks } from './forkGuard.ts'
import { isRunning } from './processes.ts'
import { processTable } from './processTable.ts'

/** Beside processes that do nothing; `forkGuard.fork.test.ts` asks real forks. */
const s = suite('simulator/forkGuard')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
s.after.each(() => mock.restoreAll())
const idle: ChildProcess[] = []
let folders = 0
s.after(() => {
  for (const each of idle) each.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})
async function startIdle() {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  idle.push(child)
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error('it has no process id')
  return { pid, gone: once(child, 'exit') }
}
/** The id of a process that is no more. */
async function endedPid() {
  const { pid, gone } = await startIdle()
  killFork(pid)
  await gone
  return pid
}
const newFolder = () => join(dir, `${++folders}`)
const startOf = (pid: number) => processTable.readStart(pid)
const modeOf = (path: string) => statSync(path).mode & 0o777

s('writes down whose a fork is, until it is released [teeth/guard]', async () => {
  const forkDir = newFolder()
  const guard = createForkGuard({ forkDir })
  assert.is(modeOf(forkDir), 0o700)
  const { pid } = await startIdle()
  // Somebody's sweep has removed the empty folder.
  rmSync(forkDir, { recursive: true })
  guard.adopt(pid)
  assert.equal(JSON.parse(readFileSync(join(forkDir, `${pid}.json`), 'utf8')), {
    pid,
    startedAt: startOf(pid),
    ownerPid: process.pid,
    ownerStartedAt: startOf(process.pid),
  })
  // For nobody else of this machine.
  assert.equal([modeOf(forkDir), modeOf(join(forkDir, `${pid}.json`))], [0o700, 0o600])
  guard.release(pid)
  guard.release(pid)
  assert.equal(readdirSync(forkDir), [])
  guard.close()
  assert.not.ok(existsSync(forkDir))
  assert.ok(isRunning(pid), 'it is nobody of ours any more')
})
s(
  'ends what it holds when it closes, and listens for no end of the process then [teeth/guard]',
  async () => {
    const listeners = process.listenerCount('exit')
    const forkDir = newFolder()
    const guard = createForkGuard({ forkDir })
    assert.is(process.listenerCount('exit'), listeners + 1)
    const { pid, gone } = await startIdle()
    guard.adopt(pid)
    guard.close()
    await gone
    assert.is(process.listenerCount('exit'), listeners)
    // What is not released stays on record.
    assert.equal(readdirSync(forkDir), [`${pid}.json`])
  },
)
s('takes one that has ended before for ended [teeth/guard]', async () => {
  const pid = await endedPid()
  killFork(pid)
  const forkDir = newFolder()
  const guard = createForkGuard({ forkDir })
  guard.adopt(pid)
  assert.is(JSON.parse(readFileSync(join(forkDir, `${pid}.json`), 'utf8')).startedAt, '')
  guard.close()
  guard.close()
  assert.throws(() => killFork(0.5))
})
for (const [what, isReleased] of [
  ['ends what a killed owner held', false],
  ['leaves what it had released', true],
] as const)
  s(`${what} [teeth/guard-reaper]`, async () => {
    const [held, other] = [await startIdle(), await startIdle()]
    const module = pathToFileURL(join(import.meta.dirname, 'forkGuard.ts')).href
    const code = `import { createForkGuard } from ${JSON.stringify(module)}
      const guard = createForkGuard({ forkDir: ${JSON.stringify(newFolder())} })
      guard.adopt(${held.pid})
      guard.adopt(${other.pid})
      if (${isReleased}) guard.release(${held.pid})
      setImmediate(() => process.stdout.write('ready'))
      setInterval(() => undefined, 60_000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    idle.push(owner)
    await once(owner.stdout, 'data')
    owner.kill('SIGKILL')
    await other.gone
    if (!isReleased) await held.gone
    assert.is(isRunning(held.pid), isReleased)
  })
s('sweeps what a dead owner left, and forgets what is no more [teeth/guard-sweep]', async () => {
  const forkDir = newFolder()
  mkdirSync(forkDir)
  const gone = await endedPid()
  const left = await startIdle()
  const owned = await startIdle()
  const reused = await startIdle()
  const unknown = await startIdle()
  const write = (name: string, record: object) =>
    writeFileSync(join(forkDir, name), JSON.stringify(record))
  const dead = { ownerPid: gone, ownerStartedAt: 'long ago' }
  write('left.json', { pid: left.pid, startedAt: startOf(left.pid), ...dead })
  write('owned.json', {
    pid: owned.pid,
    startedAt: startOf(owned.pid),
    ownerPid: process.pid,
    ownerStartedAt: startOf(process.pid),
  })
  // Its id, and that of its owner, are somebody else's by now.
  write('reused.json', {
    pid: reused.pid,
    startedAt: 'long ago',
    ownerPid: process.pid,
    ownerStartedAt: 'long ago',
  })
  // One of a system that told no time of its start.
  write('unknown.json', { pid: unknown.pid, startedAt: '', ownerPid: gone, ownerStartedAt: '' })
  write('ended.json', { pid: gone, startedAt: '', ...dead })
  writeFileSync(join(forkDir, 'garbled.json'), '{')
  writeFileSync(join(forkDir, 'note.txt'), 'of somebody else')
  assert.equal(sweepForks({ forkDir }), [left.pid])
  await left.gone
  assert.equal(readdirSync(forkDir).toSorted(), ['note.txt', 'owned.json'])
  for (const { pid } of [owned, reused, unknown]) assert.ok(isRunning(pid))
  assert.equal(sweepForks({ forkDir }), [])
})
s(
  'finds nothing where nothing was kept, and leaves no empty folder [teeth/guard-sweep]',
  async () => {
    const forkDir = newFolder()
    assert.equal(sweepForks({ forkDir }), [])
    mkdirSync(forkDir)
    assert.equal(sweepForks({ forkDir }), [])
    assert.not.ok(existsSync(forkDir))
    writeFileSync(forkDir, 'no folder')
    assert.throws(() => sweepForks({ forkDir }), /ENOTDIR/)
  },
)
/** Starts a guard whose shell is started by `spawnBy`. */
function guardBy(forkDir: string, spawnBy: typeof start) {
  const replaced = mock.method(childProcess, 'spawn', spawnBy)
  syncBuiltinESMExports()
  try {
    return createForkGuard({ forkDir })
  } finally {
    replaced.mock.restore()
    syncBuiltinESMExports()
  }
}
const start = (file: string, args: readonly string[], options: SpawnOptions) =>
  realSpawn(file, args, options)
const realSpawn = spawn

s('has its shell end what it could not end itself [teeth/guard]', async () => {
  const forkDir = newFolder()
  const guard = createForkGuard({ forkDir })
  const { pid, gone } = await startIdle()
  guard.adopt(pid)
  const kill = mock.method(process, 'kill', () => true)
  guard.close()
  assert.equal(
    kill.mock.calls.map(({ arguments: args }) => args as readonly unknown[]),
    [[pid, 'SIGKILL']],
  )
  await gone
})
s('holds what it has without a shell, and after that is gone [teeth/guard]', async () => {
  const shells: ChildProcess[] = []
  const guards = ['/no/such/shell', '/bin/sh'].map((file) =>
    guardBy(newFolder(), (_, args, options) => {
      const shell = start(file, args, options)
      shells.push(shell)
      return shell
    }),
  )
  const [, shell] = shells
  shell?.kill('SIGKILL')
  if (shell) await once(shell, 'exit')
  for (const [index, guard] of guards.entries()) {
    const { pid, gone } = await startIdle()
    guard.adopt(pid)
    const stdin = shells[index]?.stdin
    // What is written to nobody fails a moment later.
    if (stdin && !stdin.closed) await new Promise((resolve) => stdin.once('close', resolve))
    guard.close()
    await gone
  }
})
s('shares its folder with other gateways, and takes nothing else for it [teeth/guard]', () => {
  const forkDir = newFolder()
  const [one, other] = [createForkGuard({ forkDir }), createForkGuard({ forkDir })]
  one.close()
  other.close()
  const lost = createForkGuard({ forkDir })
  rmSync(forkDir, { recursive: true, force: true })
  writeFileSync(forkDir, 'no folder')
  assert.throws(() => lost.close(), /ENOTDIR/)
})
s('keeps no process from ending by itself [teeth/guard]', async () => {
  const module = pathToFileURL(join(import.meta.dirname, 'forkGuard.ts')).href
  const code = `import { createForkGuard } from ${JSON.stringify(module)}
    createForkGuard({ forkDir: ${JSON.stringify(newFolder())} })`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
  idle.push(owner)
  assert.equal(await once(owner, 'exit'), [0, null])
})
s.run()
