import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { findMarked, isRunning, waitUntil } from '../../simulator/processes.ts'
import { createApiKey } from '../access/apiKey.ts'
import { type Chain, getChain, getDexes, seedTokens } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createChainSync } from '../routing/sync/chainSync.ts'
import { isReady } from './gatewayProcess.ts'
import { findSupervisor, labFiles, readStatus } from './labFiles.ts'
import type { LabManifest } from './manifest.ts'
import { readyUrl } from './manifest.ts'
import { startLab } from './supervisor.ts'
import { cliPath, startTestLab, testLabEnvironment } from './testing/testLab.ts'

const lab = await startTestLab()
const files = labFiles({ FORKYARD_LAB_DIR: lab.dir })
const suiteOfLab = suite('lab')
type LogLine = Partial<Record<'event' | 'chainId' | 'pools', unknown>>
const readEvent = (line: string) => JSON.parse(line) as LogLine
suiteOfLab.after(async () => {
  await lab.down()
})

const blockNumber = (manifest: LabManifest) =>
  createRpc(manifest.chains['8453']?.rpcUrl ?? '')('eth_blockNumber')

suiteOfLab(
  'writes a manifest with everything a client needs, for its owner only [lab/manifest]',
  () => {
    const manifest = lab.manifest()
    assert.is(manifest.mode, 'offline')
    assert.equal(Object.keys(manifest.chains), ['8453', '42161'])
    for (const chain of Object.values(manifest.chains)) {
      assert.is(chain.accounts.length, 10)
      assert.ok(Object.keys(chain.tokens).length >= 12)
      for (const { funded } of chain.accounts)
        assert.equal(
          Object.keys(funded).sort(),
          ['ETH', ...Object.keys(chain.tokens)].sort(),
          'an account lacks a token',
        )
      assert.ok(chain.dexes.reduce((sum, dex) => sum + dex.pools, 0) >= 40)
    }
  },
)

suiteOfLab(
  'begins with the pools of its world, as a reader of the chain finds them [20/lab-pools]',
  async () => {
    const events = readFileSync(files.gatewayLog, 'utf8').trim().split('\n').map(readEvent)
    assert.is(events.filter(({ event }) => event === 'loaded').length, 0)
    const restored = events.filter(({ event }) => event === 'restored')
    assert.equal(restored.map(({ chainId }) => chainId).sort(), [42161, 8453])
    for (const { chainId, pools } of restored) {
      const client = createChainClient({
        chain: getChain(Number(chainId)) as Chain,
        rpcUrls: [lab.manifest().chains[String(chainId)]?.rpcUrl ?? ''],
      })
      const sync = createChainSync({
        chainClient: client,
        dexes: getDexes(client.chainId),
        seedTokens: seedTokens(client.chainId),
        pollMs: 3_600_000,
        maxAgeMs: 0,
      })
      await sync.start()
      assert.is(pools, sync.current()?.pools.size)
      await sync.close()
      client.close()
    }
  },
)

suiteOfLab('serves the same manifest to operators [lab/ops-manifest]', async () => {
  const manifest = lab.manifest()
  const response = await fetch(`${manifest.services.ops}/lab/manifest`)
  assert.equal(await response.json(), manifest)
})

suiteOfLab('prints three requests that work when pasted', async () => {
  const lines = lab.printed.split('\n').filter((line) => line.startsWith('curl '))
  assert.is(lines.length, 3)
  for (const line of lines) {
    const shell = spawn('bash', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] })
    let answer = ''
    shell.stdout.on('data', (chunk) => {
      answer += chunk
    })
    await once(shell, 'close')
    assert.not.ok('error' in (JSON.parse(answer) as object), answer)
  }
})

suiteOfLab('calls itself ready once all of that is printed', async () => {
  const { env, dir, remove } = testLabEnvironment()
  const own = labFiles({ FORKYARD_LAB_DIR: dir })
  const phases: unknown[] = []
  const other = await startLab({
    files: own,
    env,
    print(text) {
      if (text.includes(' is ready: ')) phases.push(readStatus(own)?.phase)
    },
  })
  await other.close()
  remove()
  assert.equal(phases, ['starting'])
})

suiteOfLab('shows the same development key in every lab', () => {
  const { key } = createApiKey({ prefix: 'fy_lab', seed: 'forkyard development key' })
  assert.is(lab.manifest().apiKey, key)
})

suiteOfLab('does not start twice in one folder', async () => {
  const { pid } = lab.manifest()
  await lab.up()
  assert.is(lab.manifest().pid, pid)
})

suiteOfLab(
  'starts a killed gateway again, with the chains as they were [lab/gateway-killed]',
  async () => {
    const before = lab.manifest()
    const marked = findMarked(files.marker)
    await createRpc(before.chains['8453']?.rpcUrl ?? '')('evm_mine')
    const height = await blockNumber(before)
    process.kill(before.pid, 'SIGKILL')
    await waitUntil(() => !isRunning(before.pid), { timeoutMs: 5_000 })
    await lab.up()
    const after = lab.manifest()
    assert.is.not(after.pid, before.pid)
    assert.ok(await isReady(readyUrl(after)))
    assert.is(await blockNumber(after), height)
    assert.is(after.apiKey, before.apiKey)
    const left = () => findMarked(files.marker).filter((pid) => marked.includes(pid))
    // The supervisor and two chains; what the gateway had started is gone with it.
    assert.ok(await waitUntil(() => left().length === 3, { timeoutMs: 30_000 }), `${left()} left`)
  },
)

suiteOfLab('is whole again after its supervisor was killed [lab/supervisor-killed]', async () => {
  const supervisor = findSupervisor(files)
  if (!supervisor) throw new Error('no supervisor')
  const orphans = findMarked(files.marker)
  process.kill(supervisor.pid, 'SIGKILL')
  await waitUntil(() => !isRunning(supervisor.pid), { timeoutMs: 5_000 })
  await lab.up()
  assert.ok(await isReady(readyUrl(lab.manifest())))
  assert.equal(orphans.filter(isRunning), [])
})

suiteOfLab(
  'leaves no process and no file when interrupted, ready or still starting [lab/leaves-nothing]',
  async () => {
    for (const waitFor of ['starting the gateway', 'is ready']) {
      const { env, dir, remove } = testLabEnvironment()
      const child = spawn(process.execPath, [cliPath, 'lab'], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      const seen = await waitUntil(() => output.includes(waitFor), { timeoutMs: 90_000 })
      assert.ok(seen, output)
      child.kill('SIGINT')
      await exited
      assert.equal(findMarked(`FORKYARD_LAB=${dir}`), [])
      assert.not.ok(existsSync(dir))
      remove()
    }
  },
)

suiteOfLab('says which port is taken, and leaves nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  let message = ''
  try {
    await startTestLab({ META_PORT: port })
  } catch (error) {
    message = (error as { stderr?: string }).stderr ?? String(error)
  }
  server.close()
  assert.match(message, `port ${port} is taken`)
  assert.match(message, 'META_PORT')
})

suiteOfLab('takes other ports where somebody takes one before the gateway listens', async () => {
  const { env, dir, remove } = testLabEnvironment()
  const own = labFiles({ FORKYARD_LAB_DIR: dir })
  const up = spawn(process.execPath, [cliPath, 'lab-up'], { env, stdio: 'ignore' })
  const exited = once(up, 'exit')
  assert.ok(await waitUntil(() => existsSync(own.settings), { timeoutMs: 60_000, intervalMs: 5 }))
  // Written by this lab.
  const settings = JSON.parse(readFileSync(own.settings, 'utf8')) as Record<string, string>
  const server = createServer().listen(Number(settings['META_PORT']), '127.0.0.1')
  await once(server, 'listening')
  assert.equal(await exited, [0, null])
  const manifest = JSON.parse(readFileSync(own.manifest, 'utf8')) as LabManifest
  assert.is.not(manifest.services.meta, `http://127.0.0.1:${settings['META_PORT']}`)
  assert.ok(await isReady(`${manifest.services.ops}/readyz`))
  server.close()
  await once(spawn(process.execPath, [cliPath, 'lab-down'], { env, stdio: 'ignore' }), 'exit')
  remove()
})

suiteOfLab('keeps its manifest and database from other users', () => {
  for (const path of [files.manifest, files.settings, files.dir])
    assert.is(statSync(path).mode & 0o077, 0, `${path} is open to others`)
})

suiteOfLab.run()
