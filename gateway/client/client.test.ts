import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { documents } from '../../fixtures/client/documents.ts'
import { assert, suite } from '../../fixtures/test.ts'
import {
  createClient,
  createLab,
  createOps,
  errorCodes,
  ForkyardError,
  readManifest,
} from './index.ts'

const s = suite('forkyard/client')
const root = join(import.meta.dirname, '../..')
const base = { routing: 'http://routing', meta: 'http://meta', relay: 'http://relay' }

/** A client whose requests are answered here. */
function answerWith(answer: (url: string, init: RequestInit) => Response | Promise<Response>) {
  const ask: typeof fetch = async (input, init = {}) => answer(String(input), init)
  return createClient({ services: base, apiKey: 'k', clientId: 'page', fetch: ask })
}
const json = (body: object, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
async function refusalOf(work: Promise<unknown>): Promise<ForkyardError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ForkyardError) return error
  throw new Error(`no ForkyardError: ${error}`)
}

s(
  'calls every operation of the four documents, each by one method [client/operations]',
  async () => {
    const asked: string[] = []
    const ask: typeof fetch = async (input, { method = 'GET' } = {}) => {
      asked.push(`${method} ${String(input).replace(/\?.*/, '')}`)
      // A stream that is over at once.
      return String(input).endsWith('/stream')
        ? new Response(null, { status: 204 })
        : json({ chains: [] })
    }
    const client = createClient({ services: base, fetch: ask })
    const services = { ops: 'http://ops' }
    // The operation of clearFaults, with a name.
    const { clearFault: _, ...lab } = createLab({ services, adminToken: 't', fetch: ask })
    const ops = { ...createOps({ url: 'http://ops', fetch: ask }), ...lab }
    const { routing, access, meta, relay } = client
    const params = { chain_id: 1, address: '0x1', hash: '0x2' }
    for (const method of [routing, access, meta, relay, ops].flatMap((each) =>
      Object.values(each),
    )) {
      // What is asked matters here, not with what.
      const called: unknown = (method as (given: object) => unknown)(params)
      if (called instanceof Promise) await called
      else await (called as AsyncGenerator).next()
    }
    const wanted = Object.entries(documents).flatMap(([service, { paths }]) =>
      Object.entries(paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => {
          const filled = Object.entries(params).reduce(
            (text, [name, value]) => text.replace(`{${name}}`, String(value)),
            path,
          )
          return `${method.toUpperCase()} http://${service}${filled}`
        }),
      ),
    )
    assert.equal(asked.toSorted(), wanted.toSorted())
  },
)

s('knows every code that a service answers [client/codes]', () => {
  const files = globSync('gateway/{http,access,routing,meta,relay,lab/control}/**/*.ts', {
    cwd: root,
    exclude: (path) => /\.(?:test|proof)\.ts$/.test(path),
  })
  const thrown =
    /(?:new HttpError|refuse)\(\s*[\d_]+,\s*'([a-z_]+)'|^ {2}\w+: \[\d{3}, '([a-z_]+)'|httpStatus: \d+,\s+code: '([a-z_]+)'/gm
  const codes = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(thrown)].map(
      ([, made, row, field]) => made ?? row ?? field ?? '',
    ),
  )
  assert.equal([...new Set(codes)].toSorted(), [...errorCodes])
})

s('throws what was refused: code, request id, when to come back [client/errors]', async () => {
  const headers = { 'x-request-id': 'r1', 'retry-after': '7', 'payment-required': 'e30=' }
  const details = [{ field: 'token_in', reason: 'is required' }]
  const body = { error: 'the quota is used up', code: 'payment_required', details }
  const client = answerWith(() => json(body, { status: 402, headers }))
  const error = await refusalOf(client.access.keyInfo())
  const { status, code, message, requestId, retryAfterSecs, paymentRequired } = error
  assert.equal(
    { status, code, message, requestId, retryAfterSecs, paymentRequired, details: error.details },
    {
      status: 402,
      code: 'payment_required',
      message: 'the quota is used up',
      requestId: 'r1',
      retryAfterSecs: 7,
      paymentRequired: 'e30=',
      details,
    },
  )
  assert.equal(error.body, body)
})
s('says of what is no answer that it is none [client/unreadable]', async () => {
  const page = answerWith(() => new Response('<html>Bad Gateway</html>', { status: 502 }))
  const proxied = await refusalOf(page.routing.health())
  assert.equal([proxied.status, proxied.code], [502, 'unreadable_answer'])
  const half = answerWith(
    () => new Response('{"status":', { headers: { 'content-type': 'application/json' } }),
  )
  assert.is((await refusalOf(half.routing.health())).code, 'unreadable_answer')
  const nobody = answerWith(() => Promise.reject(new TypeError('fetch failed')))
  assert.is((await refusalOf(nobody.relay.intents())).code, 'unreachable')
})
s('gives up in time, and when it is told to [client/abort]', async () => {
  const never: typeof fetch = (_, init) =>
    new Promise((_, reject) => {
      const leave = () => reject(init?.signal?.reason)
      if (init?.signal?.aborted) leave()
      init?.signal?.addEventListener('abort', leave)
    })
  const client = createClient({ services: base, fetch: never, timeoutMs: 20 })
  assert.is((await refusalOf(client.meta.sources())).code, 'timeout')
  const reason = new Error('the page is left')
  const left = await client.routing
    .chains({ signal: AbortSignal.abort(reason) })
    .catch((error) => error)
  assert.is(left, reason)
})
s('sends key, name, query and body as the services read them [client/request]', async () => {
  const sent: { url: string; init: RequestInit }[] = []
  const client = answerWith((url, init) => {
    sent.push({ url, init })
    return json({})
  })
  const token = '0x4200000000000000000000000000000000000006'
  await client.routing.quoteExactOutput({
    chain_id: 8453,
    token_in: token,
    token_out: token,
    target_output: '1',
    max_input: '2',
    verify: undefined,
  })
  await client.relay.requestProxy({ chainId: 8453, owner: token, tokenIn: token, amountIn: '3' })
  const [first, second] = sent
  assert.is(
    first?.url,
    `http://routing/quote_exact_output?chain_id=8453&token_in=${token}&token_out=${token}&target_output=1&max_input=2`,
  )
  const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'x-client-id': 'page' }
  assert.equal(first?.init.headers, headers)
  assert.is(second?.init.method, 'POST')
  assert.is(JSON.parse(String(second?.init.body)).amountIn, '3')
})
s('reads no manifest where there is no lab', async () => {
  assert.is((await refusalOf(readManifest('http://127.0.0.1:9'))).code, 'unreachable')
})

s('weighs less than 15 kB gzipped, and wants nothing but viem [client/size]', async () => {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      lib: { entry: 'gateway/client/index.ts', formats: ['es'], fileName: 'client' },
      rolldownOptions: { external: /^(?:viem|node:)/ },
    },
  })
  const [{ output } = { output: [] }] = [built].flat() as { output: { code: string }[] }[]
  const [{ code } = { code: '' }, ...others] = output
  assert.is(others.length, 0)
  const imports = [...code.matchAll(/from\s*["']([^"']+)["']/g)].map(([, name]) => name)
  assert.equal([...new Set(imports)].toSorted(), ['viem', 'viem/actions', 'viem/siwe'])
  const bytes = gzipSync(code).length
  assert.ok(bytes > 1_000 && bytes < 15_000, `${bytes} bytes`)
})
s.run()
