import { type CallOptions, type Connection, createCall } from './call.ts'
import { type StreamOptions, streamQuotes } from './streamQuotes.ts'
import type * as Meta from './wire/meta.ts'
import type * as Relay from './wire/relay.ts'
import type * as Routing from './wire/routing.ts'

export type ClientOptions = {
  /** Where the services answer; a lab's manifest has them. */
  readonly services: { readonly routing: string; readonly meta: string; readonly relay: string }
  readonly apiKey?: string | undefined
  /** Shown in logs and in `tracking`. */
  readonly clientId?: string | undefined
  /** Default: the platform's. One that pays for 402s: `wrapFetchWithPayment` of `@x402/fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Until an answer begins. Default 30 s. */
  readonly timeoutMs?: number | undefined
}

/** The services of a Forkyard. Every method throws a `ForkyardError`, or the reason of an aborted signal. */
export type Client = ReturnType<typeof createClient>

export function createClient({
  services,
  apiKey,
  clientId,
  fetch,
  timeoutMs = 30_000,
}: ClientOptions) {
  const headers = {
    'content-type': 'application/json',
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(clientId !== undefined && { 'x-client-id': clientId }),
  }
  const at = (url: string): Connection => ({ url, headers, fetch, timeoutMs })
  return {
    services,
    routing: createRouting(at(services.routing)),
    access: createAccess(at(services.routing)),
    meta: createMeta(at(services.meta)),
    relay: createRelay(at(services.relay)),
  }
}

function createRouting(connection: Connection) {
  const call = createCall<Routing.Operations>(connection)
  return {
    quote: (body: Routing.QuoteRequest, options?: CallOptions) =>
      call('POST /quote', { body }, options),
    /** Several at once, on one state of each chain. */
    quotes: (body: Routing.QuotesRequest, options?: CallOptions) =>
      call('POST /quotes', { body }, options),
    quoteExactOutput: (query: Routing.QuoteExactOutputQuery, options?: CallOptions) =>
      call('GET /quote_exact_output', { query }, options),
    quoteLpDisposal: (body: Routing.LpDisposalRequest, options?: CallOptions) =>
      call('POST /quote_lp_disposal', { body }, options),
    /** Why a quote was what it was, by its `quote_hash`. */
    explain: (params: Routing.QuoteParams, options?: CallOptions) =>
      call('GET /quote/{hash}', { params }, options),
    compare: (body: Routing.CompareRequest, options?: CallOptions) =>
      call('POST /compare/simulate', { body }, options),
    health: (options?: CallOptions) => call('GET /health', {}, options),
    tokens: (options?: CallOptions) => call('GET /api/tokens', {}, options),
    chains: (options?: CallOptions) => call('GET /api/chains', {}, options),
    status: (options?: CallOptions) => call('GET /api/status', {}, options),
    pool: (params: Routing.ApiPoolParams, options?: CallOptions) =>
      call('GET /api/pool/{chain_id}/{address}', { params }, options),
    agentRegistration: (options?: CallOptions) =>
      call('GET /.well-known/agent-registration.json', {}, options),
  }
}

function createAccess(connection: Connection) {
  const call = createCall<Routing.Operations>(connection)
  return {
    challenge: (body: Routing.ChallengeRequest, options?: CallOptions) =>
      call('POST /auth/challenge', { body }, options),
    register: (body: Routing.RegisterRequest, options?: CallOptions) =>
      call('POST /auth/register', { body }, options),
    keyInfo: (options?: CallOptions) => call('GET /auth/key-info', {}, options),
    pricing: (options?: CallOptions) => call('GET /auth/pricing', {}, options),
    claim: (body: Routing.ClaimRequest, options?: CallOptions) =>
      call('POST /auth/quota/claim', { body }, options),
    x402: (options?: CallOptions) => call('GET /.well-known/x402', {}, options),
    verifyPayment: (body: Routing.FacilitatorRequest, options?: CallOptions) =>
      call('POST /x402/verify', { body }, options),
    settlePayment: (body: Routing.FacilitatorRequest, options?: CallOptions) =>
      call('POST /x402/settle', { body }, options),
  }
}

function createMeta(connection: Connection) {
  const call = createCall<Meta.Operations>(connection)
  return {
    quote: (body: Meta.QuoteRequest, options?: CallOptions) =>
      call('POST /quote', { body }, options),
    /** `for await (const { event, data } of meta.stream(order))`, until `done`. */
    stream: (body: Meta.StreamRequest, options?: StreamOptions) =>
      streamQuotes(connection, body, options),
    sources: (options?: CallOptions) => call('GET /sources', {}, options),
    health: (options?: CallOptions) => call('GET /health', {}, options),
  }
}

function createRelay(connection: Connection) {
  const call = createCall<Relay.Operations>(connection)
  return {
    /** `obtainProxy` asks this, and goes to the wallet where it is refused. */
    requestProxy: (body: Relay.ProxyRequest, options?: CallOptions) =>
      call('POST /api/proxy', { body }, options),
    /** Of all chains. */
    intents: async (options?: CallOptions): Promise<readonly Relay.Intent[]> => {
      const read = await call('GET /api/intents', { query: {} }, options)
      return 'chains' in read ? read.chains : [read]
    },
    health: (options?: CallOptions) => call('GET /health', {}, options),
  }
}
