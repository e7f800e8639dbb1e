import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { createPublicClient, encodeFunctionData, erc20Abi, http, parseEther, toHex } from 'viem'
import { build } from 'vite'
import { startChromium } from '../../fixtures/browser/chromium.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { findTestLab } from '../lab/testing/testLab.ts'
import { createTestWallet, type ProviderError } from './index.ts'

const lab = await findTestLab()
const { services, chains } = lab.manifest()
const chain = chains['8453']
if (!chain) throw new Error('the lab has no Base')
const { tokens, accounts, rpcUrl } = chain
const weth = tokens['WETH']?.address ?? '0x'
const [, , , spare, delegating] = accounts
if (!spare || !delegating) throw new Error('the lab has ten accounts')
const node = createPublicClient({ transport: http(rpcUrl) })
const browser = await startChromium({ names: [] })
const root = join(import.meta.dirname, '../..')
const s = suite('forkyard/wallet')
s.after(async () => {
  await browser?.close()
  await lab.down()
})

const open = () => {
  const wallet = createTestWallet({ chains, privateKey: spare.privateKey })
  const ask = (method: string, ...params: unknown[]) => wallet.provider.request({ method, params })
  const failOf = (method: string, ...params: unknown[]) =>
    ask(method, ...params).then(
      () => assert.unreachable(),
      (error: ProviderError) => error.code,
    )
  return { wallet, ask, failOf }
}
const nothing = { from: spare.address, to: spare.address, value: '0x1' } as const

s(
  'asks a person before the page gets account, signature or transaction [wallet/approve]',
  async () => {
    const { wallet, ask, failOf } = open()
    assert.equal(await ask('eth_accounts'), [])
    assert.is(await failOf('eth_sendTransaction', nothing), 4100)
    assert.equal(await ask('eth_requestAccounts'), [spare.address])
    const hash = (await ask('eth_sendTransaction', nothing)) as `0x${string}`
    assert.is((await node.waitForTransactionReceipt({ hash })).status, 'success')
    const signature = (await ask('personal_sign', toHex('hello'), spare.address)) as `0x${string}`
    const signed = { address: spare.address, message: 'hello', signature }
    assert.ok(await node.verifyMessage(signed))
    // Reads are the node's.
    assert.is(
      await ask('eth_getBalance', spare.address, 'latest'),
      toHex(await node.getBalance(spare)),
    )
    const methods = wallet.asked.map(({ method }) => method)
    assert.equal(methods.slice(1), ['eth_requestAccounts', 'eth_sendTransaction', 'personal_sign'])
  },
)
s('rejects, takes its time, is gone or on another chain, as told [wallet/switches]', async () => {
  const { wallet, ask, failOf } = open()
  const told: unknown[] = []
  for (const event of ['chainChanged', 'disconnect', 'connect', 'accountsChanged'] as const)
    wallet.provider.on(event, (value) => told.push([event, value instanceof Error || value]))
  wallet.set({ answer: 'reject' })
  assert.is(await failOf('eth_requestAccounts'), 4001)
  wallet.set({ answer: 'approve', delayMs: 30 })
  const started = performance.now()
  await ask('eth_requestAccounts')
  assert.ok(performance.now() - started >= 29)
  wallet.set({ delayMs: 0, isConnected: false })
  assert.is(await failOf('eth_chainId'), 4900)
  wallet.set({ isConnected: true })
  wallet.switchTo(42_161)
  assert.is(await ask('eth_chainId'), '0xa4b1')
  assert.is(await failOf('eth_sendTransaction', { ...nothing, chainId: '0x2105' }), -32602)
  assert.is(await failOf('wallet_switchEthereumChain', { chainId: '0x1' }), 4902)
  await ask('wallet_switchEthereumChain', { chainId: '0x2105' })
  await ask('wallet_revokePermissions', { eth_accounts: {} })
  assert.equal(told, [
    ['accountsChanged', [spare.address]],
    ['disconnect', true],
    ['connect', { chainId: '0x2105' }],
    ['chainChanged', '0xa4b1'],
    ['chainChanged', '0x2105'],
    ['accountsChanged', []],
  ])
})
s('sends batches one call after the other, where it knows them [wallet/batch]', async () => {
  const { wallet, ask, failOf } = open()
  await ask('eth_requestAccounts')
  const approve = (amount: bigint) => ({
    to: weth,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [chain.executor, amount],
    }),
  })
  const batch = { version: '2.0.0', chainId: '0x2105', from: spare.address, atomicRequired: false }
  const calls = [approve(1n), approve(parseEther('7'))]
  const { id } = (await ask('wallet_sendCalls', { ...batch, calls })) as { id: string }
  const read = async () => (await ask('wallet_getCallsStatus', id)) as Record<string, unknown>
  let status = await read()
  while (status['status'] === 100) status = await read()
  assert.equal(
    [status['status'], status['atomic'], Object(status['receipts']).length],
    [200, false, 2],
  )
  const args = [spare.address, chain.executor] as const
  const allowance = { address: weth, abi: erc20Abi, functionName: 'allowance', args } as const
  assert.is(await node.readContract(allowance), parseEther('7'))
  assert.is(await failOf('wallet_sendCalls', { ...batch, calls, atomicRequired: true }), 5760)
  assert.is(await failOf('wallet_getCallsStatus', 'other'), 5730)
  wallet.set({ hasBatches: false })
  assert.is(await failOf('wallet_sendCalls', { ...batch, calls }), 4200)
  assert.is(await failOf('wallet_getCapabilities', spare.address), 4200)
})
s('has the account take on the code of a contract, once (EIP-7702) [wallet/delegate]', async () => {
  const wallet = createTestWallet({ chains, privateKey: delegating.privateKey })
  const { address } = wallet
  const send = async () => {
    const params = [{ from: address, to: spare.address, value: '0x1' }]
    const hash = await wallet.provider.request({ method: 'eth_sendTransaction', params })
    return node.waitForTransactionReceipt({ hash: hash as `0x${string}` })
  }
  await wallet.provider.request({ method: 'eth_requestAccounts' })
  wallet.set({ delegateTo: chain.executor })
  assert.is((await send()).type, 'eip7702')
  assert.is(await node.getCode({ address }), `0xef0100${chain.executor.slice(2).toLowerCase()}`)
  assert.is((await send()).type, 'eip1559')
})

if (browser) addPageTest(browser)
else s('needs Chromium for its page, which is not installed', () => undefined)

function addPageTest(chromium: Browser) {
  s('a page with wagmi discovers it and swaps, in Chromium [wallet/page]', async () => {
    const files = await bundle()
    const server = createServer(({ url = '' }, response) => {
      const script = files.get(url)
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8')
      response.end(script ?? html)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const page = await chromium.newPage()
    try {
      await page.goto(`http://localhost:${port}/?lab=${encodeURIComponent(services.ops)}`)
      await page.locator('output', { hasText: 'ready' }).waitFor()
      const click = async (words: RegExp) => {
        await page.locator('button').click()
        await page.locator('output', { hasText: words }).waitFor()
        return page.locator('output').textContent()
      }
      assert.match((await click(/USDC|failed/)) ?? '', /^got \d+(\.\d+)? USDC$/)
      await page.evaluate("window.wallet.set({ answer: 'reject' })")
      assert.match((await click(/USDC|failed/)) ?? '', /^failed: User rejected/)
    } finally {
      await page.close()
      server.close()
    }
  })
}

const entry = '/page.js'
const html = `<!doctype html><button>Swap</button><output></output><script type="module" src="${entry}"></script>`

/** The example as a page gets it: scripts by their paths. */
async function bundle(): Promise<ReadonlyMap<string, string>> {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    resolve: {
      alias: ['client', 'wallet'].map((name) => ({
        find: `forkyard/${name}`,
        replacement: join(root, `gateway/${name}/index.ts`),
      })),
    },
    build: {
      write: false,
      target: 'esnext',
      rolldownOptions: {
        input: join(root, 'examples/wallet/page.ts'),
        output: { entryFileNames: entry.slice(1) },
      },
    },
  })
  type Output = { readonly fileName: string; readonly code: string }
  const [{ output } = { output: [] }] = [built].flat() as { output: Output[] }[]
  return new Map(output.map(({ fileName, code }) => [`/${fileName}`, code]))
}
s.run()
