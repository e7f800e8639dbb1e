import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type CallOptions, type Connection, createCall, send } from './call.ts'
import type * as Ops from './wire/ops.ts'

const timeoutMs = 30_000

export type OpsClient = ReturnType<typeof createOps>

/** What an operator reads of a gateway. A page that has logged in needs no token, nor does one of a lab. */
export function createOps({
  url,
  token,
  fetch,
}: {
  /** The operators' listener. */
  readonly url: string
  readonly token?: string | undefined
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch | undefined
}) {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const connection: Connection = { url, headers, fetch, timeoutMs }
  const call = createCall<Ops.Operations>(connection)
  return {
    gateway: (options?: CallOptions) => call('GET /ops/gateway', {}, options),
    /** What happens, until the signal aborts or the gateway ends. */
    events: (options?: CallOptions) => readEvents(connection, options),
    pools: (query: Ops.OpsPoolsQuery, options?: CallOptions) =>
      call('GET /ops/pools', { query }, options),
    /** Each gate of the relay for an owner, with what it is decided on; nothing is sponsored. */
    relayGates: (query: Ops.OpsRelayGatesQuery, options?: CallOptions) =>
      call('GET /ops/relay/gates', { query }, options),
    relayTransactions: (query: Ops.OpsRelayTransactionsQuery, options?: CallOptions) =>
      call('GET /ops/relay/transactions', { query }, options),
    /** The calls of one candidate in a dry run, with the one that failed it. */
    traceCandidate: (body: Ops.TraceRequest, options?: CallOptions) =>
      call('POST /ops/compare/trace', { body }, options),
    money: (query: Ops.OpsMoneyQuery, options?: CallOptions) =>
      call('GET /ops/money', { query }, options),
    ledger: (query: Ops.OpsMoneyLedgerQuery, options?: CallOptions) =>
      call('GET /ops/money/ledger', { query }, options),
    /** The last verdict on the books since the gateway started. */
    lastAudit: (options?: CallOptions) => call('GET /ops/money/audit', {}, options),
    /** Has the books audited, or joins the audit under way. */
    audit: (options?: CallOptions) => call('POST /ops/money/audit', {}, options),
    login: (body: Ops.LoginRequest, options?: CallOptions) =>
      call('POST /ops/login', { body }, options),
    logout: (options?: CallOptions) => call('POST /ops/logout', {}, options),
    live: (options?: CallOptions) => call('GET /livez', {}, options),
    ready: (options?: CallOptions) => call('GET /readyz', {}, options),
    started: (options?: CallOptions) => call('GET /startupz', {}, options),
    /** In Prometheus' text format. */
    metrics: (options?: CallOptions) => call('GET /metrics', {}, options),
  }
}

async function* readEvents(
  connection: Connection,
  options: CallOptions = {},
): AsyncGenerator<Ops.LiveEvents, void, void> {
  const response = await send(connection, { name: 'GET /ops/events', given: {}, options })
  if (!response.body) return
  const text = response.body.pipeThrough(new TextDecoderStream())
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      // The document says what an event holds.
      yield JSON.parse(value.data) as Ops.LiveEvents
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
