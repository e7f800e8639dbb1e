import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Hex } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import { type Postgres, startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { labDefaults } from './labDefaults.ts'
import { labFiles } from './labFiles.ts'
import { startTestLab } from './testing/testLab.ts'

type TestLab = Awaited<ReturnType<typeof startTestLab>>

/** Two whole gateways on one PostgreSQL: keys, quota, the relay and its caps are one. */
const shared = suite('two gateways on one database')
const postgres = await startPostgres()
if (postgres) await addTests(postgres)
else shared('needs PostgreSQL, which is not installed', () => undefined)

/** A second gateway with the settings of a lab's and ports of its own. */
async function startTwin({ dir, manifest }: TestLab) {
  const { settings } = labFiles({ FORKYARD_LAB_DIR: dir })
  // Written by this lab.
  const given = JSON.parse(readFileSync(settings, 'utf8')) as Record<string, string>
  const env = { ...process.env, ...labDefaults(process.env), ...given, FORKYARD_LAB: dir }
  const ports = { ROUTING_PORT: '0', META_PORT: '0', RELAY_PORT: '0', OPS_PORT: '0' }
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'main.ts')], {
    env: { ...env, ...ports, LOG_LEVEL: 'info', LAB_RUN: `twin of ${manifest().pid}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const { listeners } = JSON.parse(line) as { listeners?: Record<string, string> }
    if (listeners) {
      child.stdout.resume()
      const close = async () => {
        const closed = once(child, 'close')
        child.kill('SIGTERM')
        await closed
      }
      return { urls: listeners, close }
    }
  }
  throw new Error('the second gateway ended')
}

async function addTests({ createDatabase, crash, close }: Postgres) {
  const lab = await startTestLab({ LAB_DATABASE_URL: await createDatabase() })
  const { services, apiKey, chains } = lab.manifest()
  const twin = await startTwin(lab)
  const chain = chains['8453']
  if (!chain) throw new Error('the lab has no chain 8453')
  shared.after(async () => {
    await twin.close()
    await lab.down()
    await close()
  })

  async function ask(url: string, body?: unknown) {
    const response = await fetch(url, {
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    return { status: response.status, answer }
  }
  const [weth, usdc] = [chain.tokens['WETH']?.address, chain.tokens['USDC']?.address]
  const quote = { chain_id: 8453, token_in: weth, token_out: usdc, amount_in: '1000000000000000' }
  const bases = [services.routing, twin.urls['routing'] ?? '']

  shared('a key is known to both, and its quota is one', async () => {
    const used = async (base: string) =>
      Number((await ask(`${base}/auth/key-info`)).answer['quota_used'])
    const before = await used(bases[0] ?? '')
    for (const base of [...bases, ...bases])
      assert.is((await ask(`${base}/quote`, quote)).status, 200)
    for (const base of bases) assert.is(await used(base), before + 4)
  })

  shared('an owner who asks both gets one sponsored transaction, mined', async () => {
    const owner = chain.accounts[3]?.address
    const request = { chainId: 8453, owner, tokenIn: weth, amountIn: '1' }
    const rpc = createRpc(chain.rpcUrl)
    const count = () => rpc('eth_getTransactionCount', chain.relayer, 'latest')
    const before = Number(await count())
    const relays = [services.relay, twin.urls['relay'] ?? '']
    const answers = await Promise.all(
      [...relays, ...relays].map((base) => ask(`${base}/api/proxy`, request)),
    )
    for (const { status } of answers) assert.is(status, 200)
    const hashes = new Set(answers.flatMap(({ answer }) => answer['txHash'] ?? []))
    assert.is(hashes.size, 1)
    await waitForReceipt({ rpcUrl: chain.rpcUrl, hash: [...hashes][0] as Hex })
    assert.is(Number(await count()), before + 1)
  })

  shared('both serve again by themselves after the database was killed', async () => {
    await crash()
    for (const base of [services.ops, twin.urls['ops']])
      await waitFor('ready again', async () => (await fetch(`${base}/readyz`)).ok, {
        deadlineMs: 60_000,
      })
    for (const base of bases) assert.is((await ask(`${base}/quote`, quote)).status, 200)
  })
}
shared.run()
