import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { zeroAddress } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { startTrading } from '../../fixtures/chains/tradeWorld.ts'
import { holdStreams } from '../../fixtures/soak/holdStreams.ts'
import { openInspector } from '../../fixtures/soak/openInspector.ts'
import { register } from '../../fixtures/strangers/stage.ts'
import { waitUntil } from '../../simulator/processes.ts'
import { buyQuota } from '../client/buyQuota.ts'
import { createClient } from '../client/client.ts'
import { startTestLab } from '../lab/testing/testLab.ts'
import { createAllocationReader } from './costs/allocation.ts'
import { measureCosts, type Work } from './costs/measureCosts.ts'
import { openPayer } from './costs/openPayer.ts'
import { printCosts, printKept } from './costs/printCosts.ts'
import { listQuestions, type Question } from './costs/questions.ts'
import { readStream } from './costs/readStream.ts'
import { createUsageReader } from './costs/readUsage.ts'
import { readRouteBytes } from './marketMemory.ts'

/**
 * `npm run -s bench:costs`: what one quote, dry run, stream, claim and followed block takes of the gateway's
 * processor, of its forks', of the nodes', in calls, in bytes and of memory; then what each thing keeps there that
 * a gateway holds many of. docs/scale.md and the model are made of these.
 */
const chainId = 8453
const lab = await startTestLab({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '1000000',
  IP_RATE_LIMIT_PER_SECOND: '0',
  FREE_QUOTA: '1000000',
  // Its inspector opens by a signal, at a free port.
  NODE_OPTIONS: '--inspect-port=0',
})
const manifest = lab.manifest()
const { routing, meta, ops } = manifest.services
const chain = manifest.chains[chainId]
if (!chain) throw new Error('the lab has no Base')
const inspector = await openInspector({ pid: manifest.pid, logPath: join(lab.dir, 'gateway.log') })
const read = createUsageReader({
  dir: lab.dir,
  pid: manifest.pid,
  opsUrl: ops,
  readAllocated: createAllocationReader(inspector.evaluate),
})
/** Bytes of the gateway that are alive once what was asked has been answered. */
async function readAlive(): Promise<number> {
  await wait(2_000)
  const { heap, external } = await inspector.collect()
  return heap + external
}
const aliveAtFirst = await readAlive()
const trading = await startTrading({ rpcUrl: chain.rpcUrl, manifest: chain })
const { weth, usdc } = trading
const taker = chain.accounts[1]?.address ?? zeroAddress

async function post(
  url: string,
  body: object,
  apiKey = manifest.apiKey,
): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}
async function countBytes(url: string, body: object, apiKey?: string): Promise<number> {
  const { status, text } = await post(url, body, apiKey)
  if (status !== 200) throw new Error(`${url}: ${status} ${text.slice(0, 200)}`)
  return Buffer.byteLength(text)
}
/** Each of `count` calls once, eight under way at a time; bytes of an answer. */
async function repeat(count: number, once: (at: number) => Promise<number>): Promise<number> {
  let [bytes, next] = [0, 0]
  async function run(): Promise<void> {
    while (next < count) {
      next += 1
      const size = await once(next)
      bytes += size
    }
  }
  await Promise.all(Array.from({ length: 8 }, run))
  return bytes / count
}
/** As blocks come: what follows one is done before the next. */
const blockMs = 250
async function mine(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await trading.tradeV3(10n ** 16n)
    await wait(blockMs)
  }
}

const asked: Question[] = []
for (const question of listQuestions(chainId, chain.tokens))
  if ((await post(`${routing}/quote`, question)).status === 200) asked.push(question)
const questionAt = (at: number) => asked[at % asked.length] ?? {}

const rounds = 20
/** Whatever was asked before, another amount. */
let sold = 0
const sale = () => ({
  chainId,
  tokenIn: weth,
  tokenOut: usdc,
  taker,
  amountIn: String(10n ** 17n + BigInt(sold++)),
})

/** Of the pools as they are: an older one fails. */
async function findCandidate() {
  const wanted = { chain_id: chainId, token_in: weth, token_out: usdc, taker }
  const amount = String(10n ** 17n)
  const { execution, output } = await createClient(manifest).routing.quote({
    ...wanted,
    amount_in: amount,
  })
  if (!execution) throw new Error('the quote has no execution')
  return {
    providerId: 'ours',
    target: execution.target,
    data: execution.calldata,
    value: '0',
    inputToken: weth,
    outputToken: usdc,
    inputAmount: amount,
    approveTarget: execution.target,
    quotedOutput: output,
  }
}
const [streams, cycles] = [40, 6]
const stream = (at: number) =>
  readStream(`${meta}/quote/stream`, { body: sale(), ip: `10.8.0.${at}`, cycles })

const payer = await openPayer({ manifest, rpcUrl: chain.rpcUrl, usdc })
const purchases = 20
const order = { chainId, quotes: 10, maxAmount: 10n ** 6n, quotaManager: chain.quotaManager }
const outputs = {
  chain_id: chainId,
  token_in: weth,
  token_out: usdc,
  max_input: String(10n ** 21n),
}
let bought = 1_000_000_000

const rest = 'a second of rest, two chains'
const block = 'a block of one trade'
const works: readonly Work[] = [
  {
    what: rest,
    count: 20,
    async run() {
      await wait(20_000)
      return undefined
    },
  },
  {
    what: block,
    count: 80,
    less: [rest, blockMs / 1_000],
    async run() {
      await mine(80)
      return undefined
    },
  },
  {
    what: 'a quote asked again',
    count: 4_000,
    run: () => repeat(4_000, (at) => countBytes(`${routing}/quote`, questionAt(at % 20))),
  },
  {
    what: 'a quote for the first time since a block',
    count: rounds * asked.length,
    less: [block, 1 / asked.length],
    async run() {
      let bytes = 0
      for (let round = 0; round < rounds; round += 1) {
        await mine(1)
        bytes += await repeat(asked.length, (at) => countBytes(`${routing}/quote`, questionAt(at)))
      }
      return bytes / rounds
    },
  },
  {
    what: 'an exact output',
    count: 200,
    run: () =>
      repeat(200, async () => {
        const query = { ...outputs, target_output: String(bought++) }
        const answer = await createClient(manifest).routing.quoteExactOutput(query)
        return Buffer.byteLength(JSON.stringify(answer))
      }),
  },
  {
    what: 'a dry run',
    count: 400,
    async run() {
      const body = { chainId, candidates: [await findCandidate()] }
      return repeat(400, () => countBytes(`${routing}/compare/simulate`, body))
    },
  },
  {
    what: 'a meta quote, with dry runs',
    count: 100,
    run: () => repeat(100, () => countBytes(`${meta}/quote`, sale())),
  },
  {
    what: 'a refresh of a stream',
    count: streams * cycles,
    async run() {
      const bytes = await Promise.all(Array.from({ length: streams }, (_, at) => stream(at)))
      return bytes.reduce((sum, each) => sum + each, 0) / (streams * cycles)
    },
  },
  {
    // No pool moves in these blocks: what one of a trade takes is not to be taken off.
    what: 'a claim, with the blocks of its payment',
    count: purchases,
    async run() {
      for (let at = 0; at < purchases; at += 1) await buyQuota(payer, order)
      return undefined
    },
  },
]
await mine(4)
printCosts(await measureCosts({ read, readAlive }, works))

/** What each of so many keeps while it is there. */
async function measureKept(what: string, count: number, work: () => Promise<unknown>) {
  const before = await readAlive()
  await work()
  return { what, count, eachBytes: ((await readAlive()) - before) / count }
}
const apiKeys: string[] = []
const [keys, explaining, held] = [200, 20, 200]
const kept = [
  await measureKept('an API key that has registered', keys, async () => {
    for (let at = 0; at < keys; at += 1)
      apiKeys.push(await register(manifest, generatePrivateKey(), `198.18.0.${at}`))
  }),
  await measureKept('an API key that has asked once, with its quote', keys, () =>
    repeat(keys, (at) => countBytes(`${routing}/quote`, questionAt(1), apiKeys[at - 1])),
  ),
  // Of other blocks, as they are asked for: those of one block share their routes.
  await measureKept('a quote that can be explained', explaining * asked.length, async () => {
    for (const apiKey of apiKeys.slice(0, explaining)) {
      await mine(1)
      await repeat(asked.length, (at) => countBytes(`${routing}/quote`, questionAt(at), apiKey))
    }
  }),
]
const beforeStreams = await readAlive()
const open = holdStreams({ manifest, taker }, { count: held, comeMs: 20_000 })
if (!(await waitUntil(() => open.open() === held, { timeoutMs: 120_000 })))
  throw new Error(`${open.open()} streams are open: ${open.faults().join()}`)
// Until each has been told of all its sources.
await wait(10_000)
const eachBytes = ((await readAlive()) - beforeStreams) / held
kept.push({ what: 'an open stream', count: held, eachBytes })
await open.stop()
const aliveAtLast = await readAlive()
const { rss } = await inspector.collect()
inspector.close()
await lab.down()
const routes = 512
const routeBytes = readRouteBytes({ pools: 3_000, tokens: 1_000, routes })
kept.push({ what: 'a route that may stand', count: routes, eachBytes: routeBytes })
printKept(kept)
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
process.stdout.write(
  `alive: ${megabytes(aliveAtFirst)} at first, ${megabytes(aliveAtLast)} at last, of ${megabytes(rss)} resident\n`,
)
