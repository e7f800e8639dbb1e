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
  /** It was not sent: nothing more may be spent. */
  | 'over_budget'
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
    async batch(calls, limits) {
      if (calls.length === 0) return []
      const body = JSON.stringify(
        calls.map((call, id) => ({ jsonrpc: '2.0', id, method: call.method, params: call.params })),
      )
      return parseBatch(await post(agent, { origin, path, headers, body }, limits), calls.length)
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

type Post = Pick<Dispatcher.DispatchOptions, 'path'> & {
  readonly origin: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** By handlers: streams and abort signals took more time than the request itself. */
function post(
  agent: Dispatcher,
  request: Post,
  { timeoutMs, signal, maxBytes = defaultMaxBytes }: RpcLimits,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let status = 0
    let controller: Dispatcher.DispatchController | undefined
    let fault: RpcTransportError | undefined

    const timer = setTimeout(() => fail('timeout'), Math.ceil(timeoutMs))
    const abort = () => fail('aborted')
    signal?.addEventListener('abort', abort)
    function settle() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    function fail(kind: RpcFault, httpStatus?: number) {
      if (fault) return
      settle()
      fault = new RpcTransportError(kind, httpStatus)
      reject(fault)
      controller?.abort(fault)
    }
    if (signal?.aborted) return fail('aborted')
    agent.dispatch(
      { ...request, method: 'POST' },
      {
        onRequestStart(started) {
          controller = started
          if (fault) started.abort(fault)
        },
        onResponseStart(_, statusCode) {
          status = statusCode
        },
        onResponseData(_, chunk) {
          size += chunk.length
          if (size > maxBytes) return fail('too_large')
          chunks.push(chunk)
        },
        onResponseEnd() {
          if (status !== 200) return fail('http_status', status)
          settle()
          resolve(Buffer.concat(chunks).toString('utf8'))
        },
        onResponseError: () => fail('connection'),
      },
    )
  })
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
