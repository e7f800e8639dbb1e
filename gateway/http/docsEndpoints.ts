import { Type } from 'typebox'
import { type Endpoint, endpoint } from './endpoint.ts'
import { type Guide, readGuides, toGuide } from './guides/readGuides.ts'
import { renderGuide } from './guides/renderGuide.ts'
import { searchGuides } from './guides/searchGuides.ts'
import { httpError } from './httpError.ts'
import { createOpenApi } from './openApi.ts'
import { renderDocs, renderFound } from './renderDocs.ts'
import { renderEndpoints, renderLlms, renderLlmsFull } from './renderLlms.ts'
import { reply } from './reply.ts'
import { named } from './schemas.ts'
import type { ServiceOptions } from './serviceOptions.ts'

/** Of every service of this process. */
let guides: readonly Guide[] | undefined
function readAll() {
  guides ??= readGuides()
  return guides
}

const markdown = (body: string) =>
  reply({ body, headers: { 'content-type': 'text/markdown; charset=utf-8' } })
const html = (body: string) =>
  reply({
    body,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'",
    },
  })

/** `GET /openapi.json`, `GET /docs` and what models read, which describe themselves too. */
export function docsEndpoints(options: ServiceOptions): readonly Endpoint[] {
  const { name, title = name, description = '', version = '0.0.0' } = options
  const { requestIdField = 'request_id' } = options
  const endpoints: Endpoint[] = [...options.endpoints]
  let document: Record<string, unknown> | undefined
  const read = () => {
    document ??= createOpenApi({ title, description, version, endpoints, requestIdField })
    return document
  }
  endpoints.push(
    endpoint({
      method: 'get',
      path: '/openapi.json',
      summary: 'This document',
      output: named('OpenApi', Type.Object({ openapi: Type.String() })),
      auth: 'none',
      handle: async () => reply({ body: read() }),
    }),
    endpoint({
      method: 'get',
      path: '/docs',
      summary: 'This document as a page, and the guides; with `q` what they say of some words',
      query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }),
      output: Type.String(),
      auth: 'none',
      handle: async ({ query: { q = '' } }) => {
        const page = { title, description, version, endpoints }
        if (q.trim() === '') return html(renderDocs(page, readAll()))
        const own = toGuide('', renderEndpoints(page))
        return html(renderFound(q, searchGuides([own, ...readAll()], q)))
      },
    }),
    ...['/docs/:page', '/docs/reference/:page'].map((path) =>
      endpoint({
        method: 'get',
        path,
        summary: 'A guide as a page; with .md as Markdown',
        params: Type.Object({ page: Type.String({ maxLength: 100 }) }),
        output: Type.String(),
        auth: 'none',
        errors: { 404: 'There is no such guide' },
        handle: async ({ params }) => {
          const name = path.slice('/docs/'.length).replace(':page', params.page)
          const guide = readAll().find((each) => each.name === name.replace(/\.md$/, ''))
          if (!guide) throw httpError('notFound', 'there is no such guide')
          if (name.endsWith('.md')) return markdown(guide.markdown)
          return html(renderGuide(guide, new Set(readAll().map((each) => each.name))))
        },
      }),
    ),
    ...(
      [
        ['/llms.txt', 'What a model may know of this service, as links', renderLlms],
        [
          '/llms-full.txt',
          'All endpoints with their fields, and the guides, as Markdown',
          renderLlmsFull,
        ],
      ] as const
    ).map(([path, summary, render]) =>
      endpoint({
        method: 'get',
        path,
        summary,
        output: Type.String(),
        auth: 'none',
        handle: async () => markdown(render({ title, description, version, endpoints }, readAll())),
      }),
    ),
  )
  return endpoints.slice(options.endpoints.length)
}
