import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Locator } from 'playwright-core'
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  zeroAddress,
} from 'viem'
import { startChromium } from '../../fixtures/browser/chromium.ts'
import {
  findBarriers,
  hurry,
  leaveConsole,
  nothingAmiss,
  openByKeys,
  openConsole,
  overflowOf,
  takePicture,
} from '../../fixtures/browser/consolePages.ts'
import { hostileAnswers } from '../../fixtures/browser/hostileAnswers.ts'
import { hostileTexts } from '../../fixtures/browser/hostileTexts.ts'
import { buildConsole, mostAtStart } from '../../fixtures/package/buildConsole.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { executorAbi } from '../client/checkAnswers.ts'
import { createClient } from '../client/client.ts'
import { createLab } from '../client/lab.ts'
import { findTestLab } from '../lab/testing/testLab.ts'
import { createPerson } from '../lab/testing/testPerson.ts'
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
    await page.getByText('99 of 100 quotes took at most').waitFor()
    const calls = page.getByRole('region', { name: 'Calls of the chains’ nodes', exact: true })
    assert.match((await calls.getByRole('row', { name: 'warmUp' }).textContent()) ?? '', 'a chain')
    await page.getByText(/[\d ]+ quotes were sold or given, [\d ]+ of them used/).waitFor()
    const weights = await Promise.all(sizes)
    const weight = weights.reduce((sum, size) => sum + size, 0)
    assert.ok(weights.length >= 4 && weight < mostAtStart, `${weight} bytes`)
    await askQuote()
    const events = page.getByRole('region', { name: 'Events', exact: true })
    await events.getByText('routing /quote 200').waitFor()
    const forks = page.getByRole('region', { name: 'Simulation forks', exact: true })
    assert.match(
      (await forks.getByRole('row', { name: 'Base' }).textContent()) ?? '',
      /block \d+.*\d MB/,
    )
    await page.getByText(/^Base: \d+ pools of/).click()
    await page.getByRole('region', { name: 'Pools of Base' }).waitFor()
    const openAll = "for (const one of document.querySelectorAll('details')) one.open = true;"
    await page.keyboard.press('/')
    await page.keyboard.type('ROUT')
    // The address tells of parts that are opened; what is being typed stays.
    await page.evaluate(openAll)
    await page.waitForURL(/open=pools-8453\+pools-42161/)
    await page.keyboard.type('ING')
    await page.keyboard.press('Enter')
    await page.waitForURL(/open=pools-8453\+pools-42161.*&events=ROUTING$/)
    // A form that is sent before the browser has told which parts were opened.
    await page.goto(`${url}#/overview`)
    const search = "document.querySelector('[data-search]')"
    await page.evaluate(`${openAll} ${search}.value = 'quote'; ${search}.form.requestSubmit()`)
    await page.waitForURL(/events=quote&open=pools-8453\+pools-42161/)
    await page.goto(`${url}#/overview?open=pools-8453&events=no+such+thing`)
    await page.getByText(/^None of the last \d+ has these words/).waitFor()
    await page.goBack()
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

  s(
    'holds the last hundred events, and no more memory after thousands [console/bounded]',
    async () => {
      const { page, complaints, close } = await openConsole(browser, { url: 'about:blank' })
      await page.addInitScript(hurry(100))
      let rounds = 0
      // What is under way counts as memory, too: the line stands still while the heap is read.
      const stops = new Map([3, 12].map((round) => [round, Promise.withResolvers<void>()]))
      await page.route('**/ops/events', async (route) => {
        await stops.get(rounds)?.promise
        rounds += 1
        const frames = Array.from({ length: 100 }, (_, frame) => {
          const what = `round ${rounds} frame ${frame}`
          const events = Array.from({ length: 50 }, () => ({ atMs: 1, kind: 'sync', what }))
          return `event: events\nid: ${frame}\ndata: ${JSON.stringify({ events, more: 0 })}\n\n`
        })
        await route.fulfill({ body: frames.join(''), contentType: 'text/event-stream' })
      })
      const session = await page.context().newCDPSession(page)
      const heapAfter = async (told: RegExp) => {
        const line = page.getByRole('region', { name: 'Events', exact: true })
        await line.getByText(told).first().waitFor()
        assert.is(await line.getByRole('listitem').count(), 100)
        await session.send('HeapProfiler.collectGarbage')
        return (await session.send('Runtime.getHeapUsage')).usedSize
      }
      await page.goto(url)
      const first = await heapAfter(/round 3 frame 99/)
      stops.get(3)?.resolve()
      const last = await heapAfter(/round 12 frame 99/)
      assert.ok(last - first < 2_000_000, `${first} bytes, then ${last}`)
      assert.equal(complaints, [])
      await close()
      stops.get(12)?.resolve()
    },
  )

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
    await page.waitForURL(/in=WETH&amount=2\.5&out=USDC/)
    const steps = await page
      .getByRole('region', { name: 'Steps', exact: true })
      .getByRole('row')
      .count()
    assert.is(await flow.locator('path.band').count(), 2 * (steps - 1))
    assert.ok((await page.getByRole('cell', { name: 'local', exact: true }).count()) > 0)
    // What is seen where the pointer rests.
    assert.match(
      (await flow.locator('path.band title').first().textContent()) ?? '',
      /, fee [\d.]+ bps, grade [A-F], price impact [\d.]+ bps, .*: [\d.]+ WETH gives [\d .]+ \w+$/,
    )
    const output = page.locator('.output .figure')
    assert.match((await output.getAttribute('title')) ?? '', /^[\d.]+ USDC, raw \d+$/)
    const digits = "getComputedStyle(document.querySelector('.output .figure')).fontVariantNumeric"
    assert.is(await page.evaluate(digits), 'tabular-nums')
    const others = page.getByRole('region', { name: 'Alternatives', exact: true })
    assert.match(
      (await others.getByRole('listitem').first().textContent()) ?? '',
      / USDC \(-[\d.]+ bps\): /,
    )
    const press = async (name: string | RegExp) => {
      await page.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
    }
    await press(/Draw the curve/)
    await page.locator('.curve canvas').waitFor()
    await page.getByText('The same as a table').click()
    const sizes = page.getByRole('region', { name: 'Table of sizes', exact: true })
    const rawOf = async (cell: Locator) => {
      const title = await cell.locator('[title]').getAttribute('title')
      return BigInt(/raw (\d+)$/.exec(title ?? '')?.[1] ?? 0)
    }
    for (const row of (await sizes.getByRole('row').all()).slice(1)) {
      const [best, single, bound] = await row.getByRole('cell').all()
      if (!best || !single || !bound) throw new Error('the table has lost a column')
      const [most, alone] = [await rawOf(best), await rawOf(single)]
      // A route that stands may give a hundredth of a basis point less than a search anew.
      assert.ok(alone > 0n && alone <= (most * 1_001n) / 1_000n, `${alone} of ${most}`)
      if ((await bound.textContent()) !== 'unknown') assert.ok(most <= (await rawOf(bound)))
    }
    // A block later the same pools have the same bands, which move.
    await page.evaluate(
      "for (const one of document.querySelectorAll('.band')) one.dataset.kept = 'yes'",
    )
    await createLab(lab.manifest()).mine({ chainId: 8453 })
    await page.getByText('Since block').waitFor()
    assert.ok((await flow.locator('path.band[data-kept]').count()) > 0)
    await press('Execute')
    const delivered = page.getByRole('region', { name: 'Execute', exact: true }).getByRole('status')
    await delivered.getByText('to the last digit').waitFor()
    for (const [form, words] of [
      ['curl', /^curl -s http.*\/quote /],
      ['client code', /client\.routing\.quote\(/],
    ] as const) {
      await press(`As ${form}`)
      await page.getByText(`Copied as ${form}.`).waitFor()
      assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), words)
    }
    await press('As calldata decoded')
    await page.getByText('Copied as calldata decoded.').waitFor()
    const decoded = page.locator('pre', { hasText: 'minAmountOut' })
    await decoded.waitFor()
    await page.waitForURL(/curve=on.*copy=calldata\+decoded/)
    await page.reload()
    await decoded.waitFor()
    await page.locator('.curve canvas').waitFor()
    await page.getByRole('navigation', { name: 'Recent orders' }).getByText('2.5 WETH').waitFor()
    assert.equal(await findBarriers(page), [])
    await takePicture(page, 'quote')
    const asked = page.waitForRequest((request) =>
      /"gas_price_wei":"0"/.test(request.postData() ?? ''),
    )
    await page.getByLabel('Leave gas out of account').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await asked
    await page.waitForURL(/gas=off/)
    await flow.locator('path.band').first().waitFor(attached)
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
    const band = page.locator('path.band').first()
    await band.waitFor(attached)
    const lasts = "getComputedStyle(document.querySelector('path.band')).transitionDuration"
    assert.is(await page.evaluate(lasts), '0s')
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

  s('races all sources, and says who leads and who fails why [console/race]', async () => {
    const link = `race?${order}&dry=on&first=2`
    const opened = await openByKeys(browser, { url, key: 'r', title: 'Race', link })
    const race = opened.page.getByRole('region', { name: 'Race', exact: true })
    await race.getByText('Over after').waitFor()
    const rows = race.getByRole('row')
    const { sources } = await createClient(lab.manifest()).meta.sources()
    const asked = sources.filter(({ chainIds }) => chainIds.includes(8453))
    assert.is(await rows.count(), asked.length + 1)
    assert.is(await rows.filter({ hasText: ' leads' }).filter({ hasText: 'success' }).count(), 1)
    await race.getByRole('heading', { name: 'Who led' }).waitFor()
    const { page } = opened
    const again = page.waitForRequest(/stream/)
    await page.getByRole('button', { name: 'Race again' }).click()
    await again
    await page.goto(`${url}#/${link}&every=1`)
    await race.getByText(/all were asked anew [1-9]\d* times/).waitFor()
    await page.goto(`${url}#/${link}`)
    await race.getByText('Over after').waitFor()
    assert.equal(await leaveConsole(opened, 'race'), nothingAmiss)
  })

  s('finds pools by words and draws what one holds [console/pools]', async () => {
    const link = 'pools?chain=8453&search=weth+usdc+uniswap_v3'
    const opened = await openByKeys(browser, { url, key: 'p', title: 'Pools', link })
    const { page } = opened
    const table = page.getByRole('region', { name: 'Followed pools', exact: true })
    await page.getByRole('heading', { name: 'Left out' }).waitFor()
    // Its head is one such row; others are of the list before the search.
    const others = table.getByRole('row').filter({ hasNotText: 'USDC' })
    await others.nth(1).waitFor({ state: 'detached' })
    const found = await table.getByRole('row').filter({ hasText: 'local' }).count()
    assert.ok(found > 0 && found < 30, `${found} pools`)
    await table.getByRole('link').first().click()
    const pool = page.getByRole('region', { name: 'Pool', exact: true })
    await pool.locator('rect.token').waitFor(attached)
    await pool.getByText('Swaps seen').waitFor()
    await page.waitForURL(/&pool=0x/)
    await page.goto(`${url}#/pools?search=nothing+has+this`)
    await page.getByText('followed pools has all of these words').waitFor()
    await page.goBack()
    await pool.locator('rect.token').waitFor(attached)
    await page.goto(`${url}#/pools?chain=42161&search=weth+usdc+liquidity_book`)
    await table.getByRole('row', { name: 'lb-v2.1' }).getByRole('link').first().click()
    await pool.getByText(/^Liquidity of \d+ bins/).waitFor()
    assert.ok((await pool.locator('rect').count()) > 20)
    assert.equal(await leaveConsole(opened, 'pools'), nothingAmiss)
  })

  s('compares what the sources, or pasted payloads, deliver [console/compare]', async () => {
    const link = `compare?${order}`
    const opened = await openByKeys(browser, { url, key: 'c', title: 'Compare', link })
    const { page } = opened
    const table = page.getByRole('region', { name: 'Candidates', exact: true })
    await page.getByText(/delivers the most/).waitFor()
    assert.ok((await table.getByRole('row').count()) > 2)
    assert.ok((await table.getByRole('cell', { name: /^\d+(\.\d+)? %$/ }).count()) > 1)
    const { WETH, USDC } = chains['8453']?.tokens ?? {}
    const nothing = { providerId: 'reverts', data: '0x', value: '0', inputAmount: '1000' }
    const tokens = { inputToken: WETH?.address, outputToken: USDC?.address, target: WETH?.address }
    const candidate = { ...nothing, ...tokens, quotedOutput: '1999999' }
    const body = JSON.stringify({ chainId: 8453, candidates: [candidate] })
    await page.getByLabel('The body of POST').fill(body)
    await page.getByRole('button', { name: 'Compare these' }).click()
    const row = table.getByRole('row', { name: 'reverts' })
    await row.getByText('1.99999 USDC', { exact: true }).waitFor()
    await page.waitForURL(/body=/)
    assert.equal(await leaveConsole(opened, 'compare'), nothingAmiss)
  })

  s('shows which call of a failing swap failed, with what had moved [console/trace]', async () => {
    const { USDC, WETH } = chains['8453']?.tokens ?? {}
    if (!USDC || !WETH) throw new Error('the lab has neither token')
    const [inputAmount, inputToken, outputToken] = ['1000000', USDC.address, WETH.address]
    const { execution, output } = await createClient(lab.manifest()).routing.quote({
      chain_id: 8453,
      token_in: inputToken,
      token_out: outputToken,
      amount_in: inputAmount,
      taker: `0x${'cd'.repeat(20)}`,
    })
    // The document says that they are hex.
    const { calldata, target } = execution as { calldata: Hex; target: Hex }
    const { functionName, args } = decodeFunctionData({ abi: executorAbi, data: calldata })
    const greedy = { ...args[0], minAmountOut: 2n * BigInt(output) }
    const data = encodeFunctionData({ abi: executorAbi, functionName, args: [greedy, args[1]] })
    const tokens = { inputToken, outputToken, inputAmount, quotedOutput: output }
    const candidate = { ...tokens, target, data, value: '0', approveTarget: target }
    const labelled = [candidate, candidate].map((one) => ({ ...one, providerId: 'greedy' }))
    const body = JSON.stringify({ chainId: 8453, candidates: labelled })
    const link = `compare?body=${encodeURIComponent(body)}`
    const opened = await openByKeys(browser, { url, key: 'c', title: 'Compare', link })
    const { page } = opened
    await page.getByRole('link', { name: 'calls of greedy' }).nth(1).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/&trace=1$/)
    const calls = page.getByRole('region', { name: 'Calls', exact: true })
    await calls
      .getByRole('status')
      .getByText(/it failed in .*\.swap: /)
      .waitFor()
    assert.is(await calls.getByText('failed here').count(), 1)
    // What was undone by it: sold, and bought.
    for (const moved of [/^1 USDC from .*, undone$/, /^0\.\d+ WETH from .*, undone$/])
      assert.ok((await calls.getByText(moved).count()) > 0, String(moved))
    const branch = calls.locator('summary').first()
    await branch.focus()
    await page.keyboard.press('Enter')
    await calls
      .getByText(/USDC from/)
      .first()
      .waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.reload()
    await calls.getByText('failed here').waitFor()
    await page.goto(`${url}#/${link}&trace=nobody`)
    await page.getByText('No candidate is called “nobody”').waitFor()
    await page.goBack()
    await calls.getByText('failed here').waitFor()
    assert.equal(await leaveConsole(opened, 'compare-trace'), nothingAmiss)
  })

  s('lights the gates of an owner, and lists what was sponsored [console/relay]', async () => {
    const owner = `0x${'ab'.repeat(20)}` as const
    const control = createLab(lab.manifest())
    const tokenIn = chains['8453']?.tokens['WETH']?.address ?? zeroAddress
    for (const token of [zeroAddress, tokenIn])
      await control.deal({ chainId: 8453, token, to: owner, amount: '1000000000000000000' })
    const link = `relay?chain=8453&owner=${owner}&token=WETH&amount=1`
    const opened = await openByKeys(browser, { url, key: 'y', title: 'Relay', link })
    const { page } = opened
    await page.getByText('All ten are open').waitFor()
    const asked = { chainId: 8453, owner, tokenIn, amountIn: '1' }
    const body = JSON.stringify(asked)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${services.relay}/api/proxy`, { method: 'POST', headers, body })
    assert.is(answer.status, 200)
    await page.getByText(/^Gate [18] answers/).waitFor()
    const sent = page.getByRole('region', { name: 'Newest deployments', exact: true })
    await sent
      .getByRole('row')
      .filter({ hasText: getAddress(owner).slice(0, 10) })
      .waitFor()
    await page.getByRole('meter', { name: 'Spent on Base' }).waitFor()
    assert.equal(await leaveConsole(opened, 'relay'), nothingAmiss)
  })

  s('finds keys, their ledger and what was paid [console/money]', async () => {
    const link = 'money?search=lab'
    const opened = await openByKeys(browser, { url, key: 'm', title: 'Money', link })
    const { page } = opened
    const keys = page.getByRole('region', { name: 'Keys and their quota', exact: true })
    const own = keys.getByRole('row').filter({ has: page.getByText('lab', { exact: true }) })
    await own.getByRole('link').click()
    const ledger = page.getByRole('region', { name: 'Newest entries', exact: true })
    await ledger.getByRole('cell', { name: 'charge' }).first().waitFor()
    await page.getByText('No payment was claimed').waitFor()
    await page.getByText('No signed payment was settled').waitFor()
    await page.getByRole('button', { name: 'Audit the books' }).click()
    await page.getByText('The books balance, as of').waitFor()
    await page.goto(`${url}#/money?search=nothing+has+this`)
    await page.getByText('No key has this').waitFor()
    await page.goBack()
    await ledger.getByRole('cell', { name: 'charge' }).first().waitFor()
    await payForQuota()
    await page.goto(`${url}#/money`)
    const payments = page.getByRole('region', { name: 'Newest payments', exact: true })
    const paid = payments.getByRole('row').filter({ hasText: 'Base' })
    const amount = paid.getByText('1 USDC', { exact: true })
    assert.match((await amount.getAttribute('title')) ?? '', 'raw 1000000')
    assert.equal(await leaveConsole(opened, 'money'), nothingAmiss)
  })

  /** A dollar's quota for the lab's key, by a transfer that is claimed. */
  async function payForQuota() {
    const { accounts, tokens, quotaManager, rpcUrl } = chains['8453'] ?? {}
    const [account] = accounts ?? []
    if (!account || !tokens?.['USDC'] || !quotaManager || !rpcUrl) throw new Error('no lab of Base')
    const args = [quotaManager, 1_000_000n] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    const person = createPerson({ rpcUrl, ...account })
    const tx_hash = await person.send({ to: tokens['USDC'].address, data })
    await createClient(lab.manifest()).access.claim({ chain_id: 8453, tx_hash })
  }

  s('gives, mines, keeps and goes back, and switches faults [console/lab]', async () => {
    const link = 'lab?chain=8453&fault=relay_late'
    const opened = await openByKeys(browser, { url, key: 'l', title: 'Lab', link })
    const { page } = opened
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await press('Keep the state of now')
    await page.getByText('the chain goes on from here').waitFor()
    await page.getByLabel('Account', { exact: true }).fill(`0x${'12'.repeat(20)}`)
    await page.getByLabel('has', { exact: true }).fill('1.5')
    await press('Make it so')
    await page.getByText('has 1.5 ETH.').waitFor()
    await press('Mine')
    await page.getByText('Mined 1 blocks.').waitFor()
    await page.getByLabel('Seconds', { exact: true }).fill('2')
    await press('Let them pass')
    await page.getByText('2 s have passed.').waitFor()
    const accounts = page.getByRole('region', { name: 'Accounts of this chain', exact: true })
    assert.is(await accounts.getByRole('row').count(), 11)
    await page.getByText(/^Mode offline, version .*, process \d+/).waitFor()
    await press('Go back to state 1')
    await page.getByText('Base is as it was in state 1').waitFor()
    const fault = page.getByRole('switch').first()
    await fault.click()
    await page.getByRole('switch', { checked: true }).first().waitFor()
    await page.getByText(/^\d+ requests$/).waitFor()
    await fault.click()
    await page.getByText(/^\d+ requests$/).waitFor({ state: 'detached' })
    await page.getByText('This lab runs on none').waitFor()
    await page.getByText(/^gateway\.log, its last/).click()
    await page.getByRole('region', { name: 'gateway.log' }).getByText('"level"').waitFor()
    assert.equal(await leaveConsole(opened, 'lab'), nothingAmiss)
  })

  s('changes nothing where an operator has it: no lab, read-only [console/read-only]', async () => {
    const { page, complaints, close } = await openConsole(browser, { url: 'about:blank' })
    // As a gateway in production tells of itself.
    await page.route('**/ops/gateway', async (route) => {
      const facts = await (await route.fetch()).json()
      await route.fulfill({ json: { ...facts, mode: 'live' } })
    })
    const changing: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/lab/')) changing.push(pathname)
    })
    await page.goto(`${url}#/lab?chain=8453`)
    await page.getByText('This gateway is no lab: nothing of it can be changed').waitFor()
    await page.getByText(/^live, read-only · /).waitFor()
    assert.is(await page.locator('main :is(button, input, select)').count(), 0)
    await page.goto(`${url}#/quote`)
    await page.getByLabel(/^API key/).fill(lab.manifest().apiKey)
    await page.getByLabel(/^API key/).press('Tab')
    await page.goto(`${url}#/quote?${order}`)
    await page.locator('path.band').first().waitFor(attached)
    assert.is(await page.getByRole('region', { name: 'Execute', exact: true }).count(), 0)
    assert.equal(changing, [])
    assert.equal(complaints, [])
    await close()
  })

  s('says in words what it waits for and what is wrong [console/words]', async () => {
    const { page, close } = await openConsole(browser, { url: `${url}#/nowhere` })
    await page.getByText('There is no page “nowhere”').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route('**/quote', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${url}#/quote?${order}`)
    await page.getByText('Asking for the best route …').waitFor()
    held.resolve()
    await page.locator('path.band').first().waitFor(attached)
    await page.goto(`${url}#/quote?${order.replace('USDC', 'NONE')}`)
    await page.getByText('One of the tokens is not known').waitFor()
    await page.goto(`${url}#/quote?${order.replace('USDC', 'WETH')}`)
    await page.getByText('There is no quote').waitFor()
    await close()
  })

  s('takes no stranger’s token for one that it is named after [console/named]', async () => {
    const { page, close } = await openConsole(browser, { url: 'about:blank' })
    const strange = { chain_id: 8453, symbol: 'USDC', decimals: 6 }
    await page.route('**/api/tokens', async (route) => {
      const answer = await route.fetch()
      const unlisted = {
        [`0x${'1'.repeat(40)}`]: strange,
        [`0x${'2'.repeat(40)}`]: { ...strange, symbol: 'PEPE' },
      }
      await route.fulfill({ json: { ...unlisted, ...(await answer.json()) } })
    })
    await page.goto(`${url}#/quote?${order}`)
    await page.locator('path.band').first().waitFor(attached)
    await page.goto(`${url}#/quote?${order.replace('USDC', 'PEPE')}`)
    await page.getByText('One of the tokens is not known').waitFor()
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
    const tokenAt = (first: number) => `0x${String(first).padStart(40, '0')}`
    await page.goto(`${url}#/quote?chain=8453&in=${tokenAt(1)}&out=${tokenAt(5)}&amount=1`)
    await page.getByText('There is no quote').waitFor()
    assert.is(await page.locator('datalist option').count(), 50)
    const elements = 'main :is(script, img, iframe, object, embed, video, audio, style, base, b)'
    assert.is(await page.locator(elements).count(), 0)
    await page.goto(`${url}#/overview`)
    await page.locator('.warnings li').nth(49).waitFor()
    assert.is(await page.locator(elements).count(), 0)
    for (const { link, answers, shown = 1 } of hostileAnswers) {
      for (const [pattern, answer] of Object.entries(answers))
        await page.route(pattern, (route) =>
          typeof answer === 'string'
            ? route.fulfill({ body: answer, contentType: 'text/event-stream' })
            : route.fulfill({ json: answer }),
        )
      // Whatever the page before was told is gone.
      await page.goto('about:blank')
      await page.goto(`${url}#/${link}`)
      await page
        .getByText('{{constructor.constructor')
        .nth(shown - 1)
        .waitFor(attached)
      assert.is(await page.locator(elements).count(), 0, link)
    }
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
