import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { isShortProof } from '../fixtures/runner/isShortProof.ts'
import { holdStreams } from '../fixtures/soak/holdStreams.ts'
import { measurePace } from '../fixtures/soak/measurePace.ts'
import { openInspector } from '../fixtures/soak/openInspector.ts'
import { sendFurtherTraffic } from '../fixtures/soak/sendFurtherTraffic.ts'
import { type Customer, openQuotes, type Sent } from '../fixtures/soak/sendQuotes.ts'
import { sendHonestTraffic } from '../fixtures/strangers/honestTraffic.ts'
import { approveExecutor, prepareOwner } from '../fixtures/strangers/prepareAccounts.ts'
import { chainId, register } from '../fixtures/strangers/stage.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startTestLab } from './lab/testing/testLab.ts'

/**
 * `npm run -s proof:soak`: an hour of mixed traffic that has the gateway's event loop work 70 % of its time for
 * those who ask, with 1,000 streams open. What is alive in the gateway's memory after full collections may not
 * grow once its caches are full, and the last answers take no longer than the first. Code that V8 compiles is told
 * apart: there is more of it for as long as something runs that has not run often yet, and the sources bound it.
 * Machines are slower in some minutes than in others: quotes are as many as hold those 70 %, and times are told by a
 * fixed piece of work of the same minutes. PROOF=short: under a minute, which caches take to fill, so that only what
 * grows without a bound shows.
 */
const windowMs = byLength({ short: 10_000, long: 600_000 })
const windows = byLength({ short: 3, long: 6 })
const streams = byLength({ short: 50, long: 1_000 })
/** Streams come one after the other through the interval of their refreshes. */
const comeMs = byLength({ short: 5_000, long: 60_000 })
/** How long a gateway without quotes is looked at. */
const probeMs = byLength({ short: 3_000, long: 20_000 })
/** The rate is found by then, and those who asked of late are searched ahead for. */
const settleMs = byLength({ short: 3_000, long: 240_000 })
/** How often the rate is held against the loop's work. */
const steerMs = byLength({ short: 1_000, long: 10_000 })
/** How much of its time the gateway's loop works for those who ask. */
const share = 0.7
/** What was asked has been answered and forgotten by then. */
const restMs = byLength({ short: 3_000, long: 15_000 })
/** Streams come again by then, some of whom are being answered at any moment. */
const collections = byLength({ short: 2, long: 6 })
const collectEveryMs = byLength({ short: 500, long: 5_000 })
const mostPerHour = 1_000_000
/** Of compiled code, through the hour. */
const mostOfCode = byLength({ short: Number.POSITIVE_INFINITY, long: 2_000_000 })
/** What caches may still take in of so short a time. */
const mostWhileFilling = 10_000_000
const slowdown = byLength({ short: Number.POSITIVE_INFINITY, long: 1.2 })

const s = suite('soak')
const lab = await startTestLab({
  TRUSTED_PROXIES: '127.0.0.1',
  FRESHNESS: 'interval',
  FREE_QUOTA: '100000000',
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '100000',
  // A proxy each quarter of a minute is more than gates 9 and 10 let through of an hour by default.
  BASE_MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR: '1000',
  BASE_MAX_CHAIN_SPEND_PER_HOUR_WEI: String(10n ** 19n),
  // Its inspector opens by a signal, at a free port.
  NODE_OPTIONS: '--inspect-port=0',
})
s.after(() => lab.down())
const manifest = lab.manifest()
const stage = { manifest }
const [, giver, , trader] = manifest.chains[chainId]?.accounts ?? []
if (!giver || !trader) throw new Error('the lab has no accounts')

await approveExecutor(stage, { ...trader, tokens: ['WETH', 'USDC'] })
/** Everything that traffic is sent for: the first probe is of a gateway that warms up. */
const timesMs = [probeMs, probeMs, settleMs, ...Array.from({ length: windows }, () => windowMs)]
const wantedOwners = timesMs.reduce((sum, ms) => sum + ms / 15_000 + 2, 0)
const owners: Address[] = []
while (owners.length < wantedOwners) owners.push(await prepareOwner(stage, giver.privateKey))
const apiKey = await register(manifest, generatePrivateKey(), '192.0.2.11')
/** More than one: who asks most comes last, and of one all quotes would wait behind all streams. */
const customers: Customer[] = []
for (let n = 0; n < byLength({ short: 5, long: 53 }); n += 1) {
  const ip = `198.18.0.${n}`
  customers.push({ ip, apiKey: await register(manifest, generatePrivateKey(), ip) })
}
const otherKey = await register(manifest, generatePrivateKey(), '192.0.2.10')
const honest = {
  manifest,
  trader: trader.address,
  apiKey,
  otherKeys: [otherKey],
  taker: giver.address,
  owners,
}
const inspector = await openInspector({
  pid: manifest.pid,
  logPath: join(lab.dir, 'gateway.log'),
})
s.after(() => inspector.close())

const quotes = openQuotes({ manifest }, customers)
const held = holdStreams({ manifest, taker: giver.address }, { count: streams, comeMs })
s.after(async () => {
  await held.stop()
  await quotes.close()
})

type Answer = { readonly kind: string; readonly status: number; readonly ms?: number }
type Traffic = { readonly sent: Sent; readonly answers: readonly Answer[] }
type Window = Traffic & {
  readonly p99Ms: number
  readonly perSecond: number
  /** Of a fixed piece of work, in ms. */
  readonly paceMs: number
}

/** Everybody at once, quotes as `send` has them. */
async function askFor(forMs: number, send: () => Promise<Sent>): Promise<Traffic> {
  const people = { manifest, apiKey, trader: trader as typeof giver & {} }
  const [sent, samples, further] = await Promise.all([
    send(),
    sendHonestTraffic(honest, forMs),
    sendFurtherTraffic(people, forMs),
  ])
  return { sent, answers: [...samples, ...further] }
}
const p99 = ({ sent, answers }: Traffic): number => {
  const all = createHistogram()
  all.add(sent.micros)
  for (const { ms } of answers) if (ms !== undefined) all.record(Math.ceil(ms * 1_000))
  return all.percentile(99) / 1_000
}
const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10

await wait(comeMs)
/** Lists by address are full from the beginning: of what grows later, nobody need ask whether it is theirs. */
const strangers = await quotes.sendForStrangers(byLength({ short: 100, long: 20_000 }))
assert.equal(strangers.refused, [])
/** The loop's time, in ms: for who asked, for nobody yet, and at rest. */
type Spent = { readonly asked: number; readonly ahead: number; readonly idle: number }

async function readSpent(): Promise<Spent> {
  const { active, idle } = await inspector.readLoop()
  const metrics = await (await fetch(`${manifest.services.ops}/metrics`)).text()
  const found = metrics.matchAll(/^forkyard_searched_ahead_seconds\{.*\} (.+)$/gm)
  const ahead = [...found].reduce((sum, [, secs]) => sum + Number(secs) * 1_000, 0)
  return { asked: active - ahead, ahead, idle }
}
/** What part of its time the loop works for those who ask, and ahead of them, which gives way to them. */
function shareOf(before: Spent, after: Spent) {
  const [asked, ahead] = [after.asked - before.asked, after.ahead - before.ahead]
  const all = asked + ahead + after.idle - before.idle
  return { asked: asked / all, ahead: ahead / all }
}
/** The part of its time that the loop works while so many quotes a second are asked beside the rest. */
async function probe(perSecond: number): Promise<number> {
  const before = await readSpent()
  await askFor(probeMs, () => quotes.sendSteadily(() => perSecond, probeMs))
  return shareOf(before, await readSpent()).asked
}
// A fresh gateway compiles what it runs.
await probe(20)
const alone = await probe(0)
let perSecond = 20
const paces: number[] = []
/** As many quotes as hold the loop's share, found from what it has worked since the last look. */
async function sendInShare(forMs: number): Promise<Sent> {
  const endMs = performance.now() + forMs
  const sending = quotes.sendSteadily(() => perSecond, forMs)
  let before = await readSpent()
  while (performance.now() + steerMs < endMs) {
    await wait(steerMs)
    const now = await readSpent()
    const wanted = (share - alone) / Math.max(shareOf(before, now).asked - alone, 0.01)
    // One look is of few blocks: the way there is taken in parts.
    perSecond *= Math.sqrt(Math.min(Math.max(wanted, 0.25), 4))
    before = now
    paces.push(measurePace())
  }
  return sending
}
await askFor(settleMs, () => sendInShare(settleMs))
const percent = (part: number) => Math.round(part * 100)
reportFigures('soak: the load', {
  '% of the loop without quotes': percent(alone),
  'quotes a second': Math.round(perSecond),
})
async function runWindow(at: number): Promise<Window> {
  const before = await readSpent()
  paces.length = 0
  const traffic = await askFor(windowMs, () => sendInShare(windowMs))
  const { asked, ahead } = shareOf(before, await readSpent())
  const sorted = paces.toSorted((a, b) => a - b)
  const window = {
    ...traffic,
    p99Ms: p99(traffic),
    perSecond: (traffic.sent.answered * 1_000) / windowMs,
    paceMs: sorted[sorted.length >> 1] ?? Number.NaN,
  }
  reportFigures(`soak: window ${at + 1} of ${windows}`, {
    'p99 in ms': window.p99Ms,
    'p99 of quotes in ms': traffic.sent.micros.percentile(99) / 1_000,
    'quotes a second': Math.round(window.perSecond),
    'ms of a fixed piece of work': window.paceMs,
    streams: held.open(),
    '% of the loop': percent(asked),
    '% of it for searches ahead': percent(ahead),
  })
  return window
}
/** What the least holds of several collections is not of whoever asks at that moment. */
async function collect() {
  await wait(restMs)
  let least = await inspector.collect()
  for (let more = 1; more < collections; more += 1) {
    await wait(collectEveryMs)
    const next = await inspector.collect()
    if (next.heap + next.external < least.heap + least.external) least = next
  }
  const { heap, external, rss, code } = least
  const collected = { atMs: performance.now(), alive: heap + external - code, code, rss }
  reportFigures('soak: alive, in MB', {
    alive: megabytes(collected.alive),
    'compiled code': megabytes(code),
    rss: megabytes(rss),
  })
  return collected
}
const spentBefore = await readSpent()
const first = await runWindow(0)
const filled = await collect()
const collected = [filled]
const further: Window[] = []
for (let at = 1; at < windows; at += 1) {
  further.push(await runWindow(at))
  collected.push(await collect())
}
const worked = shareOf(spentBefore, await readSpent())
const soaked = collected.at(-1) ?? filled
const all = [first, ...further]
const last = further.at(-1) ?? first

/** Of the line that is nearest to what was alive after each window, in bytes a ms. */
function slopeOf(samples: readonly { readonly atMs: number; readonly alive: number }[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, one) => sum + one, 0) / values.length
  const [atMs, alive] = [
    mean(samples.map((one) => one.atMs)),
    mean(samples.map((one) => one.alive)),
  ]
  const above = samples.reduce((sum, one) => sum + (one.atMs - atMs) * (one.alive - alive), 0)
  return above / samples.reduce((sum, one) => sum + (one.atMs - atMs) ** 2, 0)
}

s('answers everybody', () => {
  reportFigures('soak: answers', {
    all: all.reduce((sum, { sent, answers }) => sum + sent.answered + answers.length, 0),
    '% of the loop': percent(worked.asked),
    '% of it for searches ahead': percent(worked.ahead),
  })
  assert.equal(
    all.flatMap(({ sent }) => sent.refused),
    [],
  )
  // On a machine that others use meanwhile a dry run may come too late; nothing breaks down on any.
  const isBroken = ({ kind, status }: Answer) =>
    status === 500 || (!isShortProof && kind !== 'strange token' && status !== 200)
  const broken = all.flatMap(({ answers }) => answers).filter(isBroken)
  assert.equal(broken, [])
})

s(`holds ${streams} streams open`, () => {
  assert.equal([...new Set(held.faults())], [])
  reportFigures('soak: streams', { open: held.open(), 'MB sent': megabytes(held.bytes()) })
  // Those whose cycles are over come again.
  assert.ok(held.open() > streams * 0.98, `${held.open()} streams`)
})

s('answers as fast in the end as in the beginning', () => {
  const slower = last.paceMs / first.paceMs
  reportFigures('soak: p99 of all answers, in ms', {
    first: first.p99Ms,
    last: last.p99Ms,
    'of the first, by the machine of each': last.p99Ms / first.p99Ms / slower,
    'quotes a second, first': Math.round(first.perSecond),
    'quotes a second, last': Math.round(last.perSecond),
  })
  assert.ok(last.p99Ms <= first.p99Ms * slower * slowdown, `${first.p99Ms} to ${last.p99Ms} ms`)
})

s('keeps no more alive than its caches hold', () => {
  const grown = soaked.alive - filled.alive
  const perHour = slopeOf(collected) * 3_600_000
  reportFigures('soak: what is alive in the gateway, in MB', {
    before: megabytes(filled.alive),
    after: megabytes(soaked.alive),
    'compiled code before': megabytes(filled.code),
    'compiled code after': megabytes(soaked.code),
    'resident before': megabytes(filled.rss),
    'resident after': megabytes(soaked.rss),
    'an hour, by least squares': megabytes(perHour),
  })
  assert.ok(grown <= byLength({ short: mostWhileFilling, long: Number.POSITIVE_INFINITY }))
  assert.ok(perHour <= byLength({ short: Number.POSITIVE_INFINITY, long: mostPerHour }))
  assert.ok(soaked.code - filled.code <= mostOfCode)
})
s.run()
