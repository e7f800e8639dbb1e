import { validate } from '@readme/openapi-parser'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { readGuides } from './guides/readGuides.ts'
import { createOpenApi } from './openApi.ts'
import * as schemas from './schemas.ts'
import { createService } from './service.ts'

const s = suite('http/openApi')
const log = { debug() {}, info() {}, warn() {}, error() {} }
const service = createService({
  name: 'routing',
  title: 'Routing <service>',
  version: '1.2.3',
  endpoints: [
    endpoint({
      method: 'post',
      path: '/quote/:chain_id',
      summary: 'Best route',
      params: Type.Object({ chain_id: schemas.chainId([8453]) }),
      query: Type.Object({ verify: Type.Optional(Type.Boolean()) }),
      input: Type.Object({ token: schemas.address(), slippage_bps: schemas.slippageBps() }),
      output: Type.Object({ ok: Type.Boolean() }),
      auth: 'none',
      errors: { 404: 'No route' },
      handle: async () => ({ ok: true }),
    }),
  ],
  log,
})
const server = await service.listen()
const charged = createOpenApi({
  title: 't',
  description: 'd',
  version: '1',
  requestIdField: 'request_id',
  endpoints: (['get', 'post'] as const).map((method) =>
    endpoint({
      method,
      path: '/charged',
      summary: 'Costs a quote',
      auth: 'key',
      cost: 1,
      ...(method === 'post' && { input: Type.Object({}), pending: 'Not yet' }),
      output: Type.Object({ ok: Type.Boolean() }),
      handle: async () => ({ ok: true }),
    }),
  ),
}) as Document
s.after(() => server.close())

type Document = {
  openapi: string
  paths: Record<
    string,
    Record<
      string,
      {
        requestBody?: { content: Record<string, { schema: { required: string[] } }> }
        responses: Record<string, unknown>
      }
    >
  >
}

s('serves a valid OpenAPI 3.1 document of the table [http/openapi]', async () => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
  assert.is(document.openapi, '3.1.0')
  assert.equal(Object.keys(document.paths), [
    '/quote/{chain_id}',
    '/openapi.json',
    '/docs',
    '/docs/{page}',
    '/docs/reference/{page}',
    '/llms.txt',
    '/llms-full.txt',
  ])
  const post = document.paths['/quote/{chain_id}']?.['post']
  assert.equal(post?.requestBody?.content['application/json']?.schema.required, ['token'])
  assert.ok(post?.responses['404'])
  const result = await validate(structuredClone(document) as never)
  assert.ok(result.valid, JSON.stringify(result))
})
s('documents what every charged request and every body may be answered', () => {
  const statuses = (method: string) =>
    Object.keys(charged.paths['/charged']?.[method]?.responses ?? {}).join(' ')
  assert.is(statuses('get'), '200 401 402 409 429 503')
  assert.is(statuses('post'), '200 202 400 401 402 409 413 415 429 503')
})
s('serves a page that loads nothing from elsewhere [http/docs]', async () => {
  const page = await (await fetch(`${server.url}/docs`)).text()
  assert.match(page, 'Routing &lt;service&gt;')
  assert.match(page, 'slippage_bps')
  assert.not.match(page, /(src|href)="https?:/)
})
s('asks for a key, and describes, where an endpoint does [teeth/openapi]', () => {
  const describe = (own: { readonly auth: 'key' | 'none'; readonly description?: string }) =>
    createOpenApi({
      title: 't',
      description: 'd',
      version: '1',
      requestIdField: 'request_id',
      endpoints: [
        endpoint({
          method: 'get',
          path: '/a',
          summary: 'Reads',
          output: Type.Object({}),
          handle: async () => ({}),
          ...own,
        }),
      ],
    }) as {
      readonly components: object
      readonly paths: { readonly '/a': { readonly get: Record<string, unknown> } }
    }
  const [keyed, open] = [describe({ auth: 'key', description: 'why' }), describe({ auth: 'none' })]
  assert.equal(
    [keyed, open].map(({ components }) => Object.keys(components)),
    [['schemas', 'securitySchemes'], ['schemas']],
  )
  const { get } = keyed.paths['/a']
  assert.equal([get['description'], get['security']], ['why', [{ apiKey: [] }]])
  const plain = open.paths['/a'].get
  assert.equal(['description' in plain, 'security' in plain], [false, false])
})
s('says of an endpoint what it takes, answers and refuses [teeth/openapi]', () => {
  const [id, deep] = [{ type: 'integer' }, { type: 'boolean', default: false }] as const
  const body = { type: 'object', properties: {}, required: [] } as const
  const { paths, components } = createOpenApi({
    title: 't',
    description: 'd',
    version: '1',
    requestIdField: 'requestId',
    endpoints: [
      endpoint({
        method: 'post',
        path: '/a/:id',
        summary: 'Does',
        auth: 'none',
        params: Type.Object({ id: Type.Unsafe<number>(id) }),
        query: Type.Object({
          deep: Type.Optional(Type.Unsafe<boolean>(deep)),
          wide: Type.Unsafe<boolean>(deep),
        }),
        input: Type.Unsafe<object>(body),
        output: schemas.named('Done', Type.Unsafe<object>({ ...body })),
        streams: true,
        events: { done: Type.Unsafe<object>(body) },
        errors: { 404: 'Not there' },
        examples: { query: { deep: false }, input: { title: 'no name' }, output: { is: 'done' } },
        handle: async () => ({}),
      }),
    ],
  }) as Document & { readonly components: { readonly schemas: Record<string, unknown> } }
  const { responses, ...operation } = paths['/a/{id}']?.['post'] ?? {}
  assert.equal(operation, {
    operationId: 'post_a_id',
    summary: 'Does',
    'x-events': { done: body },
    parameters: [
      { name: 'id', in: 'path', required: true, schema: id },
      { name: 'deep', in: 'query', required: false, schema: deep, example: false },
      { name: 'wide', in: 'query', required: true, schema: deep },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: body, example: { title: 'no name' } } },
    },
  })
  const { 200: done, 404: none, ...others } = responses ?? {}
  assert.equal(components.schemas['Done'], body)
  const schema = { ['$ref']: '#/components/schemas/Done' }
  const content = { 'text/event-stream': { schema, example: { is: 'done' } } }
  assert.equal(done, { description: 'OK', content })
  const error = { schema: { ['$ref']: '#/components/schemas/Error' } }
  assert.equal(none, { description: 'Not there', content: { 'application/json': error } })
  assert.equal(Object.keys(others), ['400', '413', '415', '429'])
  const { required, properties } = components.schemas['Error'] as {
    readonly required: readonly string[]
    readonly properties: Record<string, { readonly items?: object }>
  }
  assert.equal(required, ['error', 'code', 'requestId'])
  assert.equal(Object.keys(properties), [...required, 'details', 'retryAfterSec'])
  assert.equal(properties['details']?.items, {
    type: 'object',
    required: ['field', 'reason'],
    properties: { field: { type: 'string' }, reason: { type: 'string' } },
  })
})
s('lists a schema of two endpoints once, and refuses two of one name', () => {
  const describe = (outputs: readonly Record<string, ReturnType<typeof Type.String>>[]) =>
    createOpenApi({
      title: 't',
      description: 'd',
      version: '1',
      requestIdField: 'request_id',
      endpoints: outputs.map((fields, at) =>
        endpoint({
          method: 'get',
          path: `/${at}`,
          summary: 'Reads',
          auth: 'none',
          output: Type.Object(fields, { title: 'Same' }),
          handle: async () => ({}),
        }),
      ),
    }) as { readonly components: { readonly schemas: Record<string, unknown> } }
  const { schemas } = describe([{ a: Type.String() }, { a: Type.String() }]).components
  assert.equal(schemas['Same'], {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' } },
  })
  assert.throws(
    () => describe([{ a: Type.String() }, { b: Type.String() }]),
    /two schemas are called Same/,
  )
})

s('serves the guides as pages and as Markdown, and finds words in them [docs/served]', async () => {
  const ask = async (path: string) => {
    const response = await fetch(`${server.url}${path}`)
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    }
  }
  const list = (await ask('/docs')).text
  const guides = [...list.matchAll(/href="(\/docs\/[^"]*)"/g)].map(([, path = '']) => path)
  assert.is(guides[0], '/docs/start')
  assert.ok(guides.includes('/docs/reference/faults'))
  for (const path of guides) {
    const [page, source] = await Promise.all([ask(path), ask(`${path}.md`)])
    assert.equal([page.status, page.type], [200, 'text/html; charset=utf-8'], path)
    assert.equal([source.status, source.type], [200, 'text/markdown; charset=utf-8'], path)
    assert.match(source.text, /^# /)
    const inner = [...page.text.matchAll(/href="(\/docs[^"#]*)/g)].map(([, to = '']) => to)
    assert.equal(
      inner.filter((to) => !['/docs', ...guides].includes(to.replace(/\.md$/, ''))),
      [],
      path,
    )
    assert.not.match(page.text, /<script|<[^>]*\s(?:src|on\w+)=/)
  }
  const found = (await ask('/docs?q=slippage_bps')).text
  assert.match(found, 'href="/docs#post-quotechain_id"')
  assert.match((await ask('/docs')).text, 'id="post-quotechain_id"')
  assert.match((await ask('/docs?q=LAB_ORIGINS')).text, 'href="/docs/lab#pages-and-wallets"')
  assert.match(
    (await ask('/docs?q=%3Cb%3Enowhere')).text,
    /value="&lt;b&gt;nowhere"[\s\S]*Nothing has/,
  )
  assert.is((await ask('/docs/none')).status, 404)
  assert.is((await ask('/docs/..%2f..%2fpackage.json')).status, 404)
})
s('tells models what there is, and all of it in one file [http/llms]', async () => {
  const read = async (path: string) => (await fetch(`${server.url}${path}`)).text()
  const short = await read('/llms.txt')
  assert.match(short, /^# Routing <service> 1\.2\.3\n\n> /)
  assert.match(short, '- `POST /quote/:chain_id`: Best route')
  assert.match(short, '(/docs/start.md)')
  for (const [, path] of short.matchAll(/\]\((\/[^)]*)\)/g))
    assert.is((await fetch(`${server.url}${path}`)).status, 200)
  const whole = await read('/llms-full.txt')
  assert.match(whole, '## POST /quote/:chain_id')
  assert.match(whole, /- `slippage_bps` \(.*default 50, optional\)/)
  assert.match(whole, '- 404: No route')
  const { markdown } = readGuides().find(({ name }) => name === 'start') ?? {}
  assert.ok(markdown && whole.includes(markdown))
  for (const { title } of readGuides()) assert.match(whole, `\n# ${title}\n`)
})
s('equals the router: every documented path answers, with its methods', async () => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
  for (const [path, methods] of Object.entries(document.paths)) {
    const url = server.url + path.replaceAll(/\{\w+\}/g, 'x')
    const allow = (await fetch(url, { method: 'OPTIONS' })).headers.get('allow') ?? ''
    for (const method of Object.keys(methods)) assert.match(allow, method.toUpperCase())
  }
})
s.run()
