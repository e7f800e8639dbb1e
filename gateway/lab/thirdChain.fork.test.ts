import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copySources } from '../../fixtures/copySources.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type * as world from '../../fixtures/world.ts'
import { cacheDir } from '../runtime/cacheDir.ts'
import type { LabManifest } from './manifest.ts'
import type * as ports from './ports.ts'
import { addOptimism } from './testing/addOptimism.ts'

/** A chain is one file: no third one ships, so it is added to a copy of the sources. */
const run = promisify(execFile)
const s = suite('a third chain')
const copy = copySources()
addOptimism(copy)
// The other chains' worlds are built already: a chain added changes nothing of theirs.
process.env['FORKYARD_CACHE_DIR'] = cacheDir()
s.after(copy.remove)

/** A module of the copy, which has the types of ours. */
const load = (path: string): Promise<unknown> => import(join(copy.dir, path))

async function startLab(given: Readonly<Record<string, string>>) {
  const parent = mkdtempSync(join(tmpdir(), 'forkyard-third-'))
  const dir = join(parent, 'lab')
  const { anyPorts } = (await load('gateway/lab/ports.ts')) as typeof ports
  const env = { ...process.env, FORKYARD_LAB_DIR: dir, ...anyPorts, ...given }
  const command = (name: string) =>
    run(process.execPath, [join(copy.dir, 'gateway/cli.ts'), name], { env })
  await command('lab-up')
  return {
    // Written by the lab that has just started.
    manifest: JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as LabManifest,
    async down() {
      await command('lab-down')
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

async function quote({ services, apiKey, chains }: LabManifest, chainId: number) {
  const chain = chains[chainId]
  const response = await fetch(`${services.routing}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      chain_id: chainId,
      token_in: chain?.tokens['WETH']?.address,
      token_out: chain?.tokens['USDC']?.address,
      amount_in: '1000000000000000000',
      taker: chain?.accounts[0]?.address,
    }),
  })
  // The routing service's answer.
  const answer = (await response.json()) as { readonly output?: string }
  assert.is(response.status, 200, JSON.stringify(answer))
  return Number(answer.output) / 1e6
}

async function dryRun({ services, chains }: LabManifest, chainId: number) {
  const chain = chains[chainId]
  const response = await fetch(`${services.meta}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chainId,
      tokenIn: chain?.tokens['WETH']?.address,
      tokenOut: chain?.tokens['USDC']?.address,
      amountIn: '1000000000000000000',
      taker: chain?.accounts[0]?.address,
      slippageBps: 50,
      dryRun: true,
    }),
  })
  assert.is(response.status, 200, await response.text())
}

s('is added in at most six files, and type-checks [house/third-chain]', async () => {
  assert.equal(copy.touched(), [
    'fixtures/world/chains/chains.ts',
    'fixtures/world/chains/optimism.ts',
    'gateway/chain/chains.ts',
    'gateway/chain/optimism.ts',
  ])
  assert.is(await copy.typeCheck(), '')
})

s('starts with the lab and is quoted and simulated on [house/third-chain-lab]', async () => {
  const lab = await startLab({})
  try {
    assert.is(lab.manifest.mode, 'offline')
    assert.equal(Object.keys(lab.manifest.chains), ['10', '8453', '42161'])
    for (const chainId of [10, 8453, 42161]) {
      const usdc = await quote(lab.manifest, chainId)
      assert.ok(usdc > 2_900 && usdc < 3_100, `${usdc} on ${chainId}`)
    }
    await dryRun(lab.manifest, 10)
  } finally {
    await lab.down()
  }
})

s('is forked where its RPC URL is given [house/third-chain-forked]', async () => {
  const { startWorldChain } = (await load('fixtures/world.ts')) as typeof world
  const real = await startWorldChain({ chainId: 10 })
  const lab = await startLab({ OPTIMISM_RPC_URL: real.rpcUrl })
  try {
    assert.is(lab.manifest.mode, 'forked')
    assert.not.equal(lab.manifest.chains['10']?.rpcUrl, real.rpcUrl)
    assert.ok((await quote(lab.manifest, 10)) > 2_900)
    await dryRun(lab.manifest, 10)
  } finally {
    await lab.down()
    await real.close()
  }
})
s.run()
