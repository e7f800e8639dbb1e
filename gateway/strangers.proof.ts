import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { generatePrivateKey } from 'viem/accounts'
import { createRpc } from '../fixtures/anvil/rpc.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { isShortProof } from '../fixtures/runner/isShortProof.ts'
import { ask } from '../fixtures/strangers/ask.ts'
import { deployLiars } from '../fixtures/strangers/deployLiars.ts'
import {
  type HackedProvider,
  hackedNames,
  startHackedProvider,
} from '../fixtures/strangers/hackedProvider.ts'
import { type Honest, type Sample, sendHonestTraffic } from '../fixtures/strangers/honestTraffic.ts'
import { dishonestPools } from '../fixtures/strangers/poolAttackers.ts'
import { approveExecutor, prepareOwner } from '../fixtures/strangers/prepareAccounts.ts'
import { chainId, register, rpcOf, type Stage, tokenOf } from '../fixtures/strangers/stage.ts'
import { type Attacked, startAttack } from '../fixtures/strangers/startAttack.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startTestLab } from './lab/testing/testLab.ts'
import { openStore } from './store/openStore.ts'

/**
 * `npm run -s proof:strangers`: one lab, and an attacker with one key, one funded wallet, one deployer of
 * contracts and one hacked provider, who does all at once what strangers can do, beside honest traffic. The
 * limits and the age of what answers come from are those of production, not the lab's. Two minutes; PROOF=short: twenty seconds.
 */
const attackMs = byLength({ short: 20_000, long: 120_000 })
const quietMs = byLength({ short: 10_000, long: 30_000 })
/** An answer worse than in quiet by more than this is lost money. */
const toleranceBps = 0.1
const slowdown = 2
/** Without anybody's question, calls of the nodes are counted for so long. */
const idleMs = byLength({ short: 4_000, long: 30_000 })
const settleMs = 5_000
/** Shared machines stand still for seconds; an answer that hangs does for as long as anybody waits. */
const longestMs = 60_000
/** Calls per second of an idle gateway after the attack, by those before it. */
const mostIdle = byLength({ short: 3, long: 1.1 })
/**
 * Base's, whatever strangers send: a lab's chain makes a block of each transaction, and so at their pace. On a chain
 * that stands still one fork stays warm for ever, and no chain does.
 */
const blockMs = 2_000
/** Below this, a slower answer is the machine's noise. */
const noiseMs = 50

const s = suite('strangers')
const hacked = await startHackedProvider()
const provider = (name: string) => ({ baseUrl: `${hacked.url}/${name}`, timeoutMs: 1_500 })
const lab = await startTestLab({
  FRESHNESS: 'interval',
  RATE_LIMIT_PER_SECOND: '20',
  RATE_LIMIT_BURST: '100',
  IP_RATE_LIMIT_PER_SECOND: '10',
  IP_RATE_LIMIT_BURST: '50',
  TRUSTED_PROXIES: '127.0.0.1',
  META_PROVIDERS: JSON.stringify({
    velora: provider('velora'),
    enso: { ...provider('enso'), key: 'k' },
  }),
  META_UNLISTED_SOURCES: 'enso',
  META_ALLOW_PRIVATE_PROVIDERS: 'true',
  // Who waits longer loses time, which is measured; not the best source, which would be money.
  META_PATIENCE_MS: byLength({ short: '40000', long: '12000' }),
  META_SOURCE_TIMEOUT_MS: byLength({ short: '40000', long: '12000' }),
  META_DEADLINE_MS: byLength({ short: '50000', long: '20000' }),
  META_MAX_STREAMS_PER_ADDRESS: '8',
  RELAY_MAX_NEW_PER_NETWORK_HOUR: '2',
})
s.after(async () => {
  await lab.down()
  await hacked.close()
})
const manifest = lab.manifest()
const accounts = manifest.chains[chainId]?.accounts ?? []
const [, giver, villain, trader] = accounts
if (!giver || !villain || !trader) throw new Error('the lab has no accounts')
const attackerKey = await register(manifest, villain.privateKey, '198.51.100.66')
/** Each asks every four seconds: what one has for free lasts for a few hundred exact outputs. */
const otherKeys: string[] = []
while (otherKeys.length < byLength({ short: 1, long: 4 }))
  otherKeys.push(await register(manifest, generatePrivateKey(), `192.0.2.${10 + otherKeys.length}`))
const unarmed: Stage = {
  manifest,
  apiKey: attackerKey,
  privateKey: villain.privateKey,
  liars: [],
}
const stage: Stage = { ...unarmed, liars: await deployLiars(unarmed) }
await approveExecutor(stage, { ...trader, tokens: ['WETH'] })
const honest: Honest = {
  manifest,
  trader: trader.address,
  apiKey: manifest.apiKey,
  otherKeys,
  taker: giver.address,
  owners: [],
}
while (honest.owners.length < byLength({ short: 8, long: 20 }))
  honest.owners.push(await prepareOwner(stage, giver.privateKey))

const usedOf = async (key: string) => {
  const { body } = await ask(`${manifest.services.routing}/auth/key-info`, {
    ip: '192.0.2.99',
    key,
  })
  return Number(body['quota_used'])
}
/** Calls of the nodes that were let through so far, by purpose; of both chains together. */
async function readUpstreamCalls(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${manifest.services.ops}/metrics`)).text()
  const found = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (!line.startsWith('forkyard_upstream_calls_total') || !line.includes('"sent"')) continue
    const purpose = /purpose="(\w+)"/.exec(line)?.[1] ?? ''
    found.set(purpose, (found.get(purpose) ?? 0) + Number(line.split(' ').at(-1)))
  }
  return found
}
/** Per second, while `work` is done. */
async function rateCalls<result>(work: () => Promise<result>) {
  const [before, startedAtMs] = [await readUpstreamCalls(), performance.now()]
  const result = await work()
  const secs = (performance.now() - startedAtMs) / 1_000
  const after = await readUpstreamCalls()
  const perSecond = new Map(
    [...after].map(([purpose, count]) => [purpose, (count - (before.get(purpose) ?? 0)) / secs]),
  )
  return { result, perSecond }
}
const sum = (rates: ReadonlyMap<string, number>) => [...rates.values()].reduce((a, b) => a + b, 0)
/** What the settings leave to each chain's questions, two chains together. */
const budgets = { simulation: 4_000, meta: 1_000, warmUp: 1_000 }

const kindsOf = (samples: readonly Sample[]) => [...new Set(samples.map(({ kind }) => kind))]
function p99(samples: readonly Sample[], kind: string): number {
  const times = samples.filter((sample) => sample.kind === kind).map(({ ms }) => ms)
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}
/** The least that each question was worth while nobody attacked. */
function worthInQuiet(samples: readonly Sample[]): ReadonlyMap<string, bigint> {
  const worth = new Map<string, bigint>()
  for (const { kind, of, worth: found } of samples) {
    if (found === undefined) continue
    const known = worth.get(`${kind} ${of}`)
    if (known === undefined || found < known) worth.set(`${kind} ${of}`, found)
  }
  return worth
}
/** By how many basis points an answer is worse than in quiet; 0 where it is not. */
function lossBps({ kind, of, worth }: Sample, quiet: ReadonlyMap<string, bigint>): number {
  const known = quiet.get(`${kind} ${of}`)
  if (known === undefined || worth === undefined || worth >= known) return 0
  const size = known < 0n ? -known : known
  return Number(((known - worth) * 1_000_000n) / size) / 100
}

type Rates = ReadonlyMap<string, number>
type Round = {
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
  readonly attacked: readonly Sample[]
  readonly loot: readonly Attacked[]
  readonly calls: Readonly<Record<'fresh' | 'quiet' | 'attacked' | 'idle', Rates>>
}

async function mineBlocks(signal: AbortSignal) {
  const rpc = createRpc(rpcOf(stage))
  await rpc('evm_setAutomine', false)
  while (!signal.aborted) {
    await rpc('evm_mine')
    await wait(blockMs, undefined, { signal }).catch(() => undefined)
  }
}

async function play(provider: HackedProvider): Promise<Round> {
  const measure = async (forMs: number) => {
    const { result, perSecond } = await rateCalls(() => sendHonestTraffic(honest, forMs))
    return { samples: result, calls: perSecond }
  }
  const stayIdle = async () => {
    // The last block is followed first, for those who asked until then.
    await wait(settleMs)
    return (await rateCalls(() => wait(idleMs))).perSecond
  }
  const fresh = await stayIdle()
  // Once through before anything is timed: a fresh gateway compiles what it runs.
  await sendHonestTraffic(honest, 3_000)
  const over = new AbortController()
  const mining = mineBlocks(over.signal)
  const before = await measure(quietMs)
  const attack = startAttack(stage)
  provider.letLoose({ bomb: tokenOf(stage, 'WETH') })
  const during = await measure(attackMs)
  const loot = await attack.stop()
  provider.tame()
  const after = await measure(quietMs)
  over.abort()
  await mining
  const idle = await stayIdle()
  return {
    before: before.samples,
    after: after.samples,
    attacked: during.samples,
    loot,
    calls: { fresh, quiet: before.calls, attacked: during.calls, idle },
  }
}

const spent = { honest: -(await usedOf(honest.apiKey)), attacker: -(await usedOf(attackerKey)) }
const { before, after, attacked, loot, calls } = await play(hacked)
const quiet = [...before, ...after]
spent.honest += await usedOf(honest.apiKey)
spent.attacker += await usedOf(attackerKey)

s('lets every attacker attack', () => {
  for (const { name, loot: found, fault } of loot) {
    reportFigures(`strangers: ${name}`, found)
    assert.is(fault, undefined, name)
  }
  assert.ok(hacked.asked() > 10, `${hacked.asked()} calls of the hacked provider`)
  const opened = loot.find(({ name }) => name === dishonestPools.name)?.loot['pools'] ?? 0
  const least = byLength({ short: 1, long: stage.liars.length })
  assert.ok(opened >= least, `${opened} pools with dishonest rates`)
})

s('loses no honest answer', () => {
  for (const phase of [quiet, attacked]) {
    const lost = phase.filter(({ status, worth }) => status !== 200 || worth === undefined)
    assert.equal(
      lost.map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
      [],
    )
  }
})

s(`gives no honest answer that is worse by more than ${toleranceBps} bps`, () => {
  // Afterwards the pools are still there, and whatever they may take.
  const worth = worthInQuiet(before)
  const losses = [...attacked, ...after].map((sample) => ({
    ...sample,
    bps: lossBps(sample, worth),
  }))
  const worst = Math.max(...losses.map(({ bps }) => bps))
  const [loser] = losses.filter(({ bps }) => bps === worst)
  reportFigures('strangers: honest answers', {
    answers: losses.length,
    'worst loss in bps': worst,
  })
  assert.ok(worst <= toleranceBps, `${worst} bps: ${loser?.kind} ${loser?.text}`)
  const winners = new Set(losses.map(({ provider: name }) => name))
  for (const name of hackedNames) assert.not(winners.has(name), name)
})

s(`answers within ${slowdown} times of quiet`, () => {
  const kinds = kindsOf(attacked).map((kind) => ({
    kind,
    usual: p99(quiet, kind),
    during: p99(attacked, kind),
  }))
  for (const { kind, usual, during } of kinds)
    reportFigures(`strangers: p99 of ${kind}, in ms`, {
      quiet: Math.round(usual),
      attacked: Math.round(during),
    })
  for (const { kind, usual, during } of kinds) {
    // A machine that many share tells of no time but of answers that hang.
    assert.ok(during < longestMs, `${kind}: ${during} ms`)
    if (isShortProof) continue
    assert.ok(during <= slowdown * Math.max(usual, noiseMs), `${kind}: ${usual} to ${during} ms`)
  }
})

s('keeps upstream calls within their budget', () => {
  assert.is(hacked.callsInPause(), 0, 'calls within a pause that was asked for')
  for (const [name, rates] of Object.entries(calls))
    reportFigures(`strangers: calls of the nodes per second, ${name}`, {
      all: Math.round(sum(rates)),
      ...Object.fromEntries([...rates].map(([purpose, rate]) => [purpose, Math.round(rate)])),
    })
  for (const [purpose, most] of Object.entries(budgets)) {
    const rate = calls.attacked.get(purpose) ?? 0
    // A bucket may be full when the measuring begins.
    assert.ok(rate <= 1.2 * most, `${purpose}: ${rate} calls/s`)
  }
})

s(`asks the nodes at most ${mostIdle} times as much when idle as before the attack`, () => {
  const [fresh, idle] = [sum(calls.fresh), sum(calls.idle)]
  // Two calls of one poll are a tenth of a short measuring.
  assert.ok(idle <= mostIdle * fresh + 2, `${fresh} to ${idle} calls/s`)
})

s('keeps the books', async () => {
  const byName = (name: string) => loot.find((each) => each.name === name)?.loot ?? {}
  // Two networks of strangers had two deployments each at most; pending owners are told of theirs.
  assert.ok((byName("strangers' addresses at the relay")['deployments'] ?? 0) <= 2)
  const store = openStore({ path: join(lab.dir, 'data', 'forkyard.sqlite') })
  const broken = await store.ledger.audit()
  await store.close()
  assert.equal(broken, [])
  const answered = [...quiet, ...attacked].filter(({ kind }) => kind === 'quote').length
  // The unmeasured first seconds were paid for too.
  assert.ok(spent.honest >= answered, `${spent.honest} units for ${answered} quotes`)
  assert.ok(spent.attacker <= 1_000, `${spent.attacker} units of the attacker`)
})
s.run()
