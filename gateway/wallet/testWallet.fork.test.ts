import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { createPublicClient, encodeFunctionData, erc20Abi, http, parseEther, toHex } from 'viem'
import { build } from 'vite'
import { giveWallet } from '../../examples/wallet/giveWallet.ts'
import { startChromium } from '../../fixtures/browser/chromium.ts'
import { ownEntries } from '../../fixtures/browser/ownEntries.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import { findDebianProgram } from '../../fixtures/debianPrograms.ts'
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
const foreignName = 'foreign.test'
const browser = await startChromium({ names: [foreignName] })
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
const typedData = (chainId: number | string) => ({
  domain: { name: 'Test', version: '1', chainId, verifyingContract: weth },
  types: { Word: [{ name: 'word', type: 'string' }] },
  primaryType: 'Word',
  message: { word: 'hello' },
})
const nothing = { from: spare.address, to: spare.address, value: '0x1' } as const

s(
  'asks a person before the page gets account, signature or transaction [wallet/approve]',
  async () => {
    const { wallet, ask, failOf } = open()
    assert.equal(await ask('eth_accounts'), [])
    assert.is(await failOf('eth_sendTransaction', nothing), 4100)
    assert.equal(await ask('eth_requestAccounts'), [spare.address])
    const hash = (await ask('eth_sendTransaction', nothing)) as `0x${string}`
    assert.is((await waitForReceipt({ rpcUrl, hash })).status, 'success')
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
s('hands no node what signs, sends or changes a chain, unasked [wallet/unasked]', async () => {
  const { wallet, ask, failOf } = open()
  const hash = toHex('hello', { size: 32 })
  const calls: readonly (readonly [string, ...unknown[]])[] = [
    ['eth_sign', spare.address, hash],
    ['eth_signTransaction', { ...nothing, gas: '0x5208', gasPrice: '0x3b9aca00', nonce: '0x0' }],
    ['eth_signTypedData', spare.address, typedData(8453)],
    ['eth_sendUnsignedTransaction', nothing],
    ['anvil_setBalance', spare.address, '0x0'],
    ['evm_mine'],
    ['wallet_watchAsset', {}],
    ['constructor'],
    ['__proto__'],
    ['toString'],
  ]
  const before = await node.getBalance(spare)
  const head = await node.getBlockNumber({ cacheTime: 0 })
  for (const [method, ...params] of calls) assert.is(await failOf(method, ...params), 4200, method)
  assert.is(await node.getBalance(spare), before)
  assert.is(await node.getBlockNumber({ cacheTime: 0 }), head)
  assert.equal(wallet.asked, [])
  await ask('eth_requestAccounts')
  // As wallets do: a signature for another chain is worth something there.
  const sign = (chainId: number | string) =>
    ['eth_signTypedData_v4', spare.address, JSON.stringify(typedData(chainId))] as const
  assert.is(await failOf(...sign(1)), -32602)
  for (const [method, ...params] of [
    ['eth_sendTransaction'],
    ['wallet_switchEthereumChain'],
    ['wallet_sendCalls'],
    ['eth_signTypedData_v4', spare.address, '{'],
    ['eth_signTypedData_v4', spare.address, JSON.stringify(typedData('one'))],
  ] as const)
    assert.is(await failOf(method, ...params), -32602, method)
  assert.is(
    await ask('personal_sign', 'hello', spare.address),
    await ask('personal_sign', toHex('hello'), spare.address),
  )
  for (const chainId of [8453, '8453', '0x2105'])
    assert.match(String(await ask(...sign(chainId))), /^0x[0-9a-f]{130}$/)
})
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
  assert.is(await failOf('wallet_sendCalls', { ...batch, id, calls: [approve(9n)] }), 5720)
  const paid = (optional: boolean) => ({
    ...batch,
    calls: [{ ...approve(8n), capabilities: { paymasterService: { optional } } }],
  })
  assert.is(await failOf('wallet_sendCalls', paid(false)), 5700)
  assert.is(await node.readContract(allowance), parseEther('7'))
  assert.ok(await ask('wallet_sendCalls', paid(true)))
  wallet.set({ hasBatches: false })
  assert.is(await failOf('wallet_sendCalls', { ...batch, calls }), 4200)
  assert.is(await failOf('wallet_getCapabilities', spare.address), 4200)
})
s('tells of a batch that could be sent in part what stands of it [wallet/batch-cut]', async () => {
  const { ask, failOf } = open()
  await ask('eth_requestAccounts')
  const write = (functionName: 'approve' | 'transfer', amount: bigint) => ({
    to: weth,
    data: encodeFunctionData({ abi: erc20Abi, functionName, args: [spender, amount] }),
  })
  const spender = '0x0000000000000000000000000000000000005792'
  const [first, impossible, last] = [
    write('approve', 4n),
    write('transfer', 2n ** 200n),
    write('approve', 5n),
  ]
  const batch = { version: '2.0.0', chainId: '0x2105', from: spare.address, atomicRequired: false }
  const { id } = (await ask('wallet_sendCalls', {
    ...batch,
    calls: [first, impossible, last],
  })) as {
    id: string
  }
  const read = async () => (await ask('wallet_getCallsStatus', id)) as Record<string, unknown>
  let status = await read()
  while (status['status'] === 100) status = await read()
  assert.equal([status['status'], Object(status['receipts']).length], [600, 1])
  const args = [spare.address, spender] as const
  const allowance = { address: weth, abi: erc20Abi, functionName: 'allowance', args } as const
  assert.is(await node.readContract(allowance), 4n)
  // Of nothing that was sent there is nothing to tell.
  await failOf('wallet_sendCalls', { ...batch, id: 'none', calls: [impossible, last] })
  assert.is(await failOf('wallet_getCallsStatus', 'none'), 5730)
  assert.is(await node.readContract(allowance), 4n)
})
s('has the account take on the code of a contract, once (EIP-7702) [wallet/delegate]', async () => {
  const wallet = createTestWallet({ chains, privateKey: delegating.privateKey })
  const { address } = wallet
  const send = async () => {
    const params = [{ from: address, to: spare.address, value: '0x1' }]
    const hash = await wallet.provider.request({ method: 'eth_sendTransaction', params })
    return waitForReceipt({ rpcUrl, hash: hash as `0x${string}` })
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

  s(
    'a page that knows nothing of it discovers the wallet of a test [wallet/playwright]',
    async () => {
      const { wallet } = open()
      const page = await chromium.newPage()
      try {
        await giveWallet(page, wallet)
        await page.goto(`${services.routing}/docs`)
        await page.evaluate(`addEventListener('eip6963:announceProvider', ({ detail }) => {
        globalThis.found = detail
        globalThis.heard = new Promise((resolve) => detail.provider.on('chainChanged', resolve))
      }); dispatchEvent(new Event('eip6963:requestProvider'))`)
        const ask = (method: string) =>
          page.evaluate(`found.provider.request({ method: '${method}' }).catch(({ code }) => code)`)
        assert.is(await page.evaluate('found.info.rdns'), 'dev.forkyard.wallet')
        assert.equal(await ask('eth_requestAccounts'), [wallet.address])
        wallet.set({ answer: 'reject' })
        assert.is(await ask('eth_requestAccounts'), 4001)
        wallet.switchTo(42_161)
        assert.is(await page.evaluate('heard'), '0xa4b1')
      } finally {
        await page.close()
      }
    },
  )

  s('tests that run in a browser with Vitest play its person [wallet/vitest]', async () => {
    const { code, output } = await runVitest()
    assert.is(code, 0, output)
    assert.match(output, /2 passed/)
  })

  s('a page has it by a script tag, if the lab trusts the page [wallet/script]', async () => {
    const tag = `<script crossorigin src="${services.ops}/lab/wallet.js?account=3"></script>`
    // As libraries do: it asks who is there.
    const own = `<script>
      addEventListener('eip6963:announceProvider', ({ detail }) => {
        globalThis.found = detail
        detail.provider.on('chainChanged', (id) => { globalThis.heard = id })
        detail.provider.on('disconnect', (error) => { globalThis.lost = error })
      })
      dispatchEvent(new Event('eip6963:requestProvider'))</script>`
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html>${tag}${own}`)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const page = await chromium.newPage()
    const ask = (method: string, ...params: unknown[]) =>
      page.evaluate(
        `found.provider.request(${JSON.stringify({ method, params })}).catch(({ code }) => code)`,
      )
    try {
      await page.goto(`http://${foreignName}:${port}`)
      assert.is(await page.evaluate('typeof found'), 'undefined')
      await page.goto(`http://localhost:${port}`)
      assert.match(
        String(await page.evaluate('found.info.uuid')),
        /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/,
      )
      assert.equal(await ask('eth_accounts'), [])
      assert.equal(await ask('eth_requestAccounts'), [nothing.from])
      const hash = (await ask('eth_sendTransaction', nothing)) as `0x${string}`
      assert.is((await waitForReceipt({ rpcUrl, hash })).status, 'success')
      await page.evaluate("forkyardWallet.set({ answer: 'reject' })")
      assert.is(await ask('eth_sendTransaction', nothing), 4001)
      await page.evaluate('forkyardWallet.switchTo(42161)')
      assert.is(await page.evaluate('heard'), '0xa4b1')
      await page.evaluate('forkyardWallet.set({ isConnected: false })')
      assert.is(await page.evaluate('lost.code'), 4900)
      const asked = (await page.evaluate('forkyardWallet.asked()')) as { method: string }[]
      const [connect, send] = ['eth_requestAccounts', 'eth_sendTransaction']
      assert.equal(
        asked.map(({ method }) => method),
        [connect, send, send],
      )
      await page.goto(`http://${foreignName}:${port}`)
      const stolen = await page.evaluate(
        ([url, body]) =>
          fetch(url ?? '', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: body ?? '',
          }).then(
            (answer) => answer.text(),
            (error: Error) => error.name,
          ),
        [
          `${services.ops}/lab/wallet`,
          JSON.stringify({ session: 'a foreign page of 16', request: { method: connect } }),
        ],
      )
      assert.is(stolen, 'TypeError')
    } finally {
      await page.close()
      server.close()
    }
  })
}

/** The example as it stands, in a process of its own. */
function runVitest(): Promise<{ readonly code: number; readonly output: string }> {
  const args = ['fixtures/browser/runVitest.ts', 'examples/wallet/vitest.config.ts']
  const program = { CHROMIUM: findDebianProgram('chromium'), LAB_URL: services.ops }
  const env = { ...process.env, ...program, NO_COLOR: '1' }
  return new Promise((resolve) => {
    const paths = args.map((path) => join(root, path))
    execFile(process.execPath, paths, { env }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    )
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
      alias: ownEntries,
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
