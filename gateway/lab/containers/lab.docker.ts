import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { startLabChain } from '../chains.ts'
import type { LabManifest } from '../manifest.ts'
import { anyChainPorts } from '../ports.ts'
import { readBridgeAddress } from './testing/readBridgeAddress.ts'
import { scanPorts } from './testing/scanPorts.ts'
import { labPortNames, startStack } from './testing/stack.ts'
import { whilePaused } from './testing/whilePaused.ts'

/** The lab of docker/compose.yaml, as `make docker-lab` brings it up; needs the images (`make docker-images`). */
const s = suite('lab of containers')
const run = promisify(execFile)
const patient = { deadlineMs: 180_000, everyMs: 250 }
const lab = await startStack({ file: 'compose.yaml', portNames: labPortNames })
s.after(() => lab.down())
const ops = `http://127.0.0.1:${lab.ports['OPS_PORT']}`
const whole = JSON.stringify({ ready: true, reasons: [], warnings: [] })
const isReady = () =>
  fetch(`${ops}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
    async (response) => whole === (await response.text()),
    () => false,
  )
const readManifest = async () =>
  (await (await fetch(`${ops}/lab/manifest`)).json()) as LabManifest & {
    chains: Record<string, { adminRpcUrl: string }>
  }
let manifest: Awaited<ReturnType<typeof readManifest>>
const chainOf = (id: string) => {
  const chain = manifest.chains[id]
  if (!chain) throw new Error(`the lab has no chain ${id}`)
  return chain
}

s('is ready', async () => {
  await waitFor('the lab is ready', isReady, patient)
  manifest = await readManifest()
})

s('has the manifest that the lab of processes makes of the same chains', async () => {
  for (const [id, { rpcUrl, adminRpcUrl, dexes, ...chain }] of Object.entries(manifest.chains)) {
    const made = await startLabChain({
      chainId: Number(id),
      env: anyChainPorts,
      step: () => undefined,
    })
    await made.close()
    const { rpcUrl: ownUrl, dexes: ownDexes, ...own } = made.manifest
    assert.equal(chain, own)
    assert.equal(
      dexes.map(({ pools, ...dex }) => dex),
      ownDexes.map(({ pools, ...dex }) => dex),
    )
    assert.ok(rpcUrl !== ownUrl && adminRpcUrl !== rpcUrl)
  }
})

s('lives the same story as the lab of processes', async () => {
  const env = { ...process.env, FORKYARD_TEST_LAB: ops, NO_COLOR: '1' }
  const story = join(import.meta.dirname, '../story.fork.test.ts')
  const { stdout } = await run(process.execPath, [story], { env })
  assert.match(stdout, /Passed:\s+2/)
})

s(
  'does by /lab/* and by command what a lab of processes does [lab/containers-control]',
  async () => {
    const { adminToken } = manifest
    const { rpcUrl, tokens } = chainOf('42161')
    const rpc = createRpc(rpcUrl)
    const post = async (verb: string, body: object, token = adminToken) => {
      const answer = await fetch(`${ops}/lab/${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ chainId: 42161, ...body }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, string> }
    }
    const somebody = `0x${'de'.repeat(20)}`
    const zero = `0x${'00'.repeat(20)}`
    const balance = async () => BigInt(String(await rpc('eth_getBalance', somebody, 'latest')))
    const head = async () => {
      const { number, timestamp } = (await rpc('eth_getBlockByNumber', 'latest', false)) as {
        readonly number: string
        readonly timestamp: string
      }
      return { number: Number(number), secs: Number(timestamp) }
    }
    assert.is((await post('mine', {}, 'guess')).status, 401)
    const { body: kept } = await post('snapshot', {})
    await post('deal', { token: zero, to: somebody, amount: '7' })
    assert.is(await balance(), 7n)
    const sent = await post('impersonate', { from: somebody, to: zero, value: '1' })
    assert.match(sent.body['hash'] ?? '', /^0x[0-9a-f]{64}$/)
    const before = await head()
    await post('mine', { blocks: 2 })
    await post('warp', { secs: 3600 })
    const after = await head()
    assert.is(after.number, before.number + 3)
    assert.ok(after.secs >= before.secs + 3600)
    assert.is((await post('revert', { id: kept['id'] })).status, 200)
    assert.is(await balance(), 0n)

    // docker/lab.sh puts the manifest there.
    const dir = mkdtempSync(join(tmpdir(), 'forkyard-lab-'))
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest))
    const cli = join(import.meta.dirname, '../../cli.ts')
    const usdc = tokens['USDC']?.address ?? ''
    await run(process.execPath, [cli, 'lab', 'deal', usdc, somebody, '12', '--chain', 'arbitrum'], {
      env: { ...process.env, FORKYARD_LAB_DIR: dir },
    })
    rmSync(dir, { recursive: true })
    const data = `0x70a08231${somebody.slice(2).padStart(64, '0')}`
    assert.is(BigInt(String(await rpc('eth_call', { to: usdc, data }, 'latest'))), 12n)
  },
)

s('shows a filtered chain to all, and every method to the holder of the token', async () => {
  for (const method of ['anvil_setBalance', 'evm_mine', 'hardhat_reset', 'debug_traceCall']) {
    const answer = await createRpc(chainOf('8453').rpcUrl)(method).catch(
      (error: Error) => error.message,
    )
    assert.match(String(answer), 'not served here')
  }
  const height = async () => Number(await createRpc(chainOf('8453').rpcUrl)('eth_blockNumber'))
  const before = await height()
  await createRpc(chainOf('8453').adminRpcUrl)('evm_mine')
  assert.ok((await height()) > before)
  const stranger = chainOf('8453').adminRpcUrl.replace(/\/[^/]+$/, '/guess')
  assert.is((await fetch(stranger, { method: 'POST', body: '{}' })).status, 401)
})

s('has no door but those it publishes on loopback, seen from another network', async () => {
  const host = await readBridgeAddress(lab)
  const containers = await Promise.all(
    (await lab.find()).map((id) => lab.docker.getContainer(id).inspect()),
  )
  const inside = containers.flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
  )
  const published = Object.values(lab.ports)
  const known = [8080, 8081, 8082, 8090, 8545, 8546, 8555, 8556, 2375, 2376, 5432, 6379]
  assert.equal(await scanPorts(lab, { hosts: [host], ports: [...known, ...published] }), [])
  const everyPort = Array.from({ length: 10_000 }, (_, port) => port + 1)
  assert.equal(await scanPorts(lab, { hosts: inside.slice(0, 1), ports: everyPort }), [])
  assert.equal(await scanPorts(lab, { hosts: inside, ports: known }), [])
})

s('runs as the compose file says: read-only, without capabilities, nothing mounted', async () => {
  for (const id of await lab.find()) {
    const { HostConfig, Config, Mounts } = await lab.docker.getContainer(id).inspect()
    assert.is(HostConfig.ReadonlyRootfs, true)
    assert.equal(HostConfig.CapDrop, ['ALL'])
    assert.is(Config.User, '1000:1000')
    assert.ok(Mounts.every(({ Source }) => !Source.includes('docker.sock')))
    assert.ok(Number(HostConfig.Memory) > 0)
  }
})

/**
 * Kills a service and waits until it was started anew: until then what is asked may be answered by what
 * dies. From outside: what the engine is asked to kill counts as stopped by hand, and stays so.
 */
async function kill(service: string) {
  const inspect = async (id: string) => (await lab.docker.getContainer(id).inspect()).State
  for (const id of await lab.find(service)) {
    const { Pid, StartedAt } = await inspect(id)
    process.kill(Pid, 'SIGKILL')
    const isAnew = async () => {
      const now = await inspect(id)
      return now.Running && now.StartedAt !== StartedAt
    }
    await waitFor(`${service} is started anew`, isAnew, patient)
  }
}
const quote = async () => {
  const { services, apiKey, chains } = await readManifest()
  const tokens = chains['8453']?.tokens
  const response = await fetch(`${services.routing}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      chain_id: 8453,
      token_in: tokens?.['WETH']?.address,
      token_out: tokens?.['USDC']?.address,
      amount_in: '1000000000000000',
    }),
  })
  await response.body?.cancel()
  return response.status
}
const quotes = () =>
  quote().then(
    (status) => status === 200,
    () => false,
  )

for (const service of ['gateway', 'rpc', 'chain-base'])
  s(`serves again by itself after ${service} was killed, and knows its keys`, async () => {
    const { apiKey } = await readManifest()
    await kill(service)
    await waitFor('ready again', isReady, patient)
    await waitFor('quotes again', quotes, patient)
    assert.is((await readManifest()).apiKey, apiKey)
    const open = () => createRpc(chainOf('8453').rpcUrl)('eth_chainId')
    await waitFor('the chain answers', () => open().then(Boolean, () => false), patient)
  })

s('serves on and says so while one of its chains hangs, and is whole after', async () => {
  const [id = ''] = await lab.find('chain-base')
  const isWarning = async () => {
    const response = await fetch(`${ops}/readyz`, { signal: AbortSignal.timeout(3_000) })
    return response.ok && (await response.text()).includes('"warnings":["base: ')
  }
  await whilePaused(lab.docker.getContainer(id), async () => {
    await waitFor('it says so', () => isWarning().catch(() => false), patient)
  })
  await waitFor('ready again', isReady, patient)
  await waitFor('quotes again', quotes, patient)
})
s.run()
