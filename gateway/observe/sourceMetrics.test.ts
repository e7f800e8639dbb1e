import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { answerQuote, scriptSource } from '../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createService } from '../http/service.ts'
import { defaultLimits, dispatchSource } from '../meta/dispatch.ts'
import { fail, type SourceOutcome } from '../meta/provider/source.ts'
import { createReadiness } from '../ops/readiness.ts'
import { opsEndpoints } from '../ops/routes.ts'
import { createMetrics } from './metrics.ts'
import { createSourceMetrics } from './sourceMetrics.ts'
import { startTraces } from './traces.ts'

/** Quotes over HTTP through sources behind their policies, and what `/metrics` then says of each. */
const s = suite('source metrics')
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const metrics = createMetrics()
const sourceMetrics = createSourceMetrics(metrics)
const clock = { ms: 1_000_000 }
const answers = {
  good: answerQuote({ provider: 'good' }),
  empty: fail('no_route'),
  reference: { status: 'reference', amountOut: 1_000n },
  limited: { ...fail('rate_limited'), retryAfterMs: 60_000 },
  ill: fail('upstream_error', 'HTTP 500'),
} satisfies Record<string, SourceOutcome>
const script = { ...answers } as Record<string, SourceOutcome>
const limits = { ...defaultLimits, breakAfter: 2, halfOpenAfterMs: 600_000 }
const dispatched = Object.keys(answers).map((name) =>
  dispatchSource(
    { now: () => clock.ms, observe: sourceMetrics.answered },
    {
      source: scriptSource({ name, answer: async () => script[name] ?? fail('no_route') }),
      limits,
    },
  ),
)
sourceMetrics.show(() => dispatched.map((source) => ({ name: source.name, ...source.state() })))
const meta = await startScriptedMeta({ sources: dispatched })
const ops = await createService({
  name: 'ops',
  endpoints: opsEndpoints({
    metrics,
    readiness: createReadiness(),
    labManifestPath: undefined,
  }),
  requestIdField: 'request_id',
  log,
}).listen()
s.after(async () => {
  await Promise.all([meta.close(), ops.close()])
})

async function quote(): Promise<void> {
  const res = await fetch(`${meta.url}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(quoteRequest),
  })
  assert.is(res.status, 200)
  await res.text()
}

/** Every sample of a metric, by its labels as they are written. */
async function scrape(name: string): Promise<Record<string, number>> {
  const res = await fetch(`${ops.url}/metrics`)
  assert.match(res.headers.get('content-type') ?? '', 'text/plain; version=0.0.4')
  const lines = (await res.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf('}')
      return [line.slice(name.length + 1, end), Number(line.slice(end + 1))]
    }),
  )
}

s('shows every source before its first answer, with its circuit closed', async () => {
  const zeros = Object.fromEntries(Object.keys(answers).map((name) => [`source="${name}"`, 0]))
  assert.equal(await scrape('forkyard_source_breaker'), zeros)
  assert.equal(await scrape('forkyard_source_paused_seconds'), zeros)
  assert.equal(await scrape('forkyard_source_answers_total'), {})
})

s(
  'counts each answer of each source by its outcome, refusals of our own included [meta/count-answers]',
  async () => {
    for (let round = 0; round < 3; round++) await quote()
    assert.equal(await scrape('forkyard_source_answers_total'), {
      'source="good",outcome="quote"': 3,
      'source="empty",outcome="no_route"': 3,
      'source="reference",outcome="reference"': 3,
      'source="limited",outcome="rate_limited"': 3,
      'source="ill",outcome="upstream_error"': 2,
      'source="ill",outcome="circuit_open"': 1,
    })
  },
)

s(
  'shows an open circuit and a pause that was asked for, and nobody else beside them [meta/show-circuit]',
  async () => {
    assert.equal(await scrape('forkyard_source_breaker'), {
      'source="good"': 0,
      'source="empty"': 0,
      'source="reference"': 0,
      'source="limited"': 0,
      'source="ill"': 2,
    })
    clock.ms += 15_000
    const paused = await scrape('forkyard_source_paused_seconds')
    assert.is(paused['source="limited"'], 45)
    assert.is(paused['source="good"'], 0)
  },
)

s('measures how long each source took [meta/durations]', async () => {
  const counts = await scrape('forkyard_source_duration_seconds_count')
  assert.equal(counts, {
    'source="good"': 3,
    'source="empty"': 3,
    'source="reference"': 3,
    'source="limited"': 3,
    'source="ill"': 3,
  })
  const sums = await scrape('forkyard_source_duration_seconds_sum')
  assert.equal(Object.keys(sums), Object.keys(counts))
  assert.ok(Object.values(sums).every((secs) => secs > 0))
  const buckets = await scrape('forkyard_source_duration_seconds_bucket')
  assert.is(buckets['le="+Inf",source="good"'], 3)
})

s('leads from how long a source took to the trace of it [24/source-exemplars]', async () => {
  let body = ''
  const collector = createServer(async (request, response) => {
    body += await text(request)
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1/traces`
  const traces = await startTraces({ url, percent: 100, serviceName: 'test', version: '1' })
  await quote()
  await traces.close()
  collector.close()
  const accept = 'application/openmetrics-text;version=1.0.0'
  const open = await (await fetch(`${ops.url}/metrics`, { headers: { accept } })).text()
  const exemplar =
    /^forkyard_source_duration_seconds_bucket\{.*source="good"\} \d+ # \{trace_id="(\w+)"\}/m
  assert.match(body, `"traceId":"${exemplar.exec(open)?.[1]}"`)
})

s('shows a circuit closed again once the source answers, and a pause that is over', async () => {
  script['ill'] = answerQuote({ provider: 'ill' })
  clock.ms += 60_000
  const { now } = performance
  const later = mock.method(performance, 'now', () => now.call(performance) + 600_000)
  await quote()
  later.mock.restore()
  assert.is((await scrape('forkyard_source_breaker'))['source="ill"'], 0)
  assert.is((await scrape('forkyard_source_answers_total'))['source="ill",outcome="quote"'], 1)
  // Asked again after the pause, it named another one.
  assert.is((await scrape('forkyard_source_paused_seconds'))['source="limited"'], 60)
})
s.run()
