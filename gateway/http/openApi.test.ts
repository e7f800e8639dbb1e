import { validate } from '@readme/openapi-parser'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
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

s('serves a valid OpenAPI 3.1 document of the table', async () => {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
  assert.is(document.openapi, '3.1.0')
  assert.equal(Object.keys(document.paths), ['/quote/{chain_id}', '/openapi.json', '/docs'])
  const post = document.paths['/quote/{chain_id}']?.['post']
  assert.equal(post?.requestBody?.content['application/json']?.schema.required, ['token'])
  assert.ok(post?.responses['404'])
  const result = await validate(structuredClone(document) as never)
  assert.ok(result.valid, JSON.stringify(result))
})
s('serves a page that loads nothing from elsewhere', async () => {
  const page = await (await fetch(`${server.url}/docs`)).text()
  assert.match(page, 'Routing &lt;service&gt;')
  assert.match(page, 'slippage_bps')
  assert.not.match(page, /(src|href)="https?:/)
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
