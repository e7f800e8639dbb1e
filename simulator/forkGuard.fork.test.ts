import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../fixtures/test.ts'
import { sweepForks } from './forkGuard.ts'
import { createProcessForks } from './processForks.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { isRunning, waitFor } from './testing/waitFor.ts'

const s = suite('fork guard')
const world = await startSwapWorld()
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
s.after(async () => {
  rmSync(dir, { recursive: true, force: true })
  await world.chain.close()
})

const pidsIn = (forkDir: string) => readdirSync(forkDir).map((name) => Number.parseInt(name, 10))

async function startHolder(forkDir: string) {
  const script = join(import.meta.dirname, 'testing', 'holdSimulator.ts')
  const holder = spawn(process.execPath, [script, world.chain.rpcUrl, forkDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pids = await new Promise<number[]>((resolve) => {
    holder.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString())))
  })
  const gone = new Promise((resolve) => holder.once('exit', resolve))
  return { holder, pids, gone }
}

s('leaves no process and no record after close, and tells what it holds [sim/memory]', async () => {
  const forkDir = join(dir, 'close')
  const simulator = await createSimulator({
    chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
    forks: createProcessForks({ forkDir }),
  })
  const pids = pidsIn(forkDir)
  assert.is(pids.length, 1)
  assert.ok(pids.every(isRunning))
  assert.ok(((await simulator.memoryBytes(8453)) ?? 0) > 5_000_000)
  assert.is(await simulator.memoryBytes(42161), 0)
  await simulator.close()
  assert.not(pids.some(isRunning))
  assert.is(await simulator.memoryBytes(8453), 0)
  assert.not(existsSync(forkDir))
})
for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const)
  s(`leaves no fork behind when its owner gets ${signal}`, async () => {
    const { holder, pids, gone } = await startHolder(join(dir, signal))
    assert.ok(pids.length > 0 && pids.every(isRunning))
    holder.kill(signal)
    await gone
    await waitFor('the forks are gone', () => !pids.some(isRunning))
  })
s('kills a stopped fork of a dead owner, too', async () => {
  const { holder, pids, gone } = await startHolder(join(dir, 'stopped'))
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  holder.kill('SIGKILL')
  await gone
  await waitFor('the forks are gone', () => !pids.some(isRunning))
})
s('sweeps what a dead owner left, and only that [sim/sweeps]', async () => {
  const forkDir = join(dir, 'sweep')
  const { holder, pids, gone } = await startHolder(forkDir)
  assert.equal(sweepForks({ forkDir }), [])
  assert.ok(pids.every(isRunning))
  holder.kill('SIGKILL')
  await gone
  await waitFor('the forks are gone', () => !pids.some(isRunning))
  sweepForks({ forkDir })
  assert.not(existsSync(forkDir))
})
s.run()
