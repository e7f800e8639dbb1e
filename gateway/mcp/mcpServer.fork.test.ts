import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
} from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { deployArtifact } from '../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { findArtifact, readCommitted } from '../../fixtures/world/parts/compile.ts'
import { cliPath, findTestLab } from '../lab/testing/testLab.ts'
import { createPerson } from '../lab/testing/testPerson.ts'

/** `forkyard mcp` as agents run it, by the official client. */
const lab = await findTestLab()
const { services, chains, apiKey, adminToken } = lab.manifest()
const chain = chains['8453']
if (!chain) throw new Error('the lab has no Base')
const manifest = chain
const chainId = 8453
const s = suite('forkyard mcp')
const agents: Client[] = []
const children: ChildProcess[] = []
s.after(async () => {
  await Promise.all(agents.map((agent) => agent.close()))
  for (const child of children) child.kill('SIGKILL')
  await lab.down()
})

async function startAgent(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const agent = new Client({ name: 'test', version: '1' })
  agents.push(agent)
  const args = [cliPath, 'mcp', ...words]
  const transport = new StdioClientTransport({ command: process.execPath, args, env })
  await agent.connect(transport)
  return agent
}

const gateway = Object.entries(services)
  .filter(([name]) => name !== 'ops')
  .flatMap(([name, url]) => [`--${name}`, url])
const agent = await startAgent(['--lab', services.ops])

type Answer = Readonly<Record<string, unknown>>

async function call(name: string, given: object = {}, by = agent) {
  const { isError, content, structuredContent } = await by.callTool({
    name,
    arguments: { ...given },
  })
  const [first] = content
  const text = first?.type === 'text' ? first.text : ''
  return { isError: isError === true, text, answer: (structuredContent ?? {}) as Answer }
}

async function succeed(name: string, given: object = {}, by = agent) {
  const { isError, text, answer } = await call(name, given, by)
  assert.not.ok(isError, text)
  return answer
}

const order = { chainId, tokenIn: 'weth', tokenOut: 'USDC', amount: '1.5' }
const taker = chain.accounts[0]?.address ?? ''
type Amount = { readonly raw: string; readonly amount: string; readonly symbol: string }

s('quotes in whole tokens, with the raw ones and the transaction beside [mcp/quote]', async () => {
  const quote = await succeed('quote', { ...order, taker, verify: true })
  const receive = quote['receive'] as Amount
  const { WETH } = chain.tokens
  const sold = { raw: '1500000000000000000', token: WETH?.address, amount: '1.5', symbol: 'WETH' }
  assert.equal(quote['sell'], sold)
  assert.is(Number(receive.amount) * 1e6, Number(receive.raw))
  assert.equal([quote['readiness'], quote['isExecutable']], ['verified', true])
  const { target, calldata, spender } = quote['execution'] as Record<string, string>
  assert.is(target, chain.executor)
  const explained = await succeed('explain_route', { quoteHash: quote['quoteHash'] })
  assert.equal(explained['receive'], receive)
  const compared = await succeed('compare', {
    ...order,
    candidates: [{ provider: 'own', target, calldata, spender, quotedRaw: receive.raw }],
  })
  assert.is(compared['winner'], 'own')
  const [result] = compared['results'] as readonly { readonly received: Amount }[]
  assert.equal(result?.received, receive)
  const raw = { ...order, amount: undefined, amountRaw: '1500000000000000000' }
  const { quotes } = await succeed('quotes', { orders: [raw, { ...order, tokenOut: 'ETH' }] })
  assert.equal((quotes as readonly Answer[])[0]?.['receive'], receive)
  const meta = await succeed('meta_quote', { ...order, taker })
  const best = meta['best'] as { readonly simulation: string; readonly received: Amount }
  assert.is(best.simulation, 'success')
  assert.ok(BigInt(best.received.raw) >= BigInt(receive.raw))
})

const pairAbi = parseAbi([
  'function createPair(address, address)',
  'function getPair(address, address) view returns (address)',
  'function transfer(address, uint256)',
  'function mint(address)',
])

/** Deploys a token with a symbol of its maker's choice and a pool of it, and has the gateway find both. */
async function bearName(symbol: string): Promise<Address> {
  const { rpcUrl, accounts, dexes, tokens } = manifest
  const [, , , , , account] = accounts
  const weth = tokens['WETH']?.address
  const factory = dexes.find(({ name }) => name === 'uniswap-v2')?.factory
  if (!account || !weth || !factory) throw new Error('the lab has no Uniswap v2')
  const person = createPerson({ rpcUrl, ...account })
  const node = createPublicClient({ transport: http(rpcUrl) })
  const args = [symbol, symbol, 6, 10n ** 15n, person.address]
  const artifact = findArtifact(readCommitted().artifacts, 'Token')
  const token = getAddress(await deployArtifact(rpcUrl, { artifact, args }))
  const call = (to: Address, data: Hex) => person.send({ to, data })
  const both = [token, weth] as const
  const abi = pairAbi
  await call(factory, encodeFunctionData({ abi, functionName: 'createPair', args: both }))
  const getPair = { address: factory, abi, functionName: 'getPair', args: both } as const
  const pair = await node.readContract(getPair)
  for (const [to, amount] of [
    [token, 10n ** 12n],
    [weth, 10n ** 18n],
  ] as const)
    await call(to, encodeFunctionData({ abi, functionName: 'transfer', args: [pair, amount] }))
  await call(pair, encodeFunctionData({ abi, functionName: 'mint', args: [person.address] }))
  const sold = { tokenIn: token, amount: undefined, amountRaw: '1000000' }
  assert.ok((await succeed('quote', { ...order, ...sold, tokenOut: 'WETH' }))['receive'])
  return token
}

s('takes no stranger’s token for one that it is named after [mcp/named]', async () => {
  const fake = await bearName('USDC')
  const unlisted = await bearName('PEPE')
  const { tokens } = await succeed('tokens', { chainId, search: 'usdc' })
  const listed = (tokens as readonly { address: string; isListed: boolean }[]).filter(
    ({ isListed }) => isListed,
  )
  assert.not.ok(listed.some(({ address }) => address === fake))
  assert.ok((tokens as readonly { address: string }[]).some(({ address }) => address === fake))
  const named = await succeed('quote', order)
  assert.is((named['receive'] as { token: string }).token, chain.tokens['USDC']?.address)
  const refused = await call('quote', { ...order, tokenOut: 'pepe' })
  assert.ok(refused.isError)
  assert.match(refused.text, new RegExp(`no listed token.*\\nNext: Anybody.*${unlisted}`))
  assert.ok((await succeed('quote', { ...order, tokenOut: unlisted }))['receive'])
})

s('reads quota and relay, deploys and claims as the services do [mcp/services]', async () => {
  const owner = privateKeyToAddress(generatePrivateKey())
  for (const token of ['ETH', 'WETH'])
    await succeed('deal', { chainId, token, to: owner, amount: '2' })
  const status = await succeed('relay_status', { chainId })
  const [before] = status['chains'] as readonly { readonly servable: boolean }[]
  assert.is(before?.servable, true)
  const wanted = { chainId, owner, tokenIn: 'WETH', amount: '1' }
  const deployed = await succeed('relay_deploy', wanted)
  assert.match(String(deployed['txHash']), /^0x[0-9a-f]{64}$/)
  assert.is((await succeed('relay_deploy', wanted))['proxy'], deployed['proxy'])
  const quota = await succeed('quota')
  const [sale] = quota['contracts'] as readonly { readonly pricePerQuote: Amount }[]
  const { USDC } = chain.tokens
  const price = { raw: '100', token: USDC?.address, amount: '0.0001', symbol: 'USDC' }
  assert.equal(sale?.pricePerQuote, price)
  const unpaid = await call('claim', { chainId, txHash: `0x${'ab'.repeat(32)}` })
  assert.match(unpaid.text, /unknown_transaction, request .*\nNext: Check chain and hash/)
})

s('keeps, changes and takes back the state of a lab; arms faults [mcp/lab]', async () => {
  const to = privateKeyToAddress(generatePrivateKey())
  const { id } = await succeed('snapshot', { chainId })
  const dealt = await succeed('deal', { chainId, token: 'USDC', to, amount: '12.5' })
  const { USDC } = chain.tokens
  const held = { raw: '12500000', token: USDC?.address, amount: '12.5', symbol: 'USDC' }
  assert.equal(dealt['balance'], held)
  await succeed('warp', { chainId, secs: 60 })
  assert.ok((await succeed('revert', { chainId, id }))['id'])
  const { faults } = await succeed('faults')
  assert.ok((faults as readonly Answer[]).some(({ name }) => name === 'rate_limited'))
  const fault = { name: 'rate_limited', service: 'routing', path: '/quote' }
  await succeed('arm_fault', { ...fault, settings: { retryAfterSecs: 9 } })
  const limited = await call('quote', order)
  assert.match(limited.text, /rate_limited.*\nNext: Call again in 9 seconds\./s)
  await succeed('clear_faults')
  const pack = join(import.meta.dirname, '../../examples/ci-repo/base.pack')
  const [packed] = (await succeed('pack', { file: pack }))['chains'] as readonly Answer[]
  assert.is(packed?.['chainId'], chainId)
  assert.match((await call('pack', { file: cliPath })).text, 'Next: Record one')
})

s('says what to do next where something is refused [mcp/advice]', async () => {
  const said: readonly (readonly [string, object, RegExp])[] = [
    ['quote', { ...order, tokenIn: 'NOPE' }, /no token NOPE is known.*\nNext: Call tokens/],
    ['quote', { ...order, amountRaw: '1' }, /not both\nNext: Give amount in whole tokens/],
    [
      'quote',
      { ...order, tokenOut: 'WETH', tokenIn: 'USDC', amount: '0.0000001' },
      /6 decimals, 0\.0000001 has 7\nNext/,
    ],
    ['quote', { ...order, tokenIn: taker }, /how many decimals.*\nNext: Give amountRaw/],
    ['quote', { ...order, chainId: 1 }, /no token weth is known on chain 1/],
    ['arm_fault', { name: 'earthquake' }, /name: .*\nNext: Mend the arguments/s],
    ['explain_route', { quoteHash: `0x${'11'.repeat(32)}` }, /quote_not_found.*\nNext: Expl/],
  ]
  for (const [name, given, words] of said) {
    const { isError, text } = await call(name, given)
    assert.ok(isError, name)
    assert.match(text, words)
  }
  const nowhere = await startAgent(['--lab', 'http://127.0.0.1:9'])
  const { text } = await call('tokens', {}, nowhere)
  assert.match(text, /could not be reached.*\nNext: .*npx forkyard lab-up/s)
})

s('has no tools that send outside a lab, unless they are allowed [mcp/send]', async () => {
  const namesOf = async (by: Client) => (await by.listTools()).tools.map(({ name }) => name)
  const ofLab = await namesOf(agent)
  const key = { FORKYARD_API_KEY: apiKey }
  const stranger = await startAgent(gateway, key)
  const sender = await startAgent([...gateway, '--allow-send'], key)
  const outside = await namesOf(stranger)
  const reading = 'tokens quote quotes explain_route compare meta_quote relay_status quota claim'
  assert.equal(outside.toSorted(), reading.split(' ').toSorted())
  const allowed = await namesOf(sender)
  assert.equal(allowed.toSorted(), [...outside, 'relay_deploy'].toSorted())
  const controls = 'deal warp snapshot revert faults arm_fault clear_faults pack'.split(' ')
  assert.equal(ofLab.toSorted(), [...allowed, ...controls].toSorted())
  assert.ok((await succeed('quote', order, stranger))['receive'])
  const called = await stranger.callTool({ name: 'deal', arguments: {} }).catch((thrown) => thrown)
  assert.ok(called instanceof Error || called.isError === true)
  const listed = (await stranger.listResources()).resources.map(({ uri }) => uri)
  assert.not.ok(listed.includes('forkyard://manifest'))
})

s('has the manifest without its secrets, OpenAPI and docs to read [mcp/resources]', async () => {
  const read = async (uri: string) => {
    const { contents } = await agent.readResource({ uri })
    const [first] = contents
    return first && 'text' in first ? String(first.text) : ''
  }
  const listed = (await agent.listResources()).resources.map(({ uri }) => uri)
  assert.ok(listed.includes('forkyard://docs/operators.md'))
  const texts = new Map<string, string>()
  for (const uri of listed) texts.set(uri, await read(uri))
  const manifest = texts.get('forkyard://manifest') ?? ''
  assert.is(JSON.parse(manifest).chains['8453'].executor, chain.executor)
  assert.not.match(manifest, adminToken)
  assert.match(texts.get('forkyard://openapi/relay') ?? '', '/api/proxy')
  assert.match(texts.get('forkyard://docs/llms-full.txt') ?? '', '## POST /quote')
})

s(
  'has a prompt for each of the three stories, which names tools that exist [mcp/prompts]',
  async () => {
    const { prompts } = await agent.listPrompts()
    assert.equal(
      prompts.map(({ name }) => name),
      ['swap', 'pay_for_quotes', 'test_integration'],
    )
    const given = {
      chain: '8453',
      sell: '1 WETH',
      buy: 'USDC',
      wallet: taker,
      quotes: '9',
      what: 'x',
    }
    const names = (await agent.listTools()).tools.map(({ name }) => name)
    for (const { name, arguments: wanted = [] } of prompts) {
      const named = Object.fromEntries(
        Object.entries(given).filter(([field]) => wanted.some((one) => one.name === field)),
      )
      const { messages } = await agent.getPrompt({ name, arguments: named })
      const content = messages[0]?.content
      const text = content?.type === 'text' ? content.text : ''
      const called = [...text.matchAll(/\b[Cc]all (\w+)/g)].map(([, word = '']) => word)
      assert.ok(called.length > 2, text)
      for (const word of called) assert.ok(names.includes(word) || word === 'it', word)
    }
  },
)

s('serves HTTP on loopback, to programs and pages of this machine [mcp/http]', async () => {
  const args = [cliPath, 'mcp', '--lab', services.ops, '--http', '0']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  const [line] = (await once(createInterface(child.stderr), 'line')) as [string]
  const url = line.replace('forkyard mcp: ', '')
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
  const overHttp = new Client({ name: 'test', version: '1' })
  await overHttp.connect(new StreamableHTTPClientTransport(new URL(url)))
  assert.ok((await succeed('quote', order, overHttp))['receive'])
  await overHttp.close()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const foreign = { ...headers, origin: 'https://evil.example' }
  assert.is((await fetch(url, { method: 'POST', headers: foreign, body })).status, 403)
  const local = { ...headers, origin: 'http://localhost:5173' }
  assert.is((await fetch(url, { method: 'POST', headers: local, body })).status, 200)
  assert.is((await fetch(url.replace('/mcp', '/'), { method: 'POST', headers, body })).status, 404)
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.is(code, 0)
})
s.run()
