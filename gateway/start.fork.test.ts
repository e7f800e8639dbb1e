import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startFaultProxy } from '../fixtures/chains/faultProxy.ts'
import { canary, findCanaries } from '../fixtures/runner/findCanaries.ts'
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
const opsToken = 'canary-token-of-more-than-thirty-two-characters'
/** Whatever was printed by any of them. */
let said = ''
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
    // What a process that is ended leaves, it leaves there.
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...ports,
      LOG_LEVEL: 'info',
      KEY_PEPPER: pepper,
      FORKYARD_MODE: 'offline',
      OPS_TOKEN: opsToken,
      META_PROVIDERS: '{"0x":{"key":"canary-provider-key"}}',
      ACCESS_LOG: 'true',
      TRACES_URL: 'http://127.0.0.1:9/canary-traces',
      BASE_RPC_URL: `${base.rpcUrl}/?key=canary-base`,
      BASE_RELAYER_KEY_URL: 'http://127.0.0.1:9/?token=canary-key-service',
      BASE_RELAYER_PUBLIC_KEY: privateKeyToAccount(generatePrivateKey()).publicKey,
      ARBITRUM_RPC_URL: `${node.rpcUrl}/?key=canary-arbitrum`,
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
    said += chunk
  })
  const told: { ops?: string; listeners?: Record<string, string> } = {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    said += `${line}\n`
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
})

s('tells operators and callers no secret, asked well or badly [teeth/no-secret-told]', async () => {
  const { told } = running()
  const heard: string[] = []
  const ask = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, init)
    heard.push(`${JSON.stringify([...response.headers])} ${await response.text()}`)
    return response.status
  }
  const headers = { authorization: `Bearer ${opsToken}`, 'content-type': 'application/json' }
  const asked = { chainId: 42161, tokenIn: arbitrum.manifest.tokens['WETH']?.address }
  const inOut = { ...asked, tokenOut: arbitrum.manifest.tokens['USDC']?.address }
  const taker = '0x00000000000000000000000000000000000000aa'
  const body = JSON.stringify({ ...inOut, amountIn: '1000000000000000', taker })
  // The provider of quotes cannot be reached from here.
  assert.is(await ask(`${told.listeners?.['meta']}/quote`, { method: 'POST', headers, body }), 200)
  await ask(`${told.listeners?.['meta']}/quote`, { method: 'POST', headers, body: '{"' })
  for (const path of ['metrics', 'readyz', 'ops/gateway', 'ops/pools?chainId=8453', 'ops/money'])
    assert.is(await ask(`${told.ops}/${path}`, { headers }), 200, path)
  for (const path of ['ops/relay/gates', 'ops/nothing', 'lab/manifest'])
    await ask(`${told.ops}/${path}`, { headers })
  for (const url of Object.values(told.listeners ?? {}))
    for (const path of ['openapi.json', 'health', '.well-known/x402']) await ask(`${url}/${path}`)
  assert.not.match(heard.join('\n'), canary)
  running().child.kill('SIGTERM')
  assert.equal(await running().exited, [0, null])
})

s('has told of each request where its time went, the key by its hash [24/access-process]', () => {
  const lines = said.split('\n').filter((line) => line.includes('"answered"'))
  const answered = lines.map((line) => JSON.parse(line) as Record<string, object>)
  const stepsOf = (service: string) =>
    new Set(
      answered
        .filter((line) => String(line['service']) === service && String(line['route']) === '/quote')
        .flatMap(({ steps = {} }) => Object.keys(steps)),
    )
  for (const step of ['search', 'store']) assert.ok(stepsOf('routing').has(step), lines.join('\n'))
  for (const step of ['source', 'search']) assert.ok(stepsOf('meta').has(step), lines.join('\n'))
  assert.not.match(lines.join('\n'), apiKey)
})

s('does not start with a node of another chain', async () => {
  const started = startGateway({ ARBITRUM_RPC_URL: base.rpcUrl })
  assert.equal(await started.exited, [1, null])
  assert.match(started.printed(), 'configured for chain 42161 serves chain 8453')
})

s(
  'says no secret and leaves none behind, whichever way it ends [teeth/no-secret-left]',
  async () => {
    const started = startGateway()
    await waitFor('it serves', () => hasToldOf(started, 'listeners'), patient)
    started.child.kill('SIGABRT')
    await started.exited
    assert.ok(said.includes('listeners'))
    assert.not.match(said, canary)
    assert.equal(findCanaries(dir), [])
  },
)
s.run()
