import childProcess, { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import { anvilBinary } from './anvilBinary.ts'
import { createProcessForks } from './processForks.ts'
import { processTable } from './processTable.ts'
import { answeringAnvil, fakeAnvil } from './testing/fakeAnvil.ts'

const s = suite('simulator/processForks')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
s.after(() => rmSync(dir, { recursive: true, force: true }))
const upstreamUrl = 'http://127.0.0.1:9'

s('ends at first what a gateway has left that is gone', async () => {
  const forkDir = join(dir, 'left')
  mkdirSync(forkDir)
  const left = spawn('sleep', ['600'], { stdio: 'ignore' })
  const gone = once(left, 'exit')
  await once(left, 'spawn')
  const startedAt = processTable.readStart(left.pid ?? 0)
  const record = { pid: left.pid, startedAt, ownerPid: 2 ** 30, ownerStartedAt: 'long ago' }
  writeFileSync(join(forkDir, 'left.json'), JSON.stringify(record))
  const forks = createProcessForks({ forkDir })
  await gone
  assert.equal(readdirSync(forkDir), [])
  assert.equal([await forks.findHost(), await forks.memoryBytes(8453)], ['127.0.0.1', 0])
  await forks.close()
  assert.not.ok(existsSync(forkDir))
})
s('knows what the forks of a chain hold together, and ends them all with itself', async () => {
  const stand = fakeAnvil(dir, 'answers', answeringAnvil)
  const start = spawn
  const replaced = mock.method(
    childProcess,
    'spawn',
    (file: string, args: readonly string[], options: SpawnOptions) =>
      start(file === anvilBinary() ? stand : file, args, options),
  )
  syncBuiltinESMExports()
  try {
    const forks = createProcessForks({ forkDir: join(dir, 'held') })
    const of = (chainId: number) => forks.startFork({ chainId, upstreamUrl, blockNumber: 1n })
    const [one, two, other] = await Promise.all([of(8453), of(8453), of(1)])
    const bytesOf = ({ pid }: { readonly pid: number }) => processTable.readMemoryBytes(pid) ?? 0
    const isNear = (bytes: number | undefined, expected: number) =>
      bytes !== undefined && bytes > expected / 1.3 && bytes < expected * 1.3
    assert.ok(isNear(await forks.memoryBytes(8453), bytesOf(one) + bytesOf(two)))
    assert.ok(isNear(await forks.memoryBytes(1), bytesOf(other)))
    await other.kill()
    assert.is(await forks.memoryBytes(1), 0)
    await forks.close()
    await Promise.all([one.exited, two.exited])
    await Promise.all([one.kill(), two.kill()])
  } finally {
    replaced.mock.restore()
    syncBuiltinESMExports()
  }
})
s.run()
