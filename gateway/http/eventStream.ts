import type { ServerResponse } from 'node:http'
import type { StreamReply } from './reply.ts'

/** Proxies close a silent connection after about a minute; a comment keeps it open and costs 2 bytes. */
const commentEveryMs = 15_000

/** Who has not read what is there for so long has stopped reading, and holds what was written for it. */
const longestStallMs = 30_000

/**
 * Writes a stream of server-sent events to a raw response and resolves when it is over.
 *
 * LF only and JSON on one `data:` line (real clients' parsers refuse anything else), an `id:` on every
 * event, `no-transform` so that no proxy or middleware compresses and thereby holds events back.
 */
export async function writeEventStream(
  res: ServerResponse,
  {
    run,
    requestId,
    signal,
    stallMs = longestStallMs,
    commentMs = commentEveryMs,
  }: Pick<StreamReply, 'run'> & {
    readonly requestId: string
    readonly signal: AbortSignal
    readonly stallMs?: number | undefined
    readonly commentMs?: number | undefined
  },
): Promise<void> {
  res.setHeader('content-type', 'text/event-stream; charset=utf-8')
  res.setHeader('cache-control', 'no-cache, no-transform')
  res.setHeader('x-accel-buffering', 'no')
  res.writeHead(200)
  // No empty line behind it, nor behind a comment: both open the next event's block, since a client library
  // hands on a block without `data:` as an event.
  res.write(': ok\nretry: 3000\n')
  const stall = watchStall(res, stallMs)
  const comment = () => {
    // Whoever does not read needs no sign of life.
    if (!res.writableNeedDrain) res.write(':\n')
  }
  const timer = setInterval(comment, commentMs)
  timer.unref()
  let count = 0
  const write = (event: string, data: unknown, id: string) => {
    // Nobody is to be waited for.
    if (res.destroyed) return true
    const isFlowing = res.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
    if (!isFlowing) stall.begin()
    return isFlowing
  }
  try {
    await run(
      {
        send: (event, data) => write(event, data, `${requestId}:${++count}`),
        done: (event, data) => void write(event, data, `${requestId}:done`),
        drained: () => drained(res),
      },
      signal,
    )
  } finally {
    clearInterval(timer)
    res.end()
    stall.begin()
  }
}

/** Destroys a response that is not read on within `stallMs` of `begin`. */
function watchStall(res: ServerResponse, stallMs: number): { readonly begin: () => void } {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  res.on('drain', stop)
  res.once('close', stop)
  return {
    begin() {
      if (res.closed) return
      timer ??= setTimeout(() => res.destroy(), stallMs)
      timer.unref()
    },
  }
}

async function drained(res: ServerResponse): Promise<void> {
  if (!res.writableNeedDrain) return
  await new Promise<void>((resolve) => {
    const finish = () => {
      res.off('drain', finish)
      res.off('close', finish)
      resolve()
    }
    res.on('drain', finish)
    res.on('close', finish)
  })
}
