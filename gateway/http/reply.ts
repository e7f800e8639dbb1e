export type EventSink = {
  /** False when the client reads slower than we write; wait for `drained()` or drop what is stale. */
  send(event: string, data: unknown): boolean
  /** The last event: its id ends in `:done`, by which a reconnecting client is told to stop. */
  done(event: string, data: unknown): void
  drained(): Promise<void>
}

const replyTag = Symbol('reply')
const streamTag = Symbol('stream')

/** An answer that is not plainly `200` with JSON. A string or Buffer body is sent as it is. */
export type Reply = {
  readonly [replyTag]: true
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

export type StreamReply = {
  readonly [streamTag]: true
  readonly run: (sink: EventSink, signal: AbortSignal) => Promise<void>
  readonly headers: Readonly<Record<string, string>>
}

export function reply({
  status = 200,
  body,
  headers = {},
}: {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}): Reply {
  return { [replyTag]: true, status, body, headers }
}

/** Answers with JSON that is text already. */
export function json(text: string): Reply {
  return reply({ body: text, headers: jsonHeaders })
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

/** The value of such an answer. */
export function readJson({ status, body, headers }: Reply): unknown {
  return status === 200 && typeof body === 'string' && headers === jsonHeaders
    ? JSON.parse(body)
    : undefined
}

/**
 * Answers with server-sent events. `run` writes them and returns when the stream is over;
 * `signal` aborts when the client leaves or the service stops.
 */
export function stream(
  run: StreamReply['run'],
  { headers = {} }: { readonly headers?: Readonly<Record<string, string>> } = {},
): StreamReply {
  return { [streamTag]: true, run, headers }
}

export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && replyTag in value
}

export function isStreamReply(value: unknown): value is StreamReply {
  return typeof value === 'object' && value !== null && streamTag in value
}
