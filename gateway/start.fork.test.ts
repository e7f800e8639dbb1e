import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startFaultProxy } from '../fixtures/chains/faultProxy.ts'
import { startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain } from '../fixtures/world.ts'
import { waitFor } from '../simulator/testing/waitFor.ts'
import { createLabKeys } from './lab/keys.ts'
import type { Readiness } from './ops/readiness.ts'

/** The gateway as a process, with what it needs away when it starts. */
const s = suite('start without dependencies')
const patient = { deadlineMs: 120_000, everyMs: 100 }
const pepper = 'canary-pepper-of-more-than-thirty-two-characters'
const dir = mkdtempSync(join(tmpdir(), 'forkyard-start-'))
const [base, arbitrum, postgres] = await Promise.all([
  startWorldChain({ chainId: 8453 }),
  startWorldChain({ chainId: 42161 }),
  startPostgres(),
])
const node = await startFaultProxy({ target: arbitrum.rpcUrl })
const database = {
  databasePath: join(dir, 'forkyard.sqlite'),
  databaseUrl: await postgres?.createDatabase(),
}
const { apiKey } = await createLabKeys({ ...database, pepper })
const children: ChildProcess[] = []
s.after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([base.close(), node.close(), postgres?.close()])
  await arbitrum.close()
  rmSync(dir, { recursive: true })
})

/** The supervisor of simulation forks is away all along: its name leads nowhere. */
function startGateway(env: Readonly<Record<string, string>> = {}) {
  const ports = { ROUTING_PORT: '0', META_PORT: '0', RELAY_PORT: '0', OPS_PORT: '0' }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...ports,
      LOG_LEVEL: 'info',
      KEY_PEPPER: pepper,
      FORKYARD_MODE: 'offline',
      BASE_RPC_URL: base.rpcUrl,
      ARBITRUM_RPC_URL: node.rpcUrl,
      DATABASE_PATH: database.databasePath,
      DATABASE_URL: database.databaseUrl ?? '',
      SIMULATORD_URL: 'http://127.0.0.1:9',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const told: { ops?: string; listeners?: Record<string, string> } = {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { ops, listeners } = JSON.parse(line) as typeof told
    Object.assign(told, { ...(ops && { ops }), ...(listeners && { listeners }) })
  })
  return { child, told, exited: once(child, 'exit'), printed: () => printed }
}

type Started = ReturnType<typeof startGateway>

function hasToldOf({ child, told, printed }: Started, what: 'ops' | 'listeners'): boolean {
  if (child.exitCode !== null) throw new Error(`the gateway ended: ${printed()}`)
  return told[what] !== undefined
}

async function readReady({ told }: Started) {
  const response = await fetch(`${told.ops}/readyz`)
  return { status: response.status, ...((await response.json()) as Readiness) }
}

/** The status of a quote on one of the chains. */
async function quote({ told }: Started, { chainId, manifest }: typeof base) {
  const response = await fetch(`${told.listeners?.['routing']}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      chain_id: chainId,
      token_in: manifest.tokens['WETH']?.address,
      token_out: manifest.tokens['USDC']?.address,
      amount_in: '1000000000000000',
    }),
  })
  await response.body?.cancel()
  return response.status
}

const away = { fault: 'reset', matches: () => true } as const
node.break(away)
let gateway: Started | undefined
const running = () => {
  if (!gateway) throw new Error('the gateway was not started')
  return gateway
}

s(
  'waits for its database, answers its operators meanwhile, and ends when it is told to',
  async () => {
    if (!postgres) return
    await postgres.crash(async () => {
      const stopped = startGateway()
      gateway = startGateway()
      for (const each of [stopped, gateway]) {
        await waitFor('its operators are answered', () => hasToldOf(each, 'ops'), patient)
        const isSaid = async () =>
          (await readReady(each)).reasons.join().includes('the database does not answer')
        await waitFor('it says so', isSaid, patient)
        assert.is((await fetch(`${each.told.ops}/livez`)).status, 200)
      }
      stopped.child.kill('SIGTERM')
      assert.equal(await stopped.exited, [0, null])
    })
  },
)

s(
  'serves one chain while the other, and the supervisor of forks, are away [start/one-chain]',
  async () => {
    gateway ??= startGateway()
    await waitFor('it serves', () => hasToldOf(running(), 'listeners'), patient)
    const { status, reasons, warnings } = await readReady(running())
    assert.equal([status, reasons], [200, []])
    assert.ok(warnings.includes('arbitrum: its pools are not loaded'), warnings.join())
    assert.ok(warnings.includes('base: no simulation fork is ready'), warnings.join())
    assert.is(await quote(running(), base), 200)
    assert.is(await quote(running(), arbitrum), 503)
  },
)

s('serves nothing of a node that turns out to be of another chain, and says so', async () => {
  node.seen.calls.clear()
  node.lie({ matches: ({ method }) => method === 'eth_chainId', tell: () => '0x2105' })
  node.break({ ...away, matches: () => false })
  const other = 'arbitrum: an RPC endpoint serves chain 8453 instead'
  const isSaid = async () => (await readReady(running())).warnings.includes(other)
  await waitFor('it says so', isSaid, patient)
  assert.is(await quote(running(), arbitrum), 503)
  assert.is(await quote(running(), base), 200)
  // The simulator asks for the head before the fork that it checks.
  const asked = [...node.seen.calls.keys()].filter((method) => method !== 'eth_getBlockByNumber')
  assert.equal(asked, ['eth_chainId'])
})

s('serves the chain once its own node is there, as the same process', async () => {
  node.mend()
  const isServed = async () => (await quote(running(), arbitrum)) === 200
  await waitFor('it is served', isServed, patient)
  const { warnings } = await readReady(running())
  assert.not.ok(
    warnings.some((text) => text.includes('instead')),
    warnings.join(),
  )
  running().child.kill('SIGTERM')
  assert.equal(await running().exited, [0, null])
})

s('does not start with a node of another chain', async () => {
  const started = startGateway({ ARBITRUM_RPC_URL: base.rpcUrl })
  assert.equal(await started.exited, [1, null])
  assert.match(started.printed(), 'configured for chain 42161 serves chain 8453')
})
s.run()
