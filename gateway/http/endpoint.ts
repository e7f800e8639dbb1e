import type { Static, TSchema } from 'typebox'
import type { Caller } from './access.ts'
import type { Reply, StreamReply } from './reply.ts'
import type { SpendMore } from './spendMore.ts'
import { createValidate, type Validate } from './validate.ts'

type Auth = 'key' | 'none'
type ValueOf<schema extends TSchema | undefined> = schema extends TSchema
  ? Static<schema>
  : undefined

export type EndpointRequest<body, query, params, caller> = {
  readonly body: body
  /** The body's text, for values that must not pass through a float. Empty without a body. */
  readonly rawBody: string
  readonly query: query
  readonly params: params
  /** Who calls; undefined on endpoints without a key. */
  readonly caller: caller
  /** Whether the caller's key was given more than everybody has for nothing. */
  readonly isPaying: boolean
  readonly requestId: string
  /** `x-client-id`, when it was sent and is printable. */
  readonly clientId: string | undefined
  /** The header `accept`, as it was sent. */
  readonly accept: string
  readonly ip: string
  /** Takes further units for the same caller: for answers that go on. */
  readonly spendMore: SpendMore
  /** Aborts when the client leaves, or the service stops: a stream's at once, others' when their grace is over. */
  readonly signal: AbortSignal
}

type AnyRequest = EndpointRequest<unknown, unknown, unknown, Caller | undefined>

type Definition<
  body extends TSchema | undefined,
  query extends TSchema | undefined,
  params extends TSchema | undefined,
  output extends TSchema,
  auth extends Auth,
> = {
  readonly method: 'get' | 'post'
  /** With `:name` for parameters. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly input?: body
  readonly query?: query
  readonly params?: params
  /** Schema of the 200 answer; for a stream, of one event's data. */
  readonly output: output
  readonly auth: auth
  /** Quota units, charged before the work and given back unless the answer is 2xx. Default 0. */
  readonly cost?: number | ((request: { body: ValueOf<body>; query: ValueOf<query> }) => number)
  /** What each unit of the cost is for, where a request may cost several: `leg`. */
  readonly costPer?: string
  /** Rate-limit units; default the cost, at least 1. */
  readonly weight?: number
  /** Answers `text/event-stream`; the handler returns `stream(…)`. */
  readonly streams?: boolean
  /** Of a stream: the data of each event by its name. */
  readonly events?: Readonly<Record<string, TSchema>>
  /** What a 202 of the same shape means, for OpenAPI; absent: there is none. */
  readonly pending?: string
  /** Statuses beyond the usual ones, with what they mean, for OpenAPI. */
  readonly errors?: Readonly<Record<number, string>>
  readonly examples?: {
    readonly input?: unknown
    readonly query?: Readonly<Record<string, unknown>>
    readonly output?: unknown
  }
  readonly handle: (
    request: EndpointRequest<
      ValueOf<body>,
      ValueOf<query>,
      ValueOf<params>,
      auth extends 'key' ? Caller : undefined
    >,
  ) => Promise<Static<output> | Reply | StreamReply>
}

/** An endpoint as the service sees it: the same data with its types erased and its checks compiled. */
export type Endpoint = Omit<
  Definition<TSchema, TSchema, TSchema, TSchema, Auth>,
  'handle' | 'cost' | 'weight'
> & {
  readonly weight: number
  /** Further units that a request weighs, once what it asks for is read. */
  readonly extraWeightOf: (request: { body: unknown; query: unknown }) => number
  readonly costOf: (request: { body: unknown; query: unknown }) => number
  readonly isCharged: boolean
  /** Quota units, of each `costPer` where that is said. */
  readonly units: number
  readonly validate: {
    readonly body?: Validate
    readonly query?: Validate
    readonly params?: Validate
  }
  readonly handle: (request: AnyRequest) => Promise<unknown>
}

/** One row of a service: routing, validation, authentication, quota cost, OpenAPI and docs follow from it. */
export function endpoint<
  const auth extends Auth,
  output extends TSchema,
  body extends TSchema | undefined = undefined,
  query extends TSchema | undefined = undefined,
  params extends TSchema | undefined = undefined,
>(definition: Definition<body, query, params, output, auth>): Endpoint {
  const { cost = 0, input, query, params, weight } = definition
  const fixedCost = typeof cost === 'number' ? cost : undefined
  const erased = definition as unknown as Omit<Endpoint, 'weight'>
  // The compiled checks below have proved the shapes by the time cost and handle are called.
  const costOf = typeof cost === 'number' ? () => cost : (cost as unknown as Endpoint['costOf'])
  const isWeighed = weight !== undefined || fixedCost !== undefined
  return {
    ...erased,
    weight: weight ?? (fixedCost || 1),
    extraWeightOf: isWeighed ? () => 0 : (request) => Math.max(0, costOf(request) - 1),
    isCharged: fixedCost !== 0,
    units: fixedCost ?? 1,
    costOf,
    validate: {
      ...(input && { body: createValidate(input, 'body') }),
      ...(query && { query: createValidate(query, 'query') }),
      ...(params && { params: createValidate(params, 'params') }),
    },
  }
}
