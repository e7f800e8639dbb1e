import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createWalletClient,
  http,
  keccak256,
  parseEther,
  parseUnits,
  stringToHex,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { getBalance } from 'viem/actions'
import { base } from 'viem/chains'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { readPages, runnable } from '../../fixtures/docs/readPages.ts'
import { runPage } from '../../fixtures/docs/runPage.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { checkShape } from '../http/validate.ts'
import { startTestLab } from '../lab/testing/testLab.ts'
import { createPerson } from '../lab/testing/testPerson.ts'
import { labManifest } from '../ops/labManifest.ts'
import { createTestWallet } from '../wallet/testWallet.ts'
import {
  buyQuota,
  createClient,
  createLab,
  readManifest,
  registerWallet,
  SwapError,
  swap,
  swapThroughProxy,
  type Wallet,
} from './index.ts'

/** What the client does for people, against a lab: real pools, a real gateway. */
const lab = await startTestLab({ FREE_QUOTA: '3' })
const { services, adminToken } = lab.manifest()
const manifest = await readManifest(services.ops)
const control = createLab({ services, adminToken })
const chainId = base.id
const chain = manifest.chains[String(chainId)]
if (!chain) throw new Error('the lab has no Base')
const { rpcUrl, tokens, executor, proxyFactory: factory } = chain
const usdc = tokens['USDC']?.address ?? zeroAddress
const weth = tokens['WETH']?.address ?? zeroAddress
const client = createClient(manifest)
const root = join(import.meta.dirname, '../..')
const s = suite('swaps of forkyard/client')
s.after(() => lab.down())

/** Enough for any route: a pair writes its prices once in a second, which an estimate just before may not see. */
const gas = 5_000_000n

/** A wallet of its own, with ether, WETH and USDC. */
async function newWallet() {
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
  const { address } = account
  const node = createWalletClient({ account, chain: base, transport: http(rpcUrl) })
  for (const [token, amount] of [
    [zeroAddress, parseEther('5')],
    [weth, parseEther('5')],
    [usdc, parseUnits('500', 6)],
  ] as const)
    await control.deal({ chainId, token, to: address, amount: String(amount) })
  const calls: string[] = []
  const wallet: Wallet = {
    address,
    request: node.request,
    signTypedData: account.signTypedData as NonNullable<Wallet['signTypedData']>,
    sendTransaction: (call) => {
      calls.push(call.to.toLowerCase())
      return node.sendTransaction({ ...call, gas })
    },
  }
  const person = createPerson({ rpcUrl, address, privateKey })
  return { privateKey, account, wallet, node, calls, person }
}

s('approves exactly, swaps, and tells what arrived to the wei [client/swap]', async () => {
  const { wallet, calls, person } = await newWallet()
  const before = await person.balanceOf(usdc)
  const order = { chainId, tokenIn: weth, tokenOut: usdc, amountIn: parseEther('1'), executor }
  const first = await swap({ client, wallet }, order)
  const after = await person.balanceOf(usdc)
  assert.is(first.amountOut, after - before)
  assert.is(first.amountOut, BigInt(first.quote.output))
  assert.is(first.receipt.transactionHash, first.txHash)
  assert.equal(calls, [weth.toLowerCase(), executor.toLowerCase()])
  // Nothing is left of the allowance: the next swap needs its own.
  await swap({ client, wallet }, order)
  assert.is(calls.length, 4)
})
s(
  'signs a permit where the token takes one, which nothing is left of [client/permit]',
  async () => {
    const { wallet, calls, person } = await newWallet()
    const order = { chainId, tokenIn: usdc, tokenOut: weth, amountIn: 100_000_000n, executor }
    const before = await person.balanceOf(weth)
    const first = await swap({ client, wallet }, order)
    assert.is(first.amountOut, (await person.balanceOf(weth)) - before)
    assert.is(first.amountOut, BigInt(first.quote.output))
    await swap({ client, wallet }, order)
    assert.equal(
      calls,
      [executor, executor].map((to) => to.toLowerCase()),
    )
    await swap({ client, wallet }, { ...order, permit: false })
    assert.equal(
      calls.slice(2),
      [usdc, executor].map((to) => to.toLowerCase()),
    )
  },
)
s('sells and buys the native currency, with its gas left out [client/native]', async () => {
  const { wallet, node, calls, person } = await newWallet()
  const { address } = wallet
  const held = await person.balanceOf(usdc)
  const sold = await swap(
    { client, wallet },
    { chainId, tokenIn: zeroAddress, tokenOut: usdc, amountIn: parseEther('1'), executor },
  )
  assert.is(sold.amountOut, (await person.balanceOf(usdc)) - held)
  assert.is(calls.length, 1)
  const order = { chainId, tokenIn: usdc, tokenOut: zeroAddress, amountIn: sold.amountOut }
  await swap({ client, wallet }, { ...order, amountIn: 1_000_000n })
  const before = await getBalance(node, { address })
  const bought = await swap({ client, wallet }, { ...order, amountIn: 100_000_000n })
  assert.is(bought.amountOut, BigInt(bought.quote.output))
  assert.ok((await getBalance(node, { address })) > before)
})
s('stops where the wallet is elsewhere, or its transaction reverts [client/stops]', async () => {
  const { wallet } = await newWallet()
  const order = { tokenIn: weth, tokenOut: usdc, amountIn: parseEther('1') }
  const elsewhere = await swap({ client, wallet }, { ...order, chainId: 1 }).catch((e) => e)
  assert.instance(elsewhere, SwapError)
  assert.is(elsewhere.code, 'wrong_chain')
  const poor = { ...order, chainId, amountIn: parseEther('50') }
  const { node } = await newWallet()
  const sendTransaction: Wallet['sendTransaction'] = (call) =>
    node.sendTransaction({ ...call, gas: 1_000_000n })
  const other = { address: node.account.address, request: node.request, sendTransaction }
  const reverted = await swap({ client, wallet: other }, poor).catch((e) => e)
  assert.equal([reverted.code, reverted.txHash?.length], ['reverted', 66])
})
s(
  'sends nothing elsewhere when a person changes the network, before a prompt or at it [22/pinned-swap]',
  async () => {
    const elsewhere = 42_161
    const order = { chainId, tokenIn: weth, tokenOut: usdc, amountIn: parseEther('1'), executor }
    const { privateKey, account } = await newWallet()
    const { chains } = manifest
    const test = createTestWallet({ chains, privateKey, chainId })
    await test.provider.request({ method: 'eth_requestAccounts' })
    const { address } = account
    const wallet: Wallet = { address, request: test.provider.request }
    const codeOf = (swapping: Promise<unknown>) =>
      swapping.then(
        () => 'swapped',
        ({ code }: { code: unknown }) => code,
      )
    const atPrompt: Wallet['request'] = (call) => {
      if (call.method === 'eth_sendTransaction') test.switchTo(elsewhere)
      return test.provider.request(call)
    }
    assert.is(await codeOf(swap({ client, wallet: { address, request: atPrompt } }, order)), -32602)
    test.switchTo(chainId)
    let quotes = 0
    const quote: typeof client.routing.quote = (...asked) => {
      quotes += 1
      // The second is asked for after the approval.
      if (quotes === 2) test.switchTo(elsewhere)
      return client.routing.quote(...asked)
    }
    const late = { ...client, routing: { ...client.routing, quote } }
    assert.is(await codeOf(swap({ client: late, wallet }, order)), 'wrong_chain')
    const sent = test.asked.filter(({ method }) => method === 'eth_sendTransaction')
    assert.is(sent.length, 2)
    const there = createRpc(chains[String(elsewhere)]?.rpcUrl ?? '')
    assert.is(await there('eth_getTransactionCount', address, 'latest'), '0x0')
  },
)
s('swaps through a proxy, which the relay deploys and later is there [client/proxy]', async () => {
  const { wallet, calls, person } = await newWallet()
  const order = { chainId, tokenIn: weth, tokenOut: usdc, amountIn: parseEther('1'), factory }
  const held = await person.balanceOf(usdc)
  const first = await swapThroughProxy({ client, wallet }, order)
  assert.is(first.amountOut, (await person.balanceOf(usdc)) - held)
  assert.equal([first.by, calls], ['relay', [weth.toLowerCase(), first.proxy.toLowerCase()]])
  const again = await swapThroughProxy({ client, wallet }, order)
  assert.equal([again.by, again.proxy], ['existing', first.proxy])
})
s(
  'deploys the proxy from the wallet where the relay does not answer [client/proxy-wallet]',
  async () => {
    const { wallet, calls } = await newWallet()
    const alone = createClient({
      ...manifest,
      services: { ...services, relay: 'http://127.0.0.1:9' },
    })
    const order = { chainId, tokenIn: weth, tokenOut: usdc, amountIn: parseEther('1'), factory }
    const swapped = await swapThroughProxy({ client: alone, wallet }, order)
    assert.equal([swapped.by, swapped.refusal], ['wallet', 'the relay could not be reached'])
    assert.equal(
      calls,
      [factory, weth, swapped.proxy].map((address) => address.toLowerCase()),
    )
  },
)
s('registers a wallet, buys quota by a permit and claims it [client/buy]', async () => {
  const { account, wallet, calls } = await newWallet()
  const { address } = account
  const signMessage = (message: string) => account.signMessage({ message })
  const { api_key: apiKey } = await registerWallet(client, { address, signMessage })
  const own = createClient({ ...manifest, apiKey })
  const bought = await buyQuota(
    { client: own, wallet },
    {
      chainId,
      quotes: 70,
      maxAmount: parseUnits('1', 6),
      quotaManager: chain.quotaManager,
    },
  )
  assert.equal([bought.purchased_quotes, bought.quota_remaining], [70, 73])
  assert.equal(calls, [chain.quotaManager.toLowerCase()])
  // Without a signer of typed data: an approval first.
  const { signTypedData: _, ...mute } = wallet
  const more = await buyQuota(
    { client: own, wallet: mute },
    {
      chainId,
      quotes: 30,
      maxAmount: parseUnits('1', 6),
      paymentToken: usdc,
    },
  )
  assert.is(more.quota_remaining, 103)
  assert.equal(
    calls.slice(1),
    [usdc, chain.quotaManager].map((to) => to.toLowerCase()),
  )
})
s('streams quotes of the lab until done [client/lab-stream]', async () => {
  const names: string[] = []
  const taker = privateKeyToAccount(keccak256(stringToHex('taker'))).address
  const order = { chainId, tokenIn: weth, tokenOut: usdc, amountIn: '1000000000000000000', taker }
  for await (const { event, data } of client.meta.stream(order)) {
    names.push(event)
    if (event === 'initial') assert.ok(data.quotes.length > 0)
  }
  assert.equal([names[0], names.at(-1)], ['initial', 'done'])
})
s('has requests of the lab go wrong on demand, and no others [client/lab-faults]', async () => {
  const own = createClient({ ...manifest, clientId: 'unlucky' })
  await control.fail({ name: 'rate_limited', times: 1, path: '/health', clientId: 'unlucky' })
  await client.routing.health()
  const error = await own.routing.health().catch((thrown) => thrown)
  assert.equal([error.code, error.status, error.retryAfterSecs], ['rate_limited', 429, 2])
  await own.routing.health()
  await control.fail({ name: 'stall', service: 'relay', settings: { ms: 60_000 } })
  // Until it has been asked for.
  const late = await own.relay.health({ timeoutMs: 2_000 }).catch((thrown) => thrown)
  assert.is(late.code, 'timeout')
  assert.equal((await control.faults()).armed, [])
  const stranger = createLab({ services, adminToken: 'another' })
  const refused = await stranger.fail({ name: 'reset' }).catch((thrown) => thrown)
  assert.ok([401, 403].includes(refused.status), String(refused.status))
})
s('reads the manifest as its schema says', () => {
  assert.is(checkShape(labManifest, manifest), undefined)
  assert.equal(manifest, lab.manifest())
})

s('runs the examples as they stand [client/examples-run]', () => {
  const swapped = /^[\d.]+ USDC by 0x[0-9a-f]{64}$/
  const told = {
    swap: swapped,
    ethers: swapped,
    stream: /^best: [\d.]+ USDC of \w+/,
    agent: /^paid by 0x[0-9a-f]{64}, and quoted [\d.]+ USDC$/,
  }
  const env = { ...process.env, LAB_URL: services.ops }
  for (const [name, words] of Object.entries(told)) {
    const path = join(root, 'examples/client', `${name}.ts`)
    const run = spawnSync(process.execPath, [path], { env, encoding: 'utf8' })
    assert.is(run.status, 0, run.stderr)
    assert.match(run.stdout.trim(), words)
  }
  const lines = readFileSync(join(root, 'examples/client/swap.ts'), 'utf8').trim().split('\n')
  assert.ok(lines.length <= 25)
})
s("runs the pages' commands as they stand [docs/run]", async () => {
  const pages = runnable(readPages())
  assert.ok(pages.some(({ path }) => path === 'docs/start.md'))
  for (const page of pages) {
    const { code, output } = await runPage(page, { labDir: lab.dir, manifest })
    assert.is(code, 0, `${page.path}:\n${output}`)
  }
})
s.run()
