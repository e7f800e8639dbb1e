import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../fixtures/freePort.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain } from '../fixtures/world.ts'
import { waitFor } from '../simulator/testing/waitFor.ts'
import { startDoor } from './lab/containers/testing/startDoor.ts'
import { createLabKeys } from './lab/keys.ts'

/**
 * Two gateways of one database behind the production stacks' own proxy: one after the other is told to stop and
 * started anew, while callers go on asking over connections that they keep, and over new ones. What each caller
 * was answered is counted, and held against what was booked.
 *
 * Usage: `node gateway/restarts.proof.ts [restarts]`.
 */
const restarts = Number(process.argv[2] ?? byLength({ short: 6, long: 100 }))
/** Callers of each kind. */
const callers = 2
const patient = { deadlineMs: 120_000, everyMs: 50 }
const pepper = 'a pepper of more than thirty-two characters'
const dir = mkdtempSync(join(tmpdir(), 'forkyard-restarts-'))
const s = suite('restarts under load')

const [base, arbitrum, postgres] = await Promise.all([
  startWorldChain({ chainId: 8453 }),
  startWorldChain({ chainId: 42161 }),
  startPostgres(),
])
const database = {
  databasePath: join(dir, 'forkyard.sqlite'),
  databaseUrl: await postgres?.createDatabase(),
}
const { apiKey } = await createLabKeys({ ...database, pepper })

/** As `npm start` runs it; the supervisor of forks is away, for no dry run is asked for. */
function startProcess(port: number, opsPort: number) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ROUTING_PORT: String(port),
      META_PORT: '0',
      RELAY_PORT: '0',
      OPS_PORT: String(opsPort),
      LOG_LEVEL: 'warn',
      KEY_PEPPER: pepper,
      FORKYARD_MODE: 'offline',
      BASE_RPC_URL: base.rpcUrl,
      ARBITRUM_RPC_URL: arbitrum.rpcUrl,
      DATABASE_PATH: database.databasePath,
      DATABASE_URL: database.databaseUrl ?? '',
      SIMULATORD_URL: 'http://127.0.0.1:9',
      // What is refused for its rate is no question of restarts.
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`a gateway ended: ${printed}`)
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => undefined)
    await answer?.body?.cancel()
    return answer?.status === 200
  }
  return { child, exited: once(child, 'exit'), isReady }
}

async function startGateway() {
  const [port, opsPort] = [await freePort(), await freePort()]
  let running = startProcess(port, opsPort)
  await waitFor('a gateway is ready', running.isReady, patient)
  return {
    port,
    async restart() {
      running.child.kill('SIGTERM')
      assert.equal(await running.exited, [0, null])
      running = startProcess(port, opsPort)
      return waitFor('it is ready again', running.isReady, patient)
    },
    async close() {
      running.child.kill('SIGTERM')
      await running.exited
    },
  }
}

const gateways = [await startGateway(), await startGateway()] as const
const servers = gateways.map(({ port }) => `server 127.0.0.1:${port} max_fails=0;`).join(' ')
/** By name in the image, whose engine knows both; by address here. */
const door = await startDoor({
  gatewayPort: gateways[0].port,
  change: (config) =>
    config
      .replaceAll(/gateway:80\d\d/g, 'gateways')
      .replace(/^http \{$/m, `http {\n  upstream gateways { ${servers} }`),
})
s.after(async () => {
  await door?.close()
  await Promise.all(gateways.map((gateway) => gateway.close()))
  await Promise.all([base.close(), arbitrum.close(), postgres?.close()])
  rmSync(dir, { recursive: true })
})

type Asked = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

/** The status of an answer that came whole, and its text; what went wrong where none did. */
const ask = (agent: Agent, { method, path, body }: Asked) =>
  new Promise<{ readonly status: number | string; readonly text: string }>((resolve) => {
    const fail = ({ code = 'cut off' }: NodeJS.ErrnoException) =>
      resolve({ status: code, text: '' })
    const sent = request({
      host: '127.0.0.1',
      port: door?.tls,
      servername: 'routing.localhost',
      rejectUnauthorized: false,
      agent,
      method,
      path,
      headers: {
        host: 'routing.localhost',
        'x-api-key': apiKey,
        ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      },
    })
    sent.on('error', fail).on('response', (response) => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('error', fail)
        .on('data', (chunk) => {
          text += chunk
        })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })

const pairOf = ({ manifest }: typeof base) => ({
  token_in: manifest.tokens['WETH']?.address ?? '',
  token_out: manifest.tokens['USDC']?.address ?? '',
})
const postQuote = (chain: typeof base, amount: number): Asked => ({
  method: 'POST',
  path: '/quote',
  body: JSON.stringify({
    chain_id: chain.chainId,
    ...pairOf(chain),
    amount_in: `${10 ** 15 + amount}`,
  }),
})
type Counts = Map<number | string, number>

/** Asks until it is told to stop. */
async function call(
  isKept: boolean,
  { counts, isOver }: { readonly counts: Counts; readonly isOver: () => boolean },
) {
  const agent = new Agent({ keepAlive: isKept, maxSockets: 1 })
  for (let amount = 1; !isOver(); amount += 1) {
    const { status } = await ask(agent, postQuote(amount % 2 === 0 ? base : arbitrum, amount))
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  agent.destroy()
}

async function readUsed(): Promise<number> {
  const agent = new Agent()
  const { text } = await ask(agent, { method: 'GET', path: '/auth/key-info' })
  return Number(JSON.parse(text).quota_used)
}

s(
  `${restarts} stops in turn lose no POST, and no answer that was booked [24/restarts]`,
  async () => {
    if (!door || !postgres) return
    const usedBefore = await readUsed()
    const kinds = [
      { name: 'over connections kept', isKept: true },
      { name: 'over new connections', isKept: false },
    ].map((kind) => ({ ...kind, counts: new Map() as Counts }))
    let isOver = false
    const asking = kinds.flatMap((kind) =>
      Array.from({ length: callers }, () =>
        call(kind.isKept, { counts: kind.counts, isOver: () => isOver }),
      ),
    )
    for (let restart = 0; restart < restarts; restart += 1)
      await (gateways[restart % gateways.length] as (typeof gateways)[0]).restart()
    isOver = true
    await Promise.all(asking)
    const told = (counts: Counts) =>
      [...counts].map(([status, count]) => `${status}: ${count}`).join(', ')
    const answered = kinds.reduce((sum, { counts }) => sum + (counts.get(200) ?? 0), 0)
    const booked = (await readUsed()) - usedBefore
    reportFigures('restarts under load', {
      restarts,
      ...Object.fromEntries(kinds.map(({ name, counts }) => [name, told(counts)])),
      'answered, and booked': `${answered}, ${booked}`,
    })
    for (const { name, counts } of kinds) {
      assert.ok((counts.get(200) ?? 0) > restarts, `${name}: ${told(counts)}`)
      assert.equal([...counts.keys()], [200], `${name}: ${told(counts)}`)
    }
    assert.is(booked, answered)
  },
)

s.run()
