import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { documents } from '../../../fixtures/client/documents.ts'
import { readImportGraph } from '../../../fixtures/house/importGraph.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { endpoint } from '../../http/endpoint.ts'
import { stream } from '../../http/reply.ts'
import { createService } from '../../http/service.ts'
import { fail, failureReasons, type Source } from '../../meta/provider/source.ts'
import { createFaultEdge } from './faultEdge.ts'
import { faults } from './faults.ts'
import { createLabChains } from './labChains.ts'

const s = suite('faults on demand')
const log = { debug() {}, info() {}, warn() {}, error() {} }
let nowMs = 0
let handled = 0
const chainsOf = createLabChains({ manifestPath: 'none' })
const edge = createFaultEdge({ now: () => nowMs, log, chainsOf })
const output = Type.Object({ answer: Type.String() })
const answer = { answer: 'as it is' }
const service = await createService({
  name: 'routing',
  interrupt: edge.interrupt('routing'),
  log,
  endpoints: [
    endpoint({
      method: 'get',
      path: '/quote',
      summary: 'An answer',
      output,
      auth: 'none',
      handle: async () => {
        handled += 1
        return answer
      },
    }),
    endpoint({
      method: 'get',
      path: '/stream',
      summary: 'Three events',
      output,
      auth: 'none',
      streams: true,
      handle: async () =>
        stream(async (sink) => {
          sink.send('initial', { ...answer, tracking: { quoteId: 'one' } })
          sink.send('quote', answer)
          sink.done('done', answer)
        }),
    }),
  ],
}).listen()
const ops = await createService({
  name: 'ops',
  endpoints: edge.endpoints,
  checkOutput: true,
  log,
}).listen()
s.before.each(async () => {
  await post('/clear', {})
})
s.after(async () => {
  await service.close()
  await ops.close()
})

async function post(path: string, body: object) {
  const response = await fetch(`${ops.url}/lab/faults${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const list = async () =>
  (await (await fetch(`${ops.url}/lab/faults`)).json()) as {
    faults: { name: string; sentence: string; settings: { properties?: object } }[]
    armed: { name: string; left: number }[]
  }

/** What a caller sees: status, headers and text, the text as far as it came; or that nothing came. */
async function see(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, { headers }).catch(() => undefined)
  if (!response) return { status: 0, text: '', retryAfter: null, isCut: true }
  let text = ''
  let isCut = false
  try {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      // Two comments: the stream is held open.
      if (text.endsWith(':\n:\n')) break
    }
  } catch {
    isCut = true
  }
  return { status: response.status, text, retryAfter: response.headers.get('retry-after'), isCut }
}
type Seen = Awaited<ReturnType<typeof see>>
const whole = JSON.stringify(answer)
const namesOf = ({ text }: Seen) => [...text.matchAll(/^event: (\w+)/gm)].map(([, name]) => name)
const refused = (status: number, code: string) => (seen: Seen) =>
  seen.status === status && JSON.parse(seen.text).code === code
const settings = { ms: 20, bytes: 5, events: 1, retryAfterSecs: 7 }

/** How each row looks from outside. */
const looks: Readonly<Record<string, (seen: Seen) => boolean>> = {
  invalid_request: refused(400, 'invalid_request'),
  unauthorized: refused(401, 'unauthorized'),
  payment_required: refused(402, 'payment_required'),
  forbidden: refused(403, 'forbidden'),
  no_route: refused(404, 'no_route'),
  conflict: refused(409, 'conflict'),
  body_too_large: refused(413, 'body_too_large'),
  unsupported_media_type: refused(415, 'unsupported_media_type'),
  rate_limited: (seen) => refused(429, 'rate_limited')(seen) && seen.retryAfter === '7',
  internal_error: refused(500, 'internal_error'),
  chain_unreachable: refused(502, 'chain_unreachable'),
  no_quotes: refused(502, 'no_quotes'),
  unavailable: (seen) => refused(503, 'unavailable')(seen) && seen.retryAfter === '7',
  proxy_page: ({ status, text }) => status === 502 && text.startsWith('<html>'),
  stall: ({ status }) => status === 0,
  reset: ({ status }) => status === 0,
  cut: ({ status, text, isCut }) => status === 200 && isCut && text === whole.slice(0, 5),
  bad_json: ({ status, text }) => status === 200 && text === whole.slice(0, whole.length / 2),
  stream_cut: (seen) => seen.isCut && namesOf(seen).join() === 'initial',
  stream_silent: (seen) => seen.text.endsWith(':\n:\n') && namesOf(seen).length === 0,
  stream_duplicate: (seen) => namesOf(seen).join() === 'initial,initial,quote,quote,done,done',
  stream_late: (seen) => namesOf(seen).join() === 'initial,quote,done,quote',
  stream_over: ({ status }) => status === 204,
  stream_refresh_storm: (seen) =>
    namesOf(seen).join() === 'initial,refresh,quote,done' &&
    seen.text.includes('data: {"cycle":1,"elapsedMs":0,"tracking":{"quoteId":"one"}}'),
  relay_insufficient_token_balance: refused(400, 'insufficient_token_balance'),
  relay_no_native_balance: refused(400, 'no_native_balance'),
  relay_simulation_reverted: refused(400, 'simulation_reverted'),
  relay_gas_cap_exceeded: refused(400, 'gas_cap_exceeded'),
  relay_fee_ceiling_exceeded: refused(503, 'fee_ceiling_exceeded'),
  relay_not_funded: refused(503, 'relay_not_funded'),
  relay_deploy_cap_reached: (seen) =>
    refused(429, 'deploy_cap_reached')(seen) && seen.retryAfter === '1800',
  relay_spend_budget_exhausted: refused(429, 'spend_budget_exhausted'),
}
/** Those that need a chain or a key: `labFaults.fork.test.ts` plays them on a lab. */
const onLab = ['quota_gone', 'relay_existing', 'relay_reverts', 'relay_never_confirms']
onLab.push('relay_late', 'chain_reorg', 'chain_paused', 'chain_fee_spike')
onLab.push('quote_drift', 'pool_moved', 'token_taxed')

for (const name of Object.keys(looks))
  s(`plays ${name} for exactly as many requests as were asked for`, async () => {
    const path = name.startsWith('stream_') ? '/stream' : '/quote'
    const asIs = await see(path)
    const { status } = await post('', { name, times: 2, settings })
    assert.is(status, 200)
    for (let index = 0; index < 2; index++) {
      const seen = await see(path)
      assert.ok(looks[name]?.(seen), JSON.stringify(seen))
    }
    const { status: after, isCut } = await see(path)
    assert.equal([after, isCut, asIs.isCut], [200, false, false])
  })
s(
  'has a test for every row, and tells each with a sentence and a schema [faults/rows]',
  async () => {
    const { faults: listed } = await list()
    assert.equal(
      listed.map(({ name }) => name).toSorted(),
      [...Object.keys(looks), 'slow', ...onLab, ...ofSources, 'node_down', 'node_stale'].toSorted(),
    )
    assert.ok(listed.every(({ sentence, settings: schema }) => sentence && schema))
    const rateLimited = listed.find(({ name }) => name === 'rate_limited')
    assert.equal(Object.keys(rateLimited?.settings.properties ?? {}), ['retryAfterSecs'])
    assert.equal(
      onLab.filter((name) => !faults.some((fault) => fault.name === name)),
      [],
    )
  },
)
s('has a row for each status that a service documents as refused [faults/statuses]', async () => {
  const { faults: listed } = await list()
  const played = listed.map(({ sentence }) => sentence.slice(0, 3))
  const documented = Object.values(documents).flatMap(({ paths }) =>
    Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ responses }) => Object.keys(responses)),
    ),
  )
  const missed = documented.filter((status) => Number(status) >= 400 && !played.includes(status))
  assert.ok(documented.includes('503'))
  assert.equal(missed, [])
})
s('answers later, and as it is, where it is slow [faults/slow]', async () => {
  await post('', { name: 'slow', times: 2, settings: { ms: 60 } })
  for (const left of [1, 0]) {
    const started = performance.now()
    const { status, text } = await see('/quote')
    assert.equal([status, text], [200, whole])
    // Timers count in whole milliseconds.
    assert.ok(performance.now() - started >= 59)
    assert.is((await list()).armed.length, left)
  }
})
s('lets nothing reach the service that is refused before it [faults/uncharged]', async () => {
  await post('', { name: 'unavailable' })
  const before = handled
  await see('/quote')
  assert.is(handled, before)
})
s('means the requests of one path, service, key or client alone [faults/target]', async () => {
  for (const [target, headers] of [
    [{ path: '/stream' }, {}],
    [{ service: 'meta' }, {}],
    [{ apiKey: 'mine' }, { 'x-api-key': 'other' }],
    [{ clientId: 'mine' }, {}],
  ] as const) {
    await post('', { name: 'unavailable', ...target })
    assert.is((await see('/quote', headers)).status, 200)
  }
  assert.is((await see('/quote', { 'x-api-key': 'mine' })).status, 503)
  assert.is((await see('/quote', { 'x-client-id': 'mine' })).status, 503)
  assert.is((await list()).armed.length, 2)
})
const ofSources = failureReasons.map((reason) => `source_${reason}`)
s('plays each word of a failing source, of this source alone [faults/sources]', async () => {
  const asIs = { status: 'reference', amountOut: 1n } as const
  const source = (name: string): Source => edge.alterSource({ name, quote: async () => asIs })
  // What it is asked does not matter.
  const ask = (name: string) => source(name).quote({} as never, {} as never)
  for (const reason of failureReasons) {
    await post('', { name: `source_${reason}`, source: 'lifi', times: 2 })
    assert.equal(await ask('cow'), asIs)
    for (let index = 0; index < 2; index++)
      assert.equal(await ask('lifi'), fail(reason, 'asked for'))
    assert.equal(await ask('lifi'), asIs)
  }
})
s('plays a node that is down or behind, of this chain alone [faults/nodes]', async () => {
  const asked: unknown[] = []
  const trouble = { kind: 'network' } as const
  const send = async (calls: readonly { method: string; params?: unknown }[]) => {
    asked.push(...calls)
    return { answers: calls.map(() => ({ result: '0x64' })), trouble }
  }
  const ask = async (chainId: number) => {
    const calls = [
      { method: 'eth_blockNumber', params: [] },
      { method: 'eth_getLogs', params: [{ toBlock: 'latest' }] },
      { method: 'eth_call', params: [{}, 'pending'] },
    ]
    const { answers } = await edge.alterSend(chainId)(send)(calls, { timeoutMs: 1 })
    return answers.map((answer) => answer && 'result' in answer && answer.result)
  }
  const asIs = ['0x64', '0x64', '0x64']
  await post('', { name: 'node_down', chainId: 8453, times: 2 })
  assert.equal(await ask(42161), asIs)
  for (let index = 0; index < 2; index++)
    assert.equal(await ask(8453), [undefined, undefined, undefined])
  assert.equal(await ask(8453), asIs)
  await post('', { name: 'node_stale', chainId: 8453, settings: { blocks: 4 } })
  asked.length = 0
  assert.equal(await ask(8453), ['0x60', '0x64', '0x64'])
  assert.equal(asked.slice(2), [
    { method: 'eth_getLogs', params: [{ toBlock: '0x60' }] },
    { method: 'eth_call', params: [{}, '0x60'] },
  ])
  assert.equal(await ask(8453), asIs)
})
s('lets so many pass first [faults/after]', async () => {
  await post('', { name: 'unavailable', after: 2, times: 2 })
  const statuses: number[] = []
  for (let index = 0; index < 5; index++) statuses.push((await see('/quote')).status)
  assert.equal(statuses, [200, 200, 503, 503, 200])
})
s('shows what waits and how often, and forgets it in time [faults/ttl]', async () => {
  await post('', { name: 'unavailable', times: 3, ttlMs: 1_000, apiKey: 'secret' })
  assert.equal((await list()).armed, [{ name: 'unavailable', left: 3 }])
  nowMs += 1_000
  assert.equal((await list()).armed, [])
  assert.is((await see('/quote', { 'x-api-key': 'secret' })).status, 200)
})
s('are loaded by nothing but labs: production never gets as far [faults/production]', () => {
  const namers = (folder: string) =>
    [...readImportGraph()]
      .filter(([, named]) => named.some((path) => path.startsWith(folder)))
      .map(([file]) => file)
      .filter((file) => !file.startsWith(folder) && !/\.test\.ts$/.test(file))
  assert.equal(namers('gateway/lab/faults/').toSorted(), [
    'fixtures/docs/referencePages.ts',
    'gateway/lab/control/controlEndpoints.ts',
    'gateway/lab/control/labControl.ts',
  ])
  assert.equal(namers('gateway/lab/wallet/'), ['gateway/lab/control/labControl.ts'])
  assert.equal(namers('gateway/lab/control/').toSorted(), [
    'fixtures/client/documents.ts',
    'gateway/app.ts',
  ])
  const app = readFileSync(join(import.meta.dirname, '../../app.ts'), 'utf8')
  assert.not.match(app, /from '\.\/lab/)
  // What a live gateway's settings lack, before anything is imported.
  assert.match(app, /labToken === undefined\) return undefined\n.*await import\('\.\/lab/)
})
s('knows no other names, and no other settings than its own', async () => {
  const { status, body } = await post('', { name: 'meteor' })
  assert.equal([status, body['code']], [400, 'invalid_request'])
  assert.is((await post('', { name: 'slow', settings: { ms: 0 } })).status, 400)
  const { body: strange } = await post('', { name: 'node_down', apiKey: 'mine' })
  assert.is(strange['error'], 'node_down means nobody by apiKey')
  assert.is((await post('', { name: 'slow', source: 'lifi' })).status, 400)
})
s('forgets the faults of one name, and leaves the others [faults/clear-one]', async () => {
  for (const name of ['reset', 'no_route']) assert.is((await post('', { name })).status, 200)
  assert.is((await post('/clear?name=reset', {})).status, 200)
  assert.equal(
    (await list()).armed.map(({ name }) => name),
    ['no_route'],
  )
  assert.is((await post('/clear?name=never', {})).status, 400)
})

s.run()
