import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { isReady } from '../gatewayProcess.ts'
import type { LabManifest } from '../manifest.ts'
import { startTestLab } from '../testing/testLab.ts'
import { openWay } from './testing/liveStack.ts'
import { labPortNames, startStack } from './testing/stack.ts'

/**
 * The two labs in forked mode, of containers and of processes, on the same two upstream chains: one
 * manifest, one story. The "real" chains are the offline world's, behind URLs with a secret.
 */
const s = suite('forked labs')
const run = promisify(execFile)
const secret = 'canary-key-4711'
const patient = { deadlineMs: 240_000, everyMs: 250 }
const docker = new Docker()
const upstreams = await Promise.all([8453, 42161].map((chainId) => startWorldChain({ chainId })))
const ways = await Promise.all(upstreams.map(({ rpcUrl }) => openWay(docker, rpcUrl)))
const toUrls = (urls: readonly string[]) => ({
  BASE_RPC_URL: `${urls[0]}/?key=${secret}`,
  ARBITRUM_RPC_URL: `${urls[1]}/?key=${secret}`,
})
const stack = await startStack({
  file: 'compose.yaml',
  env: toUrls(ways.map(({ url }) => url)),
  portNames: labPortNames,
})
const processes = await startTestLab(toUrls(upstreams.map(({ rpcUrl }) => rpcUrl)))
s.after(async () => {
  await Promise.all([stack.down(), processes.down()])
  for (const { server } of ways) server.close()
  await Promise.all(upstreams.map((upstream) => upstream.close()))
})
const ops = `http://127.0.0.1:${stack.ports['OPS_PORT']}`
const readManifest = async () => (await (await fetch(`${ops}/lab/manifest`)).json()) as LabManifest

/** What may differ from lab to lab: where it listens, its keys, its process. */
function comparable({ services, apiKey, pid, chains, ...manifest }: LabManifest) {
  assert.equal(Object.keys(services).sort(), ['meta', 'ops', 'relay', 'routing'])
  assert.ok(apiKey.length > 20 && pid > 0)
  const own = new Set(['rpcUrl', 'adminRpcUrl'])
  const shared = Object.entries(chains).map(([id, chain]) => [
    id,
    Object.fromEntries(Object.entries(chain).filter(([name]) => !own.has(name))),
  ])
  return { ...manifest, chains: Object.fromEntries(shared) }
}

s('forks both chains where their URLs are given', async () => {
  await waitFor('all of the lab is ready', () => isReady(`${ops}/readyz`), patient)
  assert.is((await readManifest()).mode, 'forked')
})

s('has the manifest that the lab of processes has', async () => {
  const isCounted = async () =>
    Object.values((await readManifest()).chains).every(({ dexes }) =>
      dexes.some(({ pools }) => pools > 0),
    )
  await waitFor('its pools are counted', isCounted, patient)
  assert.equal(comparable(await readManifest()), comparable(processes.manifest()))
})

for (const [name, opsOf] of [
  ['containers', () => ops],
  ['processes', () => processes.manifest().services.ops],
] as const)
  s(`lives the story in the lab of ${name}, and leaves the real chains alone`, async () => {
    const heights = () =>
      Promise.all(upstreams.map(({ rpcUrl }) => createRpc(rpcUrl)('eth_blockNumber')))
    const before = await heights()
    const env = { ...process.env, FORKYARD_TEST_LAB: opsOf(), NO_COLOR: '1' }
    const story = join(import.meta.dirname, '../story.fork.test.ts')
    const { stdout } = await run(process.execPath, [story], { env })
    assert.match(stdout, /Passed:\s+2/)
    assert.equal(await heights(), before)
  })

s('shows the upstream URLs to nobody', async () => {
  const shown = [await stack.compose('logs', '--no-color'), JSON.stringify(await readManifest())]
  for (const text of shown) assert.not.match(text, secret)
})
s.run()
