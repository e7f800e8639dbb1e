import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { startChromium } from '../../fixtures/browser/chromium.ts'
import { hurry, openConsole } from '../../fixtures/browser/consolePages.ts'
import { buildConsole } from '../../fixtures/package/buildConsole.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startTestLab } from '../lab/testing/testLab.ts'
import { consoleDir } from './consoleFiles.ts'

/**
 * `npm run -s proof:console`: how soon the page is there, whether it keeps up with a stream of
 * events, and what is left in its memory after a day, in a real Chromium on a lab. Wall-clock figures are told
 * beside those of an empty page of the same listener in the same run; what must hold is counted in the
 * main thread's own processor time and in objects, which no other load of the machine moves.
 */
const starts = byLength({ short: 3, long: 20 })
const streamMs = byLength({ short: 4_000, long: 20_000 })
const eventsPerSecond = 50
/** A day of Overview, which looks every 2 s; less of the others. */
const requestsOf: Readonly<Record<string, number>> = {
  overview: byLength({ short: 150, long: 138_000 }),
  'quote?chain=8453&in=WETH&out=USDC&amount=1': byLength({ short: 40, long: 10_000 }),
  'pools?chain=8453&search=weth': byLength({ short: 40, long: 10_000 }),
  relay: byLength({ short: 40, long: 10_000 }),
  money: byLength({ short: 40, long: 10_000 }),
  lab: byLength({ short: 40, long: 10_000 }),
}

/** Of warming up. */
const fewest = 60
/** What is left of one collection to the next differs by a megabyte. */
const mostGrownBytes = 2_000_000

const s = suite('the console at work')
const chromium = await startChromium({ names: [] })
if (chromium) await addTests(chromium)
else s('needs Chromium, which is not installed', () => undefined)

/** Notes when the shell, and the first table of what was read, stand; and what held up the main thread. */
const watchStart = `
globalThis.noted = { longTasksMs: 0 };
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) noted.longTasksMs = Math.max(noted.longTasksMs, duration);
}).observe({ type: 'longtask', buffered: true });
new MutationObserver(() => {
  if (document.querySelector('nav a')) noted.shellMs ??= performance.now();
  if (document.querySelector('main td')) noted.toldMs ??= performance.now();
}).observe(document, { childList: true, subtree: true });`

/** May be told a moment after the page is loaded. */
const firstPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === 'first-contentful-paint') resolve(startTime);
  }).observe({ type: 'paint', buffered: true });
})`

const countFrames = (forMs: number) => `new Promise((resolve) => {
  const begin = performance.now();
  let [frames, longestMs, last] = [0, 0, begin];
  const next = (now) => {
    frames += 1;
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (now - begin < ${forMs}) requestAnimationFrame(next);
    else resolve({ perSecond: (frames * 1000) / (now - begin), longestMs });
  };
  requestAnimationFrame(next);
})`
type Frames = { readonly perSecond: number; readonly longestMs: number }

const middleOf = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
const round = (value: number) => Math.round(value * 10) / 10

/** Main thread, in its own processor time. */
async function openMeter(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
}

async function addTests(browser: Browser) {
  const [lab] = await Promise.all([
    startTestLab({ RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '1000000' }),
    buildConsole({ outDir: consoleDir }),
  ])
  const { services } = lab.manifest()
  const url = `${services.ops}/`
  /** Of the same listener, with nothing on it. */
  const emptyUrl = `${services.ops}/livez`
  s.after(async () => {
    await browser.close()
    await lab.down()
  })

  async function startOnce() {
    const { page, close } = await openConsole(browser, { url: 'about:blank' })
    await page.goto(emptyUrl)
    const emptyMs = await page.evaluate<number>(firstPaint)
    await page.addInitScript(watchStart)
    const meter = await openMeter(page)
    const before = await meter()
    await page.goto(url)
    await page.locator('main td').first().waitFor()
    const spentMs = (await meter()) - before
    const noted =
      await page.evaluate<Readonly<Record<'shellMs' | 'toldMs' | 'longTasksMs', number>>>('noted')
    const paintMs = await page.evaluate<number>(firstPaint)
    await close()
    return { ...noted, emptyMs, paintMs, spentMs }
  }

  s('is there soon [console/soon]', async () => {
    const all = [] as Awaited<ReturnType<typeof startOnce>>[]
    for (let count = 0; count < starts; count += 1) all.push(await startOnce())
    const middle = (name: keyof (typeof all)[number]) =>
      round(middleOf(all.map((one) => one[name])))
    reportFigures('start of the console, ms in the middle', {
      starts,
      'first paint of an empty page': middle('emptyMs'),
      'first paint': middle('paintMs'),
      'shell takes keys': middle('shellMs'),
      'what was read stands': middle('toldMs'),
      'longest task': middle('longTasksMs'),
      'main thread, of its own time': middle('spentMs'),
    })
    // Whatever the machine does besides: so much work fits before either is due.
    assert.ok(middle('spentMs') < 300, `${middle('spentMs')} ms of work until it stands`)
    assert.ok(middle('shellMs') <= middle('toldMs'))
  })

  s('keeps up with a stream of events [console/frames]', async () => {
    const empty = await openConsole(browser, { url: emptyUrl })
    const { page, complaints, close } = await openConsole(browser, { url })
    await page.locator('main td').first().waitFor()
    const meter = await openMeter(page)
    const begun = performance.now()
    let sent = 0
    const stop = new AbortController()
    async function send() {
      while (!stop.signal.aborted) {
        const due = ((performance.now() - begun) / 1_000) * eventsPerSecond
        for (; sent < due; sent += 1) await (await fetch(`${services.routing}/openapi.json`)).text()
        await wait(5)
      }
    }
    const sending = send()
    const line = page.getByRole('region', { name: 'What happened, newest first' })
    await line.getByText('/openapi.json').nth(99).waitFor()
    const before = await meter()
    const [frames, floor] = await Promise.all([
      page.evaluate<Frames>(countFrames(streamMs)),
      empty.page.evaluate<Frames>(countFrames(streamMs)),
    ])
    const spentMs = (await meter()) - before
    stop.abort()
    await sending
    const perFrame = spentMs / ((streamMs / 1_000) * 60)
    reportFigures(`${eventsPerSecond} events a second on Overview`, {
      'events sent': sent,
      'frames a second': round(frames.perSecond),
      'of an empty page beside it': round(floor.perSecond),
      'longest frame, ms': round(frames.longestMs),
      'of the empty page, ms': round(floor.longestMs),
      'main thread a frame, ms of its own time': round(perFrame),
    })
    // A sixtieth of a second has 16.7 ms.
    assert.ok(perFrame < 8, `${perFrame} ms of work for each frame`)
    assert.ok(frames.perSecond > floor.perSecond * 0.8, `${frames.perSecond}, ${floor.perSecond}`)
    assert.equal(complaints, [])
    await close()
    await empty.close()
  })

  async function readMemory(session: CDPSession) {
    for (let pass = 0; pass < 2; pass += 1) await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
    return { usedSize, nodes, jsEventListeners }
  }

  for (const [link, requests] of Object.entries(requestsOf)) {
    const [name = link] = link.split('?')
    s(`holds no more after a day on ${name} [console/day]`, async () => {
      const { page, complaints, close } = await openConsole(browser, { url: 'about:blank' })
      await page.addInitScript(hurry(1_000))
      let asked = 0
      page.on('requestfinished', () => {
        asked += 1
      })
      const session = await page.context().newCDPSession(page)
      const lookFor = async (count: number) => {
        const until = asked + count
        while (asked < until) await page.waitForEvent('requestfinished')
      }
      await page.goto(`${url}#/${link}`)
      // Whatever is loaded, drawn and compiled once.
      await lookFor(Math.max(fewest, Math.ceil(requests / 4)))
      const first = await readMemory(session)
      await lookFor(requests)
      const last = await readMemory(session)
      const grownBytes = last.usedSize - first.usedSize
      reportFigures(`memory of the page ${name}`, {
        requests,
        'bytes at first': first.usedSize,
        'bytes then': last.usedSize,
        'nodes at first': first.nodes,
        'nodes then': last.nodes,
        'listeners at first': first.jsEventListeners,
        'listeners then': last.jsEventListeners,
      })
      assert.ok(grownBytes < mostGrownBytes, `${grownBytes} bytes more`)
      assert.ok(last.nodes < first.nodes * 1.2 + 200, `${first.nodes} nodes, then ${last.nodes}`)
      assert.ok(last.jsEventListeners < first.jsEventListeners * 1.2 + 20)
      assert.equal(complaints, [])
      await close()
    })
  }
}
s.run()
