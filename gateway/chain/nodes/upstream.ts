import { tracingChannel } from 'node:diagnostics_channel'
import { Agent, request } from 'undici'
import { nameByHash } from './blockHashes.ts'
import { createCappedReader, TooLong } from './cappedReader.ts'
import { createPlaces } from './connectionPlaces.ts'
import { type RawReply, type Reply, type RpcCall, readReply } from './readReply.ts'
import { createRedactor } from './redact.ts'
import { longestPauseMs } from './refusal.ts'
import { asksLogs, runsCode } from './takesLong.ts'

export type Upstream = {
  /**
   * Never rejects: what went wrong is the trouble of the calls without an answer. The time-out is the node's, from
   * when they go out; for a connection they wait as long.
   */
  send(calls: readonly RpcCall[], options: { timeoutMs: number }): Promise<Reply>
  close(): Promise<void>
}

const connections = 8
/** A connection for whoever has a place. */
const openLine = () => ({
  agent: new Agent({ connections, keepAliveTimeout: 10_000 }),
  places: createPlaces(connections),
})

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
  // Code that strangers have the node run may hold all of its connections for as long as it takes.
  const lines = { ofCode: openLine(), ofOthers: openLine() }
  const redact = createRedactor(url)
  const readText = createCappedReader(maxResponseBytes)

  async function post(
    calls: readonly RpcCall[],
    { agent, timeoutMs }: { readonly agent: Agent; readonly timeoutMs: number },
  ): Promise<RawReply> {
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
    const none = calls.map(() => undefined)
    const { agent, places } = calls.every(runsCode) ? lines.ofCode : lines.ofOthers
    const leave = await places.take(timeoutMs)
    if (!leave) return { answers: none, trouble: { kind: 'unsent' } }
    try {
      return readReply(await post(calls, { agent, timeoutMs }), { count, redact })
    } catch (error) {
      // Neither its text nor its cause: they may hold the URL.
      return { answers: none, trouble: { kind: toFault(error) } }
    } finally {
      leave()
    }
  }

  return {
    send: (calls, { timeoutMs }) =>
      batches.tracePromise(() => send(calls, timeoutMs), {
        attributes: { calls: calls.length, method: calls[0]?.method },
      }),
    async close() {
      await Promise.all(Object.values(lines).map(({ agent }) => agent.destroy()))
    },
  }
}
