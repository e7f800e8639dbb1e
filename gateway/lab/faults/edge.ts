import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import type { Play } from './fault.ts'

export const answerPage: Play = async ({ ctx }) => {
  ctx.status = 502
  ctx.type = 'html'
  ctx.body = '<html><title>502 Bad Gateway</title></html>'
}

export const answerNothing: Play = async ({ ctx }) => {
  ctx.status = 204
}

export const slow: Play = async ({ next, settings }) => {
  await wait(settings.ms)
  await next()
}

export const reset: Play = async ({ ctx }) => {
  ctx.respond = false
  ctx.res.destroy()
}

export const stall: Play = async ({ ctx, settings }) => {
  ctx.respond = false
  const left = new AbortController()
  const closed = once(ctx.res, 'close', { signal: left.signal })
  await Promise.race([closed, wait(settings.ms, undefined, { signal: left.signal })])
  left.abort()
  ctx.res.destroy()
}

/** The service has answered, and charged, by then. */
const bodyOf = (ctx: Context) => Buffer.from(typeof ctx.body === 'string' ? ctx.body : '')

export const cut: Play = async ({ ctx, next, settings }) => {
  await next()
  const body = bodyOf(ctx)
  ctx.respond = false
  ctx.res.setHeader('content-length', body.length)
  ctx.res.writeHead(ctx.status)
  ctx.res.write(body.subarray(0, settings.bytes), () => ctx.res.destroy())
}

export const halve: Play = async ({ ctx, next }) => {
  await next()
  const body = bodyOf(ctx)
  ctx.body = body.subarray(0, body.length / 2).toString()
  ctx.type = 'json'
}

type Write = (chunk: string, written?: () => void) => boolean

/** Hands what a stream writes to `hand` instead; each event is one write. */
export function onWrites(ctx: Context, hand: (chunk: string, write: Write) => boolean): void {
  const write = ctx.res.write.bind(ctx.res) as Write
  // Streams are written as text, without a callback.
  ctx.res.write = ((chunk: string) => hand(chunk, write)) as typeof ctx.res.write
}
const isEvent = (chunk: string) => chunk.startsWith('event:')

export const cutStream: Play = async ({ ctx, next, settings }) => {
  const { res } = ctx
  let left = settings.events
  onWrites(ctx, (chunk, write) => {
    if (left === 0) return true
    if (!isEvent(chunk)) return write(chunk)
    left -= 1
    if (left > 0) return write(chunk)
    // What the service writes on, and its end, no longer count.
    res.end = () => res
    return write(chunk, () => res.destroy())
  })
  await next()
}

export const silenceStream: Play = async ({ ctx, next, settings }) => {
  const { res } = ctx
  onWrites(ctx, (chunk, write) => isEvent(chunk) || write(chunk))
  res.end = () => res
  const timer = setInterval(() => res.write(':\n'), settings.ms)
  res.once('close', () => clearInterval(timer))
  await next()
}

export const doubleStream: Play = async ({ ctx, next }) => {
  onWrites(ctx, (chunk, write) => {
    if (isEvent(chunk)) write(chunk)
    return write(chunk)
  })
  await next()
}

export const lateStream: Play = async ({ ctx, next }) => {
  let last = ''
  onWrites(ctx, (chunk, write) => {
    const isLast = chunk.startsWith('event: done')
    if (!isLast && isEvent(chunk)) last = chunk
    write(chunk)
    return isLast ? write(last) : true
  })
  await next()
}

/** Tells again and again that everything begins anew, after the first event. */
export const stormStream: Play = async ({ ctx, next, settings }) => {
  let isOver = false
  onWrites(ctx, (chunk, write) => {
    const isFlowing = write(chunk)
    if (isOver || !isEvent(chunk)) return isFlowing
    isOver = true
    for (let cycle = 1; cycle <= settings.events; cycle++) write(toRefresh(chunk, cycle))
    return isFlowing
  })
  await next()
}

/** Of the same stream as the event. */
function toRefresh(event: string, cycle: number): string {
  const [, json = '{}'] = /^data: (.*)$/m.exec(event) ?? []
  // Written by the stream itself.
  const { tracking } = JSON.parse(json) as { readonly tracking?: unknown }
  return `event: refresh\ndata: ${JSON.stringify({ cycle, elapsedMs: 0, tracking })}\n\n`
}
