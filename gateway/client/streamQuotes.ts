import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type CallOptions, type Connection, send, unreachable } from './call.ts'
import { ForkyardError } from './forkyardError.ts'
import { pause } from './pause.ts'
import type { StreamEvents, StreamRequest } from './wire/meta.ts'

/** An event of `POST /quote/stream`: `event` says what `data` is. */
export type StreamEvent = {
  [name in keyof StreamEvents]: {
    readonly event: name
    readonly id: string
    readonly data: StreamEvents[name]
  }
}[keyof StreamEvents]

export type StreamOptions = CallOptions & {
  /** Id of the last event of a stream that broke off. */
  readonly lastEventId?: string | undefined
  /**
   * How often a stream that breaks off before `done` is asked for anew, by the id of its last event; each
   * begins with an `initial` of its own. Default 2.
   */
  readonly resumes?: number | undefined
  /** A stream that says nothing for so long, not even a comment, has broken off. Default 45 s. */
  readonly idleMs?: number | undefined
}

/** Between a break and the next try, unless the service says otherwise. */
const usualRetryMs = 3_000
const longestRetryMs = 60_000

/**
 * Quotes as they come. Ends after `done`; leaving the loop, or aborting the signal, closes the connection,
 * and the service stops its own work.
 */
export async function* streamQuotes(
  connection: Connection,
  body: StreamRequest,
  { lastEventId, resumes = 2, idleMs = 45_000, ...options }: StreamOptions = {},
): AsyncGenerator<StreamEvent, void, void> {
  const seen: Seen = { id: lastEventId, retryMs: usualRetryMs, isOver: false }
  for (let left = resumes; ; left--) {
    try {
      for await (const event of readOnce(connection, { body, seen, idleMs, options })) {
        seen.id = event.id
        yield event
        if (event.event === 'done') return
      }
      if (seen.isOver) return
      throw new ForkyardError('the stream ended before done', { status: 200, code: 'stream_cut' })
    } catch (error) {
      if (left <= 0 || !isBroken(error)) throw error
    }
    await pause(seen.retryMs, options.signal)
  }
}

const isBroken = (error: unknown) =>
  error instanceof ForkyardError && ['stream_cut', 'unreachable', 'timeout'].includes(error.code)

type Seen = {
  id: string | undefined
  retryMs: number
  /** The service has nothing to add (204). */
  isOver: boolean
}

async function* readOnce(
  connection: Connection,
  {
    body,
    seen,
    idleMs,
    options,
  }: {
    readonly body: StreamRequest
    readonly seen: Seen
    readonly idleMs: number
    readonly options: CallOptions
  },
): AsyncGenerator<StreamEvent, void, void> {
  const headers = { ...options.headers, ...(seen.id && { 'last-event-id': seen.id }) }
  const name = 'POST /quote/stream'
  const given = { body }
  const response = await send(connection, { name, given, options: { ...options, headers } })
  if (!response.body) {
    seen.isOver = true
    return
  }
  const events = new EventSourceParserStream({
    onRetry: (ms) => {
      seen.retryMs = Math.min(ms, longestRetryMs)
    },
  })
  const idle = new AbortController()
  const signals = [idle.signal, options.signal].filter((signal) => signal !== undefined)
  const alive = watchIdle(idleMs, idle)
  const text = response.body.pipeThrough(alive.stream).pipeThrough(new TextDecoderStream())
  const reader = text.pipeThrough(events, { signal: AbortSignal.any(signals) }).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield toEvent(value)
    }
  } catch (cause) {
    if (cause instanceof ForkyardError) throw cause
    options.signal?.throwIfAborted()
    if (!idle.signal.aborted) throw unreachable(cause)
    const facts = { status: 200, code: 'stream_cut' } as const
    throw new ForkyardError(`the stream said nothing for ${idleMs} ms`, facts)
  } finally {
    alive.end()
    await reader.cancel().catch(() => undefined)
  }
}

/** Hands chunks on, and aborts where none comes for so long. */
function watchIdle(idleMs: number, idle: AbortController) {
  let timer = setTimeout(() => idle.abort(), idleMs)
  const end = () => clearTimeout(timer)
  const stream = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      end()
      timer = setTimeout(() => idle.abort(), idleMs)
      controller.enqueue(chunk)
    },
  })
  return { stream, end }
}

function toEvent(message: {
  readonly event?: string | undefined
  readonly id?: string | undefined
  readonly data: string
}): StreamEvent {
  const { event, id = '', data } = message
  try {
    // The document says which data an event of this name has.
    return { event, id, data: JSON.parse(data) } as StreamEvent
  } catch (cause) {
    const facts = { status: 200, code: 'unreadable_answer', cause } as const
    throw new ForkyardError(`the data of the event ${id} is no JSON`, facts)
  }
}
