import { tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createGateway } from '../app.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { readConfig } from '../config/config.ts'
import { endpoint } from '../http/endpoint.ts'
import { createService } from '../http/service.ts'
import { createLabKeys } from '../lab/keys.ts'
import { searchSettled } from '../routing/settleFound.ts'
import { createQuotedStand, tokenIn, tokenOut } from '../routing/testing/quotedStand.ts'
import { createMetrics } from './metrics.ts'
import { startTraces } from './traces.ts'

/** Spans of a whole gateway, as a collector gets them. */
const s = suite('observe/traces')
type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }
type Span = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly Attribute[]
}
type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }

const received: string[] = []
const collector = createServer(async (request, response) => {
  received.push(await text(request))
  response.setHeader('content-type', 'application/json').end('{}')
})
await once(collector.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
const spans = () =>
  received.flatMap((body) =>
    (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  )

const world = await startWorldChain({ chainId: 8453 })
const dir = mkdtempSync(join(tmpdir(), 'forkyard-traces-'))
const pepper = 'canary-pepper-of-more-than-thirty-two-characters'
const databasePath = join(dir, 'keys.sqlite')
const { apiKey } = await createLabKeys({ databasePath, databaseUrl: undefined, pepper })
s.after(async () => {
  await world.close()
  collector.close()
  rmSync(dir, { recursive: true })
})
const log = { debug() {}, info() {}, warn() {}, error() {} }
const ports = { ROUTING_PORT: '0', META_PORT: '0', RELAY_PORT: '0', OPS_PORT: '0' }
const env = {
  ...ports,
  KEY_PEPPER: pepper,
  FORKYARD_MODE: 'offline',
  BASE_RPC_URL: world.rpcUrl,
  BASE_EXECUTOR: world.manifest.executor,
  DATABASE_PATH: databasePath,
  TRACES_URL: url,
}
const [weth, usdc] = ['WETH', 'USDC'].map((name) => world.manifest.tokens[name]?.address ?? '')
const taker = '0x000000000000000000000000000000000000dEaD'

s('follows a request through each stage, and tells no secret [24/traces]', async () => {
  const traces = await startTraces({ url, percent: 100, serviceName: 'test', version: '1' })
  const gateway = await createGateway(readConfig(env), { log, metrics: createMetrics() })
  const ask = (service: string, path: string, body: object) =>
    fetch(`${gateway.listeners[service]}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': apiKey,
        'x-request-id': `of ${service}`.replace(' ', '-'),
        // A stranger's trace is not taken up.
        traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
      },
      body: JSON.stringify(body),
    })
  const amount = '100000000000000000'
  const quoted = await ask('routing', '/quote', {
    chain_id: 8453,
    token_in: weth,
    token_out: usdc,
    amount_in: amount,
    taker,
    verify: true,
  })
  assert.is(quoted.status, 200, await quoted.text())
  const compared = await ask('meta', '/quote', {
    chainId: 8453,
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: amount,
    taker,
  })
  assert.is(compared.status, 200, await compared.text())
  await gateway.close()
  await traces.close()

  const all = spans()
  const routed = rootOf(all, 'of-routing')
  const names = (root: Span) =>
    new Set(all.filter(({ traceId }) => traceId === root.traceId).map(({ name }) => name))
  assert.is(routed.name, 'POST /quote')
  for (const name of ['search', 'dry run', 'store keys.findBySecretHash', 'store ledger.charge'])
    assert.ok(names(routed).has(name), `${name} of ${[...names(routed)].join(', ')}`)
  const meta = names(rootOf(all, 'of-meta'))
  for (const name of ['source routing', 'rpc', 'search'])
    assert.ok(meta.has(name), `${name} of ${[...meta].join(', ')}`)
  // Each hangs below another of its trace, and none is of a stranger's.
  const ids = new Set(all.map(({ spanId }) => spanId))
  for (const { name, parentSpanId = '', traceId } of all) {
    assert.ok(parentSpanId === '' || ids.has(parentSpanId), name)
    assert.is.not(traceId, '11111111111111111111111111111111')
  }
  for (const secret of [apiKey, pepper, world.rpcUrl, databasePath, taker.slice(2)])
    assert.not.ok(received.join().toLowerCase().includes(secret.toLowerCase()), 'a secret was sent')
})

/** The request's own span, by the id that its caller gave. */
function rootOf(all: readonly Span[], requestId: string): Span {
  const root = all.find(({ attributes }) =>
    attributes.some(({ key, value }) => key === 'requestId' && value['stringValue'] === requestId),
  )
  if (!root) throw new Error(`no span of ${requestId} among ${all.map(({ name }) => name).join()}`)
  assert.is(root.parentSpanId ?? '', '')
  return root
}

s(
  'tells a refusal without its text, where a route is settled, and nothing of the rest [24/traces-refusal]',
  async () => {
    const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
    const { chain, state } = createQuotedStand(generated, { missingBps: 0n })
    const asked = { chain, state, market: state.market, tokenIn, tokenOut, amountIn: 10n ** 18n }
    const route = endpoint({
      method: 'post',
      path: '/settled',
      summary: 'searches, settles and fails',
      auth: 'none',
      output: Type.Object({}),
      handle: async () => {
        await searchSettled({ now: () => performance.now() }, { ...asked, mode: 'deep' })
        throw new RangeError('the text of an error')
      },
    })
    const service = createService({ name: 'settling', endpoints: [route], log })
    const listening = await service.listen()
    const call = () => fetch(`${listening.url}/settled`, { method: 'POST' })
    await (await call()).text()
    received.length = 0
    const traces = await startTraces({ url, percent: 100, serviceName: 'test', version: '1' })
    await (await call()).text()
    await traces.close()
    await (await call()).text()
    await listening.close()
    const named = spans().map(({ name }) => name)
    assert.equal(named, ['search', 'settle', 'POST /settled'])
    assert.is(spans().at(-1)?.status.code, 2)
    assert.not.match(received.join(), 'the text of an error')
  },
)

s('ends although its collector does not answer [24/traces-collector]', async () => {
  let asked = 0
  const hung = createServer(() => {
    asked += 1
  })
  await once(hung.listen(0, '127.0.0.1'), 'listening')
  const { port } = hung.address() as AddressInfo
  const traces = await startTraces({
    url: `http://127.0.0.1:${port}/v1/traces`,
    percent: 100,
    serviceName: 'test',
    version: '1',
  })
  const requests = tracingChannel('forkyard.http')
  await requests.tracePromise(async () => undefined, { attributes: { name: 'one' } })
  await traces.close()
  assert.is(asked, 1)
  hung.closeAllConnections()
  hung.close()
})
s.run()
