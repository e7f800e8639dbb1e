import { startNginx } from '../../fixtures/meta/nginx.ts'
import { answerQuote, makeQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { streamClients } from '../../fixtures/meta/streamClients.ts'
import { assert, suite } from '../../fixtures/test.ts'

/**
 * The stream as the five clients in use read it, unchanged: order, timing, and that they stop. Once
 * directly, and once through a real nginx that buffers and packs with gzip.
 */
const s = suite('meta/streamClients')
/** What the slow source waits for. */
let held: Promise<void> | undefined
const meta = await startScriptedMeta({
  sources: [
    scriptSource({ name: 'a', answer: answerQuote({ provider: 'a' }) }),
    scriptSource({
      name: 'b',
      delayMs: 1_000,
      answer: async () => {
        await held
        return answerQuote({ provider: 'b' })
      },
    }),
  ],
  deadlineMs: 60_000,
  dryRun: async ({ candidates }) => ({
    blockNumber: 7n,
    blockHash: '0x07',
    results: candidates.map(() => ({
      status: 'ok',
      amountOut: makeQuote().amountOut,
      gasUsed: 90_000n,
    })),
  }),
})
const nginx = await startNginx({ '/': meta.url })
s.after(async () => {
  await nginx?.close()
  await meta.close()
})

type Seen = {
  readonly event: string
  readonly provider: string | undefined
  readonly data: Record<string, unknown>
}

function recorder(onSeen: (seen: readonly Seen[]) => void = () => undefined) {
  const seen: Seen[] = []
  return {
    seen,
    onEvent(event: string, text: string) {
      const data = JSON.parse(text) as Record<string, unknown>
      const named = data as { best?: Seen; quote?: Seen; provider?: string }
      const provider = named.best?.provider ?? named.quote?.provider ?? named.provider
      seen.push({ event, provider, data })
      onSeen(seen)
    },
  }
}

function checkSingleShot(seen: readonly Seen[], name: string): void {
  assert.equal(
    seen.map(({ event, provider }) => [event, provider]),
    [
      ['initial', 'a'],
      ['quote', 'b'],
      ['done', undefined],
    ],
    name,
  )
}

const repeated = {
  ...quoteRequest,
  dryRun: true,
  keepAliveMs: 1_000,
  refreshIntervalMs: 1_000,
  proxyAddress: '0x4444444444444444444444444444444444444444',
}
/** Both sources have quoted twice, each quote was dry-run, and the connection was kept open. */
function isEnough(seen: readonly Seen[]): boolean {
  const count = (event: string, provider?: string) =>
    seen.filter((one) => one.event === event && one.provider === provider).length
  return (
    count('quote', 'b') >= 2 &&
    count('sim_update', 'a') >= 2 &&
    count('sim_update', 'b') >= 2 &&
    count('keep_alive') >= 1
  )
}

function checkRepeated(seen: readonly Seen[], name: string): void {
  const at = (event: string, provider?: string) =>
    seen.findIndex((one) => one.event === event && one.provider === provider)
  assert.is(at('initial', 'a'), 0, name)
  assert.ok(at('initial', 'a') < at('sim_update', 'a'), name)
  assert.ok(at('quote', 'b') < at('sim_update', 'b'), name)
  const refresh = seen[at('refresh')]
  assert.is(refresh?.data['cycle'], 1, name)
  assert.ok(at('sim_update', 'b') < at('refresh'), `${name}: a cycle ends before the next begins`)
  assert.ok(
    at('refresh') < at('quote', 'a'),
    `${name}: later cycles bring quotes, no other initial`,
  )
  assert.is(seen.filter(({ event }) => event === 'initial').length, 1, name)
  const fieldsOf = (event: string) =>
    Object.keys(seen.find((one) => one.event === event)?.data ?? {}).sort()
  assert.equal(fieldsOf('keep_alive'), ['elapsedMs', 'refreshesDone'], name)
  assert.equal(fieldsOf('refresh'), ['cycle', 'elapsedMs', 'tracking'], name)
  assert.equal(fieldsOf('sim_update'), ['provider', 'simulation', 'tracking'], name)
  const quote = ['calldataPolicy', 'proxyTx', 'quote', 'quoteType', 'tracking']
  assert.equal(fieldsOf('quote'), quote, name)
}

const ways = [
  ['directly', meta.url],
  ...(nginx ? [['through nginx with gzip', nginx.url] as const] : []),
] as const
for (const [way, base] of ways) {
  const url = `${base}/quote/stream`

  s(
    `${way}: five clients read each event as it comes and stop on done [meta/five-clients]`,
    async () => {
      const before = meta.requests()
      const never = new AbortController().signal
      // No stream ends before each client has read its beginning: none is held back until its end.
      let begun = 0
      const allBegun = Promise.withResolvers<void>()
      held = allBegun.promise
      const note = ({ length }: readonly Seen[]) => {
        if (length === 1) begun += 1
        if (begun === streamClients.length) allBegun.resolve()
      }
      await Promise.all(
        streamClients.map(async ({ name, read }) => {
          const { seen, onEvent } = recorder(note)
          await read({ url, body: JSON.stringify(quoteRequest), onEvent, signal: never })
          checkSingleShot(seen, name)
        }),
      )
      // Those that come back hear 204, and stop.
      const asked = streamClients.reduce((sum, { comesBack }) => sum + (comesBack ? 2 : 1), 0)
      assert.is(meta.requests() - before, asked)
    },
  )

  s(
    `${way}: five clients read every event of repeated cycles until they leave [meta/five-clients-repeated]`,
    async () => {
      const before = meta.requests()
      await Promise.all(
        streamClients.map(async ({ name, read }) => {
          const leaving = new AbortController()
          const { seen, onEvent } = recorder((all) => isEnough(all) && leaving.abort())
          const late = setTimeout(() => leaving.abort(), 60_000)
          await read({ url, body: JSON.stringify(repeated), onEvent, signal: leaving.signal })
          clearTimeout(late)
          assert.ok(isEnough(seen), `${name}: ${seen.map(({ event }) => event).join()}`)
          checkRepeated(seen, name)
        }),
      )
      // Each stream ends once its client has left: none goes on, and none was asked for again.
      const deadline = Date.now() + 60_000
      while (meta.requests() - before < streamClients.length) {
        if (Date.now() > deadline) throw new Error('a stream goes on without its client')
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      assert.is(meta.requests() - before, streamClients.length)
    },
  )
}

if (nginx)
  s('nginx does pack the stream [meta/packed]', async () => {
    const res = await fetch(`${nginx.url}/quote/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(quoteRequest),
    })
    assert.is(res.headers.get('content-encoding'), 'gzip')
    await res.text()
  })

s.run()
