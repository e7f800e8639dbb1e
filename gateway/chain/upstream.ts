import { Agent, request } from 'undici'
import { createRedactor } from './redact.ts'

export type RpcCall = { readonly method: string; readonly params?: unknown }
export type RpcAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

export type UpstreamFault =
  | 'timeout'
  | 'network'
  | 'rate_limited'
  | 'http_status'
  | 'bad_answer'
  | 'other_chain'

/** Thrown when an upstream gives no usable answer to a batch. Carries neither its URL nor its text. */
export class UpstreamError extends Error {
  readonly fault: UpstreamFault
  readonly retryAfterMs: number | undefined
  constructor(fault: UpstreamFault, retryAfterMs?: number) {
    super(fault)
    this.name = 'UpstreamError'
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

export type Upstream = {
  send(calls: readonly RpcCall[], options: { timeoutMs: number }): Promise<RpcAnswer[]>
  close(): Promise<void>
}

const redirectFrom = 300
const longestRetryAfterMs = 60_000

/** `Retry-After` in seconds or as an HTTP date. */
function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const secs = Number(header)
  const ms = Number.isFinite(secs) ? secs * 1000 : Date.parse(header) - nowMs
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestRetryAfterMs) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function readCapped(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    // Leaving the loop destroys the stream: the rest is never read.
    if (size > maxBytes) throw new UpstreamError('bad_answer')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toAnswer(entry: unknown, redact: (text: string) => string): RpcAnswer {
  if (!isRecord(entry)) throw new UpstreamError('bad_answer')
  if (isRecord(entry['error'])) {
    const { code, message, data } = entry['error']
    return {
      error: {
        code: typeof code === 'number' ? code : -32603,
        message: redact(typeof message === 'string' ? message : 'no message'),
        data,
      },
    }
  }
  if (!('result' in entry)) throw new UpstreamError('bad_answer')
  return { result: entry['result'] }
}

/** Puts the answers of a batch into the order of its calls; each id must answer exactly once. */
function orderAnswers(payload: unknown, count: number, redact: (text: string) => string) {
  const entries = Array.isArray(payload) ? payload : [payload]
  const answers = new Map<number, RpcAnswer>()
  for (const entry of entries) {
    if (isRecord(entry) && typeof entry['id'] === 'number')
      answers.set(entry['id'], toAnswer(entry, redact))
  }
  return Array.from({ length: count }, (_, id) => {
    const answer = answers.get(id)
    if (!answer) throw new UpstreamError('bad_answer')
    return answer
  })
}

/** One JSON-RPC endpoint over HTTP: time and size capped, no redirects, errors without its URL. */
export function createUpstream({
  url,
  maxResponseBytes,
}: {
  readonly url: string
  readonly maxResponseBytes: number
}): Upstream {
  const agent = new Agent({ connections: 8, keepAliveTimeout: 10_000 })
  const redact = createRedactor(url)

  async function post(body: string, timeoutMs: number): Promise<unknown> {
    const response = await request(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.statusCode === 429 || response.statusCode === 503) {
      const header = response.headers['retry-after']
      await response.body.dump()
      throw new UpstreamError(
        response.statusCode === 429 ? 'rate_limited' : 'http_status',
        parseRetryAfterMs(Array.isArray(header) ? header[0] : header, Date.now()),
      )
    }
    if (response.statusCode >= redirectFrom && response.statusCode < 400) {
      await response.body.dump()
      throw new UpstreamError('http_status')
    }
    const text = await readCapped(response.body, maxResponseBytes)
    try {
      // Some nodes answer 4xx or 500 with a well-formed JSON-RPC error: the body decides.
      return JSON.parse(text)
    } catch {
      throw new UpstreamError(response.statusCode >= 400 ? 'http_status' : 'bad_answer')
    }
  }

  return {
    async send(calls, { timeoutMs }) {
      const requests = calls.map(({ method, params }, id) => ({
        jsonrpc: '2.0',
        id,
        method,
        params: params ?? [],
      }))
      try {
        const payload = await post(
          JSON.stringify(requests.length === 1 ? requests[0] : requests),
          timeoutMs,
        )
        return orderAnswers(payload, calls.length, redact)
      } catch (error) {
        if (error instanceof UpstreamError) throw error
        const name = error instanceof Error ? error.name : ''
        throw new UpstreamError(
          name === 'TimeoutError' || name === 'AbortError' ? 'timeout' : 'network',
        )
      }
    },
    close: () => agent.destroy(),
  }
}
