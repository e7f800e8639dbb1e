import { tracingChannel } from 'node:diagnostics_channel'
import { Agent, request } from 'undici'
import { nameByHash } from './blockHashes.ts'
import { createCappedReader, TooLong } from './cappedReader.ts'
import { mostConnections } from './connections.ts'
import { type RawReply, type Reply, type RpcCall, readReply } from './readReply.ts'
import { createRedactor } from './redact.ts'
import { longestPauseMs } from './refusal.ts'
import { asksLogs } from './takesLong.ts'

export type Upstream = {
  /** Never rejects: what went wrong is the trouble of the calls without an answer. */
  send(calls: readonly RpcCall[], options: { timeoutMs: number }): Promise<Reply>
  close(): Promise<void>
}

const batches = tracingChannel('forkyard.rpc')
const mebi = 1024 * 1024
/** Of logs; strangers decide how many there are, and the loop stands still while they are read. */
const mostLogBytes = 8 * mebi
const bytesEachMore = mebi

/** Of an answer to these calls; undefined: as much as is read of any. */
function mostBytesOf(calls: readonly RpcCall[]): number | undefined {
  return calls.every(asksLogs) ? mostLogBytes + bytesEachMore * (calls.length - 1) : undefined
}

/** `Retry-After` in seconds or as an HTTP date. */
function parseRetryAfterMs(header: string | string[] | undefined, nowMs: number) {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined) return undefined
  const secs = Number(text)
  const ms = Number.isFinite(secs) ? secs * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestPauseMs) : undefined
}

/** A request's body as it travels. */
export function encodeCalls(calls: readonly RpcCall[]): string {
  const requests = calls.map(nameByHash).map(({ method, params }, id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: params ?? [],
  }))
  return JSON.stringify(requests.length === 1 ? requests[0] : requests)
}

function toFault(error: unknown): Reply['trouble']['kind'] {
  if (error instanceof TooLong) return 'answer_too_large'
  const name = error instanceof Error ? error.name : ''
  return name === 'TimeoutError' || name === 'AbortError' ? 'timeout' : 'network'
}

/** One JSON-RPC endpoint over HTTP: time and size capped, no redirects, errors without its URL. */
export function createUpstream({
  url,
  maxResponseBytes,
}: {
  readonly url: string
  readonly maxResponseBytes: number
}): Upstream {
  const agent = new Agent({ connections: mostConnections, keepAliveTimeout: 10_000 })
  const redact = createRedactor(url)
  const readText = createCappedReader(maxResponseBytes)

  async function post(calls: readonly RpcCall[], timeoutMs: number): Promise<RawReply> {
    const response = await request(url, {
      method: 'POST',
      body: encodeCalls(calls),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { statusCode: status, headers } = response
    return {
      status,
      text: await readText(response.body, mostBytesOf(calls)),
      retryAfterMs: parseRetryAfterMs(headers['retry-after'], Date.now()),
    }
  }

  async function send(calls: readonly RpcCall[], timeoutMs: number): Promise<Reply> {
    const count = calls.length
    try {
      return readReply(await post(calls, timeoutMs), { count, redact })
    } catch (error) {
      // Neither its text nor its cause: they may hold the URL.
      return { answers: calls.map(() => undefined), trouble: { kind: toFault(error) } }
    }
  }

  return {
    send: (calls, { timeoutMs }) =>
      batches.tracePromise(() => send(calls, timeoutMs), {
        attributes: { calls: calls.length, method: calls[0]?.method },
      }),
    close: () => agent.destroy(),
  }
}
