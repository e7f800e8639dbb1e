import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { startChromium } from '../../fixtures/browser/chromium.ts'
import {
  findBarriers,
  openConsole,
  overflowOf,
  takePicture,
} from '../../fixtures/browser/consolePages.ts'
import { hostileTexts } from '../../fixtures/browser/hostileTexts.ts'
import { buildConsole, mostAtStart } from '../../fixtures/package/buildConsole.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { findTestLab } from '../lab/testing/testLab.ts'
import { consoleDir } from './consoleFiles.ts'

/** The page in a real browser, on the offline lab. */
const s = suite('the console in Chromium')
const reboundName = 'rebound.test'
const chromium = await startChromium({ names: [reboundName] })
if (chromium) await addTests(chromium)
else s('needs Chromium, which is not installed', () => undefined)

async function addTests(browser: Browser) {
  const [lab, { files }] = await Promise.all([findTestLab(), buildConsole({ outDir: consoleDir })])
  const { services, chains } = lab.manifest()
  const url = `${services.ops}/`
  // A band that runs straight has no height of its own.
  const attached = { state: 'attached' } as const
  const order = 'chain=8453&in=WETH&out=USDC&amount=10'
  s.after(async () => {
    await browser.close()
    await lab.down()
  })

  s('shows the lab at a glance, in less than it may weigh [console/overview]', async () => {
    const { page, complaints, close } = await openConsole(browser, { url: 'about:blank' })
    const sizes: Promise<number>[] = []
    page.on('response', (answer) => {
      if (/\/$|\/assets\//.test(answer.url()))
        sizes.push(answer.body().then((body) => gzipSync(body).length))
    })
    await page.goto(url)
    const table = page.getByRole('region', { name: 'Chains', exact: true })
    for (const name of ['Base', 'Arbitrum One'])
      assert.match((await table.getByRole('row', { name }).textContent()) ?? '', /ok\d+/)
    await page.getByText('Everything works').waitFor()
    await page.getByText('Quotes per second').waitFor()
    const weights = await Promise.all(sizes)
    const weight = weights.reduce((sum, size) => sum + size, 0)
    assert.ok(weights.length >= 4 && weight < mostAtStart, `${weight} bytes`)
    await askQuote()
    const events = page.getByRole('region', { name: 'Events', exact: true })
    await events.getByText('routing /quote 200').waitFor()
    assert.equal(await findBarriers(page), [])
    await takePicture(page, 'overview')
    assert.equal(complaints, [])
    await close()
  })

  async function askQuote() {
    const { apiKey } = lab.manifest()
    const { WETH, USDC } = chains['8453']?.tokens ?? {}
    const answer = await fetch(`${services.routing}/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        chain_id: 8453,
        token_in: WETH?.address,
        token_out: USDC?.address,
        amount_in: '1000000000000000000',
      }),
    })
    assert.is(answer.status, 200)
  }

  s('quotes, draws, executes: by keyboard alone [console/quote]', async () => {
    const { page, complaints, close } = await openConsole(browser, { url })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('q')
    await page.getByRole('heading', { name: 'Quote' }).waitFor()
    await page.getByText('Name two tokens').waitFor()
    await page.keyboard.press('/')
    for (const text of ['WETH', '2.5', 'USDC']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    const flow = page.getByRole('region', { name: 'Flow of the route', exact: true })
    await flow.locator('path.band').first().waitFor(attached)
    assert.match(page.url(), 'in=WETH&out=USDC&amount=2.5')
    const steps = await page
      .getByRole('region', { name: 'Steps', exact: true })
      .getByRole('row')
      .count()
    assert.is(await flow.locator('path.band').count(), 2 * (steps - 1))
    const press = async (name: string | RegExp) => {
      await page.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
    }
    await press(/Draw the curve/)
    await page.locator('.curve canvas').waitFor()
    await press('Execute')
    const delivered = page.getByRole('region', { name: 'Execute', exact: true }).getByRole('status')
    await delivered.getByText('to the last digit').waitFor()
    // The lab mined it: what changed in the answer is told.
    await page.getByText('Since block').waitFor()
    await press('As calldata decoded')
    await page.locator('pre', { hasText: 'minAmountOut' }).waitFor()
    assert.equal(await findBarriers(page), [])
    await takePicture(page, 'quote')
    assert.equal(complaints, [])
    await close()
  })

  s('opens a link to a quote of the other chain, narrow and dark [console/narrow]', async () => {
    const other = order.replace('8453', '42161')
    const dark = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const }
    const { page, complaints, close } = await openConsole(browser, {
      url: `${url}#/quote?${other}`,
      ...dark,
      reducedMotion: 'reduce',
    })
    await page.locator('path.band').first().waitFor(attached)
    assert.is(await overflowOf(page), 0)
    assert.equal(await findBarriers(page), [])
    await takePicture(page, 'quote-narrow-dark')
    await page.goto(`${url}#/overview`)
    await page.getByText('Quotes per second').waitFor()
    assert.is(await overflowOf(page), 0)
    assert.equal(await findBarriers(page), [])
    assert.equal(complaints, [])
    await close()
  })

  s('says in words what is wrong', async () => {
    const { page, close } = await openConsole(browser, { url: `${url}#/nowhere` })
    await page.getByText('There is no page “nowhere”').waitFor()
    await page.goto(`${url}#/quote?${order.replace('USDC', 'NONE')}`)
    await page.getByText('One of the tokens is not known').waitFor()
    await page.goto(`${url}#/quote?${order.replace('USDC', 'WETH')}`)
    await page.getByText('There is no quote').waitFor()
    await close()
  })

  s('makes markup of no symbol and no service’s text [console/hostile]', async () => {
    const { page, close } = await openConsole(browser, { url: 'about:blank' })
    assert.is(hostileTexts.length, 50)
    await page.route('**/api/tokens', async (route) => {
      const registry = hostileTexts.map((symbol, index) => {
        const address = `0x${String(index + 1).padStart(40, '0')}`
        return [address, { chain_id: 8453, symbol, decimals: 18 }]
      })
      await route.fulfill({ json: Object.fromEntries(registry) })
    })
    const said = hostileTexts.join(' ')
    await page.route(`${services.routing}/quote`, (route) =>
      route.fulfill({ status: 404, json: { error: said, code: 'no_route', request_id: '1' } }),
    )
    await page.route('**/health', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...(await answer.json()), warnings: hostileTexts } })
    })
    const link = (first: number) => `0x${String(first).padStart(40, '0')}`
    await page.goto(`${url}#/quote?chain=8453&in=${link(1)}&out=${link(5)}&amount=1`)
    await page.getByText('There is no quote').waitFor()
    assert.is(await page.locator('datalist option').count(), 50)
    const elements = 'main :is(script, img, iframe, object, embed, video, audio, style, base, b)'
    assert.is(await page.locator(elements).count(), 0)
    await page.goto(`${url}#/overview`)
    await page.locator('.warnings li').nth(49).waitFor()
    assert.is(await page.locator(elements).count(), 0)
    assert.is(await page.evaluate('globalThis.hacked'), undefined)
    assert.is(new URL(page.url()).host, new URL(url).host)
    await close()
  })

  s('is framed by no page, and read by no foreign name [console/framed]', async () => {
    const page = await browser.newPage()
    // Of another origin on this machine: what is served beside it.
    await page.goto(`${services.routing}/health`)
    const framed = await page.evaluate(
      (src) =>
        new Promise((resolve) => {
          const { document } = globalThis as unknown as { document: PageDocument }
          const frame = document.createElement('iframe')
          frame.onload = () => resolve(frame.contentDocument === null ? 'refused' : 'blank')
          frame.src = src
          document.body.append(frame)
        }),
      url,
    )
    assert.is(framed, 'refused')
    const inside = page.frames().find((frame) => frame.url().startsWith('chrome-error'))
    assert.ok(
      inside,
      page
        .frames()
        .map((frame) => frame.url())
        .join(' '),
    )
    const rebound = await page.goto(url.replace('127.0.0.1', reboundName))
    assert.is(rebound?.status(), 403)
    await page.close()
  })

  s('is built of files that name nothing of the machine that built them', () => {
    assert.ok(files.includes('index.html'))
    const root = join(import.meta.dirname, '../..')
    const naming = files.filter((file) =>
      readFileSync(join(consoleDir, file), 'utf8').includes(root),
    )
    assert.equal(naming, [])
  })
}

type PageDocument = {
  createElement(name: 'iframe'): { onload: () => void; contentDocument: unknown; src: string }
  readonly body: { append(child: unknown): void }
}
s.run()
