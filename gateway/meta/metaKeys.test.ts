import { mock } from 'node:test'
import { readEvents } from '../../fixtures/meta/events.ts'
import { answerQuote, scriptSource, usdc } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createAccess } from '../access/access.ts'
import { createKey } from '../access/issueKeys.ts'
import type { AccessConfig } from '../access/sale/accessConfig.ts'
import { openStore } from '../store/openStore.ts'
import { fail, type SourceOutcome } from './provider/source.ts'

/** Meta behind keys, and what an open stream costs whoever opened it. */
const s = suite('meta/metaKeys')
const config: AccessConfig = {
  keyPrefix: 'forkyard_test',
  pepper: 'pepper',
  publicUrl: 'https://lab.example',
  serviceName: 'Forkyard',
  freeQuota: 0,
  amountPerQuote: 100n,
  packQuotes: 1000,
  keyLimit: { unitsPerSec: 0.001, burst: 8 },
  ipLimit: { unitsPerSec: 0.001, burst: 4 },
  isLoopbackLimited: true,
  contracts: [],
}
const store = openStore({ path: ':memory:' })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const deps = { store, chains: [], config, log, now: Date.now }
const sources = [scriptSource({ name: 'a', answer: answerQuote() })]
/** Between two cycles nothing is waited for. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
const serve = (p: Omit<Parameters<typeof startScriptedMeta>[0], 'sources'>) =>
  startScriptedMeta({ sources, pause, ...p })
const closed = await serve({ access: createAccess(deps), keys: 'required' })
const open = await serve({ access: createAccess(deps) })
s.after(async () => {
  await closed.close()
  await open.close()
  await store.close()
})

async function makeKey(units: number) {
  const { apiKey: secret, id: keyId } = await createKey(deps, { label: 'test', quotes: units })
  return { secret, keyId }
}
const post = (url: string, path: string, change: object = {}, key?: string) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    body: JSON.stringify({ ...quoteRequest, ...change }),
  })
async function readStream(res: Response) {
  assert.is(res.status, 200)
  const names: string[] = []
  let reason: string | undefined
  for await (const { event, data } of readEvents(res.body)) {
    names.push(event)
    if (event === 'done') reason = (data as { reason?: string }).reason
  }
  return { cycles: names.filter((name) => name === 'refresh').length, last: names.at(-1), reason }
}

s('asks for a key where it is closed, and takes a unit for each quote [meta/keys]', async () => {
  assert.is((await post(closed.url, '/quote')).status, 401)
  assert.is((await post(closed.url, '/quote/stream')).status, 401)
  const { secret, keyId } = await makeKey(2)
  for (const left of ['1', '0']) {
    const res = await post(closed.url, '/quote', {}, secret)
    assert.equal([res.status, res.headers.get('x-quota-remaining')], [200, left])
  }
  assert.is((await post(closed.url, '/quote', {}, secret)).status, 402)
  assert.is((await store.ledger.balance(keyId)).remaining, 0)
  assert.is((await fetch(`${closed.url}/health`)).status, 200)
})

s(
  'takes a unit for each cycle of a stream, and ends it when none is left [strangers/stream-units]',
  async () => {
    const { secret, keyId } = await makeKey(4)
    const res = await post(closed.url, '/quote/stream', { refreshIntervalMs: 1_000 }, secret)
    assert.equal(await readStream(res), { cycles: 3, last: 'done', reason: 'payment_required' })
    assert.equal(await store.ledger.balance(keyId), { total: 4, used: 4, remaining: 0 })
    assert.equal(await store.ledger.audit(), [])
  },
)

s(
  'pauses who asks again and again what no source answers, but nobody for an outage [17/refused-quotes]',
  async () => {
    const limits = { ...deps, config: { ...config, keyLimit: { unitsPerSec: 1, burst: 999 } } }
    const count = 52
    const askUntilPaused = async (...answers: readonly SourceOutcome[]) => {
      const meta = await startScriptedMeta({
        sources: answers.map((answer, at) => scriptSource({ name: `${at}`, answer })),
        access: createAccess(limits),
        keys: 'required',
      })
      const { secret, keyId } = await makeKey(5)
      const seen = new Map<number, number>()
      // The first pause is a second.
      const clock = mock.method(performance, 'now', () => 0)
      for (let at = 0; at < count; at += 1) {
        const { status } = await post(meta.url, '/quote', {}, secret)
        seen.set(status, (seen.get(status) ?? 0) + 1)
      }
      clock.mock.restore()
      await meta.close()
      assert.is((await store.ledger.balance(keyId)).remaining, 5)
      return [...seen]
    }
    const away = [fail('timeout'), fail('rate_limited'), fail('circuit_open')]
    const paused = [
      [502, 51],
      [429, 1],
    ]
    assert.equal(await askUntilPaused(...away, fail('unsupported_chain')), [[502, count]])
    assert.equal(await askUntilPaused(...away, fail('no_route')), paused)
    assert.equal(await askUntilPaused(answerQuote({ target: usdc })), paused)
    assert.equal(await askUntilPaused(fail('unsupported_exact_output')), paused)
    const noKey = fail('not_configured')
    assert.equal(await askUntilPaused(noKey, fail('unsupported_exact_output')), paused)
  },
)

s(
  'pauses nobody while one that had quotes is away, whatever others say without a look [17/quoted-and-away]',
  async () => {
    const limits = { ...deps, config: { ...config, keyLimit: { unitsPerSec: 1, burst: 999 } } }
    const answers = { now: answerQuote() }
    const meta = await startScriptedMeta({
      sources: [
        scriptSource({ name: 'a', answer: async () => answers.now }),
        scriptSource({ name: 'other', answer: fail('no_route') }),
      ],
      access: createAccess(limits),
      keys: 'required',
    })
    const { secret } = await makeKey(5)
    const ask = async () => (await post(meta.url, '/quote', {}, secret)).status
    assert.is(await ask(), 200)
    for (const reason of ['upstream_error', 'circuit_open', 'timeout', 'not_configured'] as const) {
      answers.now = fail(reason)
      for (let at = 0; at < 52; at += 1) assert.is(await ask(), 502, reason)
    }
    answers.now = answerQuote()
    assert.is(await ask(), 200)
    await meta.close()
  },
)

s('limits the cycles of a key like its requests [strangers/key-limits]', async () => {
  const { secret, keyId } = await makeKey(100)
  const res = await post(closed.url, '/quote/stream', { refreshIntervalMs: 1_000 }, secret)
  assert.equal(await readStream(res), { cycles: 7, last: 'done', reason: 'rate_limited' })
  assert.is((await store.ledger.balance(keyId)).used, 8)
})

s('limits the cycles of an address where no key is asked for', async () => {
  const res = await post(open.url, '/quote/stream', { refreshIntervalMs: 1_000 })
  assert.equal(await readStream(res), { cycles: 3, last: 'done', reason: 'rate_limited' })
  const next = await post(open.url, '/quote/stream')
  assert.equal([next.status, next.headers.has('retry-after')], [429, true])
})

for (const [name, streamCaps] of [
  [
    'caps the streams of an address, until one ends [strangers/address-streams]',
    { total: 100, perAddress: 2 },
  ],
  ['caps all streams, until one ends [strangers/all-streams]', { total: 2, perAddress: 100 }],
] as const)
  s(name, async () => {
    const capped = await startScriptedMeta({ sources, streamCaps })
    const leaving = [new AbortController(), new AbortController()]
    const ask = (signal?: AbortSignal) =>
      fetch(`${capped.url}/quote/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...quoteRequest, refreshIntervalMs: 60_000 }),
        ...(signal && { signal }),
      })
    const opened = await Promise.all(leaving.map(({ signal }) => ask(signal)))
    assert.equal(
      opened.map(({ status }) => status),
      [200, 200],
    )
    const refused = await ask()
    assert.equal([refused.status, refused.headers.get('retry-after')], [429, '5'])
    assert.is(((await refused.json()) as { code: string }).code, 'rate_limited')
    leaving[0]?.abort()
    await waitFor('a place is free again', async () => {
      const again = await ask(leaving[1]?.signal)
      return again.status === 200
    })
    leaving[1]?.abort()
    await capped.close({ graceMs: 0 })
  })

s.run()
