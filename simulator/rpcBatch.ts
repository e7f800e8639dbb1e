import { Agent, type Dispatcher } from 'undici'

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

/** One entry of a batch answer. `message` may hold an upstream URL: match on it, never pass it on. */
export type RpcOutcome =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false
      readonly code: number
      readonly message: string
      readonly data: string | undefined
    }

export type RpcFault =
  | 'timeout'
  | 'aborted'
  | 'connection'
  | 'http_status'
  | 'garbage'
  | 'too_large'

/** The batch as a whole got no usable answer. The message names the kind of fault only. */
export class RpcTransportError extends Error {
  override readonly name = 'RpcTransportError'
  readonly fault: RpcFault
  readonly httpStatus: number | undefined

  constructor(fault: RpcFault, httpStatus?: number) {
    super(`rpc ${fault}${httpStatus === undefined ? '' : ` ${httpStatus}`}`)
    this.fault = fault
    this.httpStatus = httpStatus
  }
}

export type RpcEndpoint = {
  readonly batch: (calls: readonly RpcCall[], limits: RpcLimits) => Promise<readonly RpcOutcome[]>
  readonly close: () => Promise<void>
}

type RpcLimits = {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly maxBytes?: number | undefined
}

const defaultMaxBytes = 64 * 1024 * 1024

/** A keep-alive JSON-RPC endpoint that speaks in batches, with a deadline and a cap on the answer's size. */
export function createRpcEndpoint({ url }: { url: string }): RpcEndpoint {
  const agent = new Agent({ connections: 32, keepAliveTimeout: 10_000 })
  const { origin, path, headers } = splitUrl(url)
  return {
    async batch(calls, { timeoutMs, signal, maxBytes = defaultMaxBytes }) {
      if (calls.length === 0) return []
      const timeout = AbortSignal.timeout(Math.ceil(timeoutMs))
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout
      const body = JSON.stringify(
        calls.map((call, id) => ({ jsonrpc: '2.0', id, method: call.method, params: call.params })),
      )
      const text = await post(agent, {
        origin,
        path,
        headers,
        body,
        signal: either,
        maxBytes,
      }).catch((error: unknown) => {
        if (error instanceof RpcTransportError) throw error
        if (timeout.aborted) throw new RpcTransportError('timeout')
        throw new RpcTransportError(signal?.aborted ? 'aborted' : 'connection')
      })
      return parseBatch(text, calls.length)
    },
    async close() {
      await agent.destroy()
    },
  }
}

/** Credentials in the URL become a header, since undici takes none in an origin. */
function splitUrl(url: string) {
  const { origin, pathname, search, username, password } = new URL(url)
  const basic = Buffer.from(
    `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
  ).toString('base64')
  const authorization = username === '' ? {} : { authorization: `Basic ${basic}` }
  return {
    origin,
    path: `${pathname}${search}`,
    headers: { 'content-type': 'application/json', ...authorization },
  }
}

async function post(
  agent: Dispatcher,
  parameters: {
    origin: string
    path: string
    headers: Record<string, string>
    body: string
    signal: AbortSignal
    maxBytes: number
  },
) {
  const { maxBytes, ...request } = parameters
  const answer = await agent.request({ ...request, method: 'POST' })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new RpcTransportError('too_large')
    chunks.push(chunk)
  }
  if (answer.statusCode !== 200) throw new RpcTransportError('http_status', answer.statusCode)
  return Buffer.concat(chunks).toString('utf8')
}

function parseBatch(text: string, count: number): readonly RpcOutcome[] {
  const entries = parseJson(text)
  if (!Array.isArray(entries)) throw new RpcTransportError('garbage')
  const outcomes = new Map<unknown, RpcOutcome>()
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) throw new RpcTransportError('garbage')
    outcomes.set(entry.id, readEntry(entry))
  }
  return Array.from({ length: count }, (_, id) => {
    const outcome = outcomes.get(id)
    if (!outcome) throw new RpcTransportError('garbage')
    return outcome
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcTransportError('garbage')
  }
}

function readEntry(entry: { result?: unknown; error?: unknown }): RpcOutcome {
  if (entry.error === undefined || entry.error === null) return { ok: true, result: entry.result }
  const { code, message, data } = entry.error as {
    code?: unknown
    message?: unknown
    data?: unknown
  }
  return {
    ok: false,
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
    data: typeof data === 'string' ? data : undefined,
  }
}
