import { spawn } from 'node:child_process'
import { assert, suite } from '../fixtures/test.ts'
import { endMarked, findMarked, isRunning, signal, waitUntil } from './processes.ts'

const processes = suite('lab processes')
const marker = `FORKYARD_LAB=/test/${process.pid}` as const

function start(script: string) {
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, FORKYARD_LAB: marker.slice('FORKYARD_LAB='.length) },
  })
  return new Promise<number>((resolve) => {
    child.stdout.once('data', () => resolve(child.pid ?? 0))
  })
}
const idle = `setInterval(() => {}, 1000); console.log('up')`
const stubborn = `process.on('SIGTERM', () => {}); ${idle}`

processes('finds the marked processes and no others', async () => {
  const pid = await start(idle)
  assert.equal(findMarked(marker), [pid])
  assert.equal(findMarked(`${marker}/other`), [])
  // It ends when it is asked to: nothing is waited for.
  assert.is(await endMarked(marker, { graceMs: 60_000 }), 1)
  assert.not.ok(isRunning(pid))
  signal(pid, 'SIGTERM')
  assert.throws(() => signal(0.5, 'SIGTERM'))
  assert.is(await endMarked(marker), 0)
})

processes('ends what is asked to stop, and what refuses', async () => {
  const pids = [await start(idle), await start(stubborn)]
  assert.is(await endMarked(marker, { graceMs: 300 }), 2)
  assert.equal(pids.map(isRunning), [false, false])
})

processes('tells in time that a condition never holds', async () => {
  assert.is(await waitUntil(() => false, { timeoutMs: 60 }), false)
})

processes.run()
