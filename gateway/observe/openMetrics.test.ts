import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { findDebianProgram, passOver } from '../../fixtures/debianPrograms.ts'
import { freePort } from '../../fixtures/freePort.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { endpoint } from '../http/endpoint.ts'
import { createService } from '../http/service.ts'
import { createReadiness } from '../ops/readiness.ts'
import { opsEndpoints } from '../ops/routes.ts'
import { createMetrics } from './metrics.ts'
import { startTraces } from './traces.ts'

/** `/metrics` as a Prometheus that keeps exemplars reads it, and the traces that they lead to. */
const s = suite('observe/openMetrics')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const metrics = createMetrics()
const received: string[] = []
const collector = createServer(async (request, response) => {
  received.push(await text(request))
  response.setHeader('content-type', 'application/json').end('{}')
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
const { port: collectorPort } = collector.address() as AddressInfo
const work = endpoint({
  method: 'get',
  path: '/work',
  summary: 'Works',
  auth: 'none',
  output: Type.Object({}),
  handle: async () => ({}),
})
const service = await createService({
  name: 'routing',
  endpoints: [work],
  log,
  observe: (event) => metrics.answered({ ...event, route: event.path }),
}).listen()
const readiness = createReadiness()
const opsTable = opsEndpoints({ metrics, readiness, labManifestPath: undefined })
const ops = await createService({ name: 'ops', endpoints: opsTable, log }).listen()
s.after(async () => {
  await Promise.all([service.close(), ops.close()])
  collector.close()
})

async function scrape(accept?: string) {
  const response = await fetch(`${ops.url}/metrics`, accept ? { headers: { accept } } : {})
  return { type: response.headers.get('content-type') ?? '', body: await response.text() }
}
/** As a Prometheus of today asks. */
const prometheusAccepts =
  'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const samplesOf = (body: string) => {
  const named = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return [...new Set(named.map((line) => line.replace(/[{ ].*/, '')))]
}

s('has the same samples by the same names in both formats, and exemplars in one', async () => {
  const url = `http://127.0.0.1:${collectorPort}/v1/traces`
  const traces = await startTraces({ url, percent: 100, serviceName: 'test', version: '1' })
  await (await fetch(`${service.url}/work`)).text()
  await traces.close()
  // One that is not traced is counted all the same.
  await (await fetch(`${service.url}/work`)).text()
  const [plain, open] = [await scrape(), await scrape(prometheusAccepts)]
  assert.match(plain.type, 'text/plain; version=0.0.4')
  assert.match(open.type, 'application/openmetrics-text; version=1.0.0')
  assert.equal(samplesOf(open.body), samplesOf(plain.body))
  // In the other again, which a registry of both would spoil.
  assert.match((await scrape()).body, /^# TYPE forkyard_http_requests_total counter$/m)
  assert.match(open.body, /^# TYPE forkyard_http_requests counter$/m)
  assert.match(open.body, /\n# EOF\n$/)
  assert.not.match(plain.body, 'trace_id')
  const counted = /_count\{service="routing",route="\/work"\} (\d)/
  for (const { body } of [plain, open]) assert.is(counted.exec(body)?.[1], '2')
})

s('leads a Prometheus from a request to its trace [24/exemplars]', async () => {
  const prometheus = findDebianProgram('prometheus')
  if (!prometheus) return passOver({ name: 'prometheus', debianPackage: 'prometheus' })
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-exemplars-'))
  const port = await freePort()
  const scrapes = {
    ['job_name']: 'gateway',
    ['static_configs']: [{ targets: [new URL(ops.url).host] }],
  }
  const config = { global: { ['scrape_interval']: '1s' }, ['scrape_configs']: [scrapes] }
  // JSON is YAML.
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config))
  const child = spawn(
    prometheus,
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { stdio: 'ignore' },
  )
  const exited = once(child, 'exit')
  try {
    type Found = {
      readonly data?: readonly { readonly exemplars: readonly { readonly labels: object }[] }[]
    }
    const asked = new URL(`http://127.0.0.1:${port}/api/v1/query_exemplars`)
    asked.searchParams.set('query', 'forkyard_http_request_duration_seconds_bucket')
    asked.searchParams.set('start', String(Date.now() / 1000 - 600))
    asked.searchParams.set('end', String(Date.now() / 1000 + 600))
    let found: Found = {}
    const isThere = async () => {
      found = await fetch(asked).then(
        async (response) => (response.ok ? ((await response.json()) as Found) : {}),
        () => ({}),
      )
      return (found.data ?? []).length > 0
    }
    await waitFor('it has an exemplar', isThere, { deadlineMs: 60_000, everyMs: 100 })
    const [labels] = (found.data ?? []).flatMap(({ exemplars }) =>
      exemplars.map((one) => one.labels),
    )
    const traceId = Object.values(labels ?? {})[0]
    assert.match(received.join(), `"traceId":"${traceId}"`)
  } finally {
    child.kill('SIGTERM')
    await exited
    rmSync(dir, { recursive: true })
  }
})
s.run()
