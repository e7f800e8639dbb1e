import { setTimeout as wait } from 'node:timers/promises'
import Table from 'cli-table3'
import { createWalletClient, http, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { startTrading } from '../../fixtures/chains/tradeWorld.ts'
import { processTable } from '../../simulator/processTable.ts'
import { buyQuota, registerWallet } from '../client/buyQuota.ts'
import { type Client, createClient } from '../client/client.ts'
import { createLab } from '../client/lab.ts'
import { startTestLab } from '../lab/testing/testLab.ts'
import { listQuestions, type Question } from './costs/questions.ts'
import { createUsageReader, spentOn, type Usage, without } from './costs/readUsage.ts'

/**
 * `npm run -s bench:costs`: what one quote, dry run, stream, claim and followed block takes of the gateway's
 * processor, of its forks', of the nodes', in calls and in bytes. docs/scale.md and the model are made of these.
 */
const chainId = 8453
const lab = await startTestLab({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '1000000',
  IP_RATE_LIMIT_PER_SECOND: '0',
})
const manifest = lab.manifest()
const { routing, meta, ops } = manifest.services
const chain = manifest.chains[chainId]
if (!chain) throw new Error('the lab has no Base')
const read = createUsageReader({ dir: lab.dir, pid: manifest.pid, opsUrl: ops })
const trading = await startTrading({ rpcUrl: chain.rpcUrl, manifest: chain })
const { weth, usdc } = trading
const taker = chain.accounts[1]?.address ?? zeroAddress

async function post(url: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', 'x-api-key': manifest.apiKey }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}
async function countBytes(url: string, body: object): Promise<number> {
  const { status, text } = await post(url, body)
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

type Row = { readonly what: string; readonly each: Usage; readonly bytes: number | undefined }
const rows: Row[] = []
/** What each of `count` takes of its own: beside `less`, of which so many came with each. */
async function measure(
  { what, count, less }: { what: string; count: number; less?: readonly [Usage, number] },
  work: () => Promise<number | undefined>,
): Promise<Usage> {
  const before = await read()
  const bytes = await work()
  const all = spentOn(before, await read(), count)
  const each = less === undefined ? all : without(all, ...less)
  rows.push({ what, each, bytes })
  return each
}

const asked: Question[] = []
for (const question of listQuestions(chainId, chain.tokens))
  if ((await post(`${routing}/quote`, question)).status === 200) asked.push(question)
const questionAt = (at: number) => asked[at % asked.length] ?? {}

await mine(4)
const rest = await measure({ what: 'a second of rest, two chains', count: 20 }, async () => {
  await wait(20_000)
  return undefined
})
const block = await measure(
  { what: 'a block of one trade', count: 80, less: [rest, blockMs / 1_000] },
  async () => {
    await mine(80)
    return undefined
  },
)
await measure({ what: 'a quote asked again', count: 4_000 }, () =>
  repeat(4_000, (at) => countBytes(`${routing}/quote`, questionAt(at % 20))),
)
const rounds = 20
await measure(
  {
    what: 'a quote for the first time since a block',
    count: rounds * asked.length,
    less: [block, 1 / asked.length],
  },
  async () => {
    let bytes = 0
    for (let round = 0; round < rounds; round += 1) {
      await mine(1)
      bytes += await repeat(asked.length, (at) => countBytes(`${routing}/quote`, questionAt(at)))
    }
    return bytes / rounds
  },
)
await measure({ what: 'an exact output', count: 200 }, () =>
  repeat(200, async (at) => {
    const query = {
      chain_id: chainId,
      token_in: weth,
      token_out: usdc,
      target_output: String(1_000_000_000 + at),
      max_input: String(10n ** 21n),
    }
    const client = createClient(manifest)
    return Buffer.byteLength(JSON.stringify(await client.routing.quoteExactOutput(query)))
  }),
)
const wanted = { token_in: weth, token_out: usdc, taker, amount_in: String(10n ** 17n) }
const { execution, output } = await createClient(manifest).routing.quote({
  chain_id: chainId,
  ...wanted,
})
if (!execution) throw new Error('the quote has no execution')
const candidate = {
  providerId: 'ours',
  target: execution.target,
  data: execution.calldata,
  value: '0',
  inputToken: weth,
  outputToken: usdc,
  inputAmount: wanted.amount_in,
  approveTarget: execution.target,
  quotedOutput: output,
}
await measure({ what: 'a dry run', count: 400 }, () =>
  repeat(400, () =>
    countBytes(`${routing}/compare/simulate`, { chainId, candidates: [candidate] }),
  ),
)
const sale = (at: number) => ({
  chainId,
  tokenIn: weth,
  tokenOut: usdc,
  taker,
  amountIn: String(10n ** 17n + BigInt(at)),
})
await measure({ what: 'a meta quote, with dry runs', count: 100 }, () =>
  repeat(100, (at) => countBytes(`${meta}/quote`, sale(at))),
)

const [streams, cycles] = [40, 6]
const memory = () => processTable.readMemoryBytes(manifest.pid) ?? 0
const memoryBefore = memory()
let mostMemory = 0
async function stream(at: number): Promise<number> {
  const leaving = new AbortController()
  const response = await fetch(`${meta}/quote/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.9.0.${at}` },
    body: JSON.stringify({ ...sale(at), refreshIntervalMs: 1_000 }),
    signal: leaving.signal,
  })
  if (!response.ok || !response.body) throw new Error(`stream: ${response.status}`)
  let [bytes, begun] = [0, 0]
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    begun += Buffer.from(chunk).toString().split('event: initial').length - 1
    if (begun > cycles) break
  }
  mostMemory = Math.max(mostMemory, memory())
  leaving.abort()
  return bytes
}
await measure({ what: 'a refresh of a stream', count: streams * cycles }, async () => {
  const bytes = await Promise.all(Array.from({ length: streams }, (_, at) => stream(at)))
  return bytes.reduce((sum, each) => sum + each, 0) / (streams * cycles)
})

async function openAccount(): Promise<Client> {
  const { address, signMessage } = account
  const client = createClient(manifest)
  const sign = (message: string) => signMessage({ message })
  const { api_key: apiKey } = await registerWallet(client, { address, signMessage: sign })
  return createClient({ ...manifest, apiKey })
}
const account = privateKeyToAccount(generatePrivateKey())
const control = createLab(manifest)
for (const [token, amount] of [
  [zeroAddress, parseEther('5')],
  [usdc, 10n ** 9n],
] as const)
  await control.deal({ chainId, token, to: account.address, amount: String(amount) })
const node = createWalletClient({ account, chain: base, transport: http(chain.rpcUrl) })
const client = await openAccount()
const wallet = {
  address: account.address,
  request: node.request,
  sendTransaction: (call: Parameters<typeof node.sendTransaction>[0]) => node.sendTransaction(call),
}
const purchases = 20
const order = { chainId, quotes: 10, maxAmount: 10n ** 6n, quotaManager: chain.quotaManager }
// Each is an approval and a payment, in a block each.
await measure({ what: 'a claim', count: purchases, less: [block, 2] }, async () => {
  for (let at = 0; at < purchases; at += 1) await buyQuota({ client, wallet }, order)
  return undefined
})

await lab.down()
const head = ['one of', 'gateway ms', 'forks ms', 'nodes ms', 'calls', 'bytes']
const table = new Table({ head, style: { head: [], border: [] } })
const show = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : 0)
for (const { what, each, bytes } of rows) {
  const { gatewayMs, forksMs, nodesMs, upstreamCalls } = each
  const figures = [gatewayMs, forksMs, nodesMs, upstreamCalls].map(show)
  table.push([what, ...figures, bytes?.toFixed(0) ?? ''])
}
const perStream = (mostMemory - memoryBefore) / streams / 1024
process.stdout.write(`${table.toString()}\n${streams} streams: ${perStream.toFixed(0)} kB each\n`)
