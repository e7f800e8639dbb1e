import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startChromium } from '../../fixtures/browser/chromium.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startTestLab } from './testing/testLab.ts'

/** What a real browser lets pages read and do in a lab. */
const s = suite('pages of a browser in a lab')
const foreignName = 'foreign.test'
const reboundName = 'rebound.test'
const browser = await startChromium({ names: [foreignName, reboundName] })
if (browser) await addTests(browser)
else s('needs Chromium, which is not installed', () => undefined)

/** A page that asks by itself as soon as it is open, and shows what it was told. */
const readingPage = (
  manifestUrl: string,
) => `<!doctype html><title>reads</title><pre></pre><script type="module">
const show = (text) => { document.querySelector('pre').textContent = text }
try {
  const ask = async (url, body, headers) => {
    const method = body ? 'POST' : 'GET'
    return (await fetch(url, { method, headers, body: body && JSON.stringify(body) })).json()
  }
  const { chains, services, apiKey } = await ask('${manifestUrl}')
  const { rpcUrl, tokens, accounts } = chains['8453']
  const json = { 'content-type': 'application/json' }
  const call = (method, params) => ask(rpcUrl, { jsonrpc: '2.0', id: 1, method, params }, json)
  const block = await call('eth_getBlockByNumber', ['latest', false])
  const balance = await call('eth_getBalance', [accounts[0].address, 'latest'])
  const wanted = { chain_id: 8453, token_in: tokens.WETH.address, token_out: tokens.USDC.address, amount_in: '1000000000000000' }
  const quote = await ask(services.routing + '/quote', wanted, { ...json, 'x-api-key': apiKey })
  const mined = await call('evm_mine', [])
  show(JSON.stringify({ block: block.result.number, balance: balance.result, output: quote.output, mined: mined.error.code }))
} catch (error) {
  show(String(error))
}
</script>`

async function addTests(chromium: Browser) {
  const lab = await startTestLab()
  const { services, chains, apiKey } = lab.manifest()
  const manifestUrl = `${services.ops}/lab/manifest`
  const rpcUrl = chains['8453']?.rpcUrl ?? ''
  const rpc = createRpc(rpcUrl)
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(readingPage(manifestUrl))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  s.after(async () => {
    await chromium.close()
    server.close()
    await lab.down()
  })
  const open = async (url: string) => {
    const page = await chromium.newPage()
    await page.goto(url)
    return page
  }

  s(
    'a page from another port reads a block, a balance and a quote [lab/chromium-local]',
    async () => {
      const head = await rpc('eth_blockNumber')
      for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`]) {
        const page = await open(origin)
        const shown = page.locator('pre:not(:empty)')
        const read = JSON.parse((await shown.textContent()) ?? '') as Record<string, string>
        assert.is(read['block'], head)
        assert.ok(BigInt(read['balance'] ?? 0) > 10n ** 18n)
        assert.ok(BigInt(read['output'] ?? 0) > 0n)
        assert.is(read['mined'], -32601)
      }
      assert.is(await rpc('eth_blockNumber'), head)
    },
  )

  s(
    'a page of a foreign origin gets no manifest, no admin and no keys [lab/chromium-foreign]',
    async () => {
      const head = await rpc('eth_blockNumber')
      const page = await open(`http://${foreignName}:${port}`)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] })
      const json = { 'content-type': 'application/json' }
      const plain = { 'content-type': 'text/plain' }
      const asked = [
        { url: manifestUrl, init: {} },
        { url: rpcUrl, init: { method: 'POST', headers: json, body } },
        { url: rpcUrl, init: { method: 'POST', headers: plain, body } },
        { url: rpcUrl, init: { method: 'POST', headers: plain, body, mode: 'no-cors' } },
        { url: manifestUrl, init: { mode: 'no-cors' } },
      ] as const
      for (const one of asked) {
        const got = await page.evaluate(
          ({ url, init }) =>
            fetch(url, init).then(
              (answer) => answer.text(),
              (error: Error) => error.name,
            ),
          one,
        )
        // Without CORS an answer is empty to its page.
        assert.ok(['TypeError', ''].includes(got), `${JSON.stringify(one)}: ${got}`)
      }
      const opened = await page.evaluate(
        (url) =>
          new Promise((resolve) => {
            const socket = new WebSocket(url)
            socket.addEventListener('open', () => resolve('open'))
            socket.addEventListener('error', () => resolve('refused'))
          }),
        rpcUrl.replace('http', 'ws'),
      )
      assert.is(opened, 'refused')
      assert.is(await rpc('eth_blockNumber'), head)
    },
  )

  s('a foreign name that leads to this machine shows no manifest', async () => {
    const url = manifestUrl.replace('127.0.0.1', reboundName)
    const page = await chromium.newPage()
    const answer = await page.goto(url)
    assert.is(answer?.status(), 403)
    assert.not.match(await page.content(), apiKey)
  })
}
s.run()
