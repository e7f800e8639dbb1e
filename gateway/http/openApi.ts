import type { TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import type { RequestIdField } from './handleErrors.ts'

export type OpenApiOptions = {
  readonly title: string
  readonly description: string
  readonly version: string
  readonly endpoints: readonly Endpoint[]
  readonly requestIdField: RequestIdField
}

/** The OpenAPI 3.1 document of a service, from the same table that routes its requests. */
export function createOpenApi(options: OpenApiOptions): Record<string, unknown> {
  const { title, description, version, endpoints, requestIdField } = options
  const paths: Record<string, Record<string, unknown>> = {}
  const { schemas, refer } = createReferences()
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: refer(createOperation(endpoint)) }
  }
  return {
    openapi: '3.1.0',
    info: { title, description, version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { ...schemas, Error: createErrorSchema(requestIdField) },
      ...(endpoints.some(({ auth }) => auth === 'key') && {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      }),
    },
  }
}

const referTo = (name: string) => ({ ['$ref']: `#/components/schemas/${name}` })

/** Lists each named schema once, and puts references in its places. */
function createReferences() {
  const schemas: Record<string, unknown> = {}
  function refer(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((each) => refer(each))
    if (typeof value !== 'object' || value === null || /^(?:example|default)s?$/.test(key))
      return value
    const { title, ...rest } = value as Record<string, unknown>
    const isNamed = typeof title === 'string'
    const written = Object.fromEntries(
      Object.entries(isNamed ? rest : value).map(([name, each]) => [name, refer(each, name)]),
    )
    if (!isNamed) return written
    const known = schemas[title]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`two schemas are called ${title}`)
    schemas[title] = written
    return referTo(title)
  }
  return { schemas, refer }
}

function createErrorSchema(requestIdField: RequestIdField): Record<string, unknown> {
  const detail = {
    type: 'object',
    required: ['field', 'reason'],
    properties: { field: { type: 'string' }, reason: { type: 'string' } },
  }
  return {
    type: 'object',
    required: ['error', 'code', requestIdField],
    properties: {
      error: { type: 'string', description: 'One sentence for a person' },
      code: { type: 'string', description: 'snake_case, for programs' },
      [requestIdField]: { type: 'string' },
      details: { type: 'array', items: detail },
      retryAfterSec: { type: 'integer', description: 'With 429: as the Retry-After header' },
    },
  }
}

function createOperation(endpoint: Endpoint): Record<string, unknown> {
  const { method, path, summary, description, input, auth, streams, events, pending, examples } =
    endpoint
  const words = path.split(/\W+/).filter((word) => word !== '')
  const type = streams ? 'text/event-stream' : 'application/json'
  return {
    operationId: [method, ...words].join('_'),
    summary,
    ...(description && { description }),
    ...(auth === 'key' && { security: [{ apiKey: [] }] }),
    // OpenAPI 3.1 has no words for the names of events.
    ...(events && { 'x-events': events }),
    parameters: [
      ...createParameters(endpoint.params, 'path'),
      ...createParameters(endpoint.query, 'query', examples?.query),
    ],
    ...(input && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: input, ...withExample(examples?.input) } },
      },
    }),
    responses: {
      200: {
        description: 'OK',
        content: { [type]: { schema: endpoint.output, ...withExample(examples?.output) } },
      },
      ...(pending && {
        202: {
          description: `${pending}; Retry-After says when to ask again`,
          content: { [type]: { schema: endpoint.output } },
        },
      }),
      ...createErrors(endpoint),
    },
  }
}

const withExample = (example: unknown) => (example === undefined ? {} : { example })

function createParameters(
  schema: TSchema | undefined,
  place: 'path' | 'query',
  examples: Readonly<Record<string, unknown>> = {},
): Record<string, unknown>[] {
  if (!schema) return []
  const { properties, required } = schema as unknown as {
    properties: Record<string, unknown>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: property,
    ...withExample(examples[name]),
  }))
}

function createErrors(endpoint: Endpoint): Record<string, unknown> {
  const { auth, isCharged, input, query, params, errors } = endpoint
  const meanings: Record<number, string> = {
    ...((input || query || params) && { 400: 'The request is not valid' }),
    ...(auth === 'key' && { 401: 'Missing or invalid API key' }),
    ...(isCharged && {
      402: 'Quota exhausted; the PAYMENT-REQUIRED header (x402) says how to buy more. It offers `exact` only while a payment of this caller would be settled, else `prepaid-claim`: pay on chain, then claim. Without the header nothing is sold here, and the operator hands out quota',
    }),
    ...(isCharged && {
      409: 'The Idempotency-Key or payment identifier is of another request or of one that still runs, or the payment is on its way',
    }),
    ...(input && { 413: 'The body is larger than 256 KiB', 415: 'The body is compressed' }),
    429: 'Rate limit exceeded; Retry-After says when to come back',
    // Whoever has a key is looked up, whatever they ask.
    ...(auth === 'key' && { 503: 'The database does not answer' }),
    ...errors,
  }
  const schema = referTo('Error')
  return Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema } } },
    ]),
  )
}
