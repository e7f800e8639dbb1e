import { Type } from 'typebox'
import { type Endpoint, endpoint } from './endpoint.ts'
import { createOpenApi } from './openApi.ts'
import { renderDocs } from './renderDocs.ts'
import { renderLlms, renderLlmsFull } from './renderLlms.ts'
import { reply } from './reply.ts'
import { named } from './schemas.ts'
import type { ServiceOptions } from './serviceOptions.ts'

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
      summary: 'This document as a page',
      output: Type.String(),
      auth: 'none',
      handle: async () =>
        reply({
          body: renderDocs({ title, description, version, endpoints }),
          headers: {
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
          },
        }),
    }),
    ...(
      [
        ['/llms.txt', 'What a model may know of this service, as links', renderLlms],
        ['/llms-full.txt', 'All endpoints with their fields, as Markdown', renderLlmsFull],
      ] as const
    ).map(([path, summary, render]) =>
      endpoint({
        method: 'get',
        path,
        summary,
        output: Type.String(),
        auth: 'none',
        handle: async () =>
          reply({
            body: render({ title, description, version, endpoints }),
            headers: { 'content-type': 'text/markdown; charset=utf-8' },
          }),
      }),
    ),
  )
  return endpoints.slice(options.endpoints.length)
}
