import { randomUUID } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import { createReadClientIp } from './clientIp.ts'
import { docsEndpoints } from './docsEndpoints.ts'
import { createEndings, type Endings } from './ending.ts'
import type { Endpoint } from './endpoint.ts'
import { toHttpError, writeError } from './handleErrors.ts'
import { type HttpError, httpError } from './httpError.ts'
import { linger } from './linger.ts'
import { type Listening, listen } from './listen.ts'
import { createPageDoor } from './pageDoor.ts'
import { hasLeft, type ServeDeps, serveEndpoint } from './serveEndpoint.ts'
import type { ServiceOptions } from './serviceOptions.ts'
import { createTrail, endTrail } from './trail.ts'

export type { Listening } from './listen.ts'

export type Service = {
  readonly app: Koa
  readonly endpoints: readonly Endpoint[]
  listen(address?: { port?: number; host?: string }): Promise<Listening>
}

const requests = tracingChannel('forkyard.http')
const printable = /^[\x21-\x7e]{1,128}$/

/** A Koa application out of a table of endpoints, with its errors, limits, OpenAPI document and docs page. */
export function createService(options: ServiceOptions): Service {
  const { name, access, log, requestIdField = 'request_id' } = options
  const { maxBodyBytes = 262_144, checkOutput = false, pages, interrupt } = options
  const endpoints = [...options.endpoints, ...docsEndpoints(options)]
  if (!access && endpoints.some(({ auth }) => auth === 'key'))
    throw new Error(`${name} has endpoints with a key but was given no access`)
  const endings = createEndings()
  const deps: ServeDeps = { access, maxBodyBytes, checkOutput, endings }
  const app = new Koa()
  // A proxy knows a charged path by its one spelling: another must not be answered, and charged, as well.
  const router = new Router({ strict: true, sensitive: true })

  app.use(createAnswer(options, endings))
  if (pages) app.use(createPageDoor(pages))
  if (interrupt) app.use(interrupt)
  for (const endpoint of endpoints)
    router[endpoint.method](endpoint.path, (ctx) => {
      ctx.state['path'] = endpoint.path
      return serveEndpoint(deps, { ctx, endpoint, facts: ctx.state['facts'] })
    })
  dropChargedHead(router, endpoints)
  app.use(answerPreflight)
  app.use(router.routes())
  app.use((ctx) => answerUnmatched(ctx, router))
  app.on('error', (err: unknown, ctx?: Context) => {
    // Whoever resets his connection while he is answered is no fault of ours.
    if (err !== ctx?.req.socket.errored) log.error({ err }, 'response failed')
  })

  return {
    app,
    endpoints,
    listen: ({ port = 0, host = '127.0.0.1' } = {}) =>
      listen({ app, endings, requestIdField, bound: options.connections, log }, { port, host }),
  }
}

/** Outermost: names the request, turns what is thrown into the error body, reports the answer. */
function createAnswer(options: ServiceOptions, endings: Endings) {
  const { name, log, observe, requestIdField = 'request_id', trustedProxies = [] } = options
  const readClientIp = createReadClientIp(trustedProxies)
  type Step = {
    attributes: Readonly<Record<string, string | number | boolean>>
    /** Given by who makes traces of the steps, where this one is sent on. */
    traceId?: string
    /** Given by who watches steps: how long each kind was under way. */
    took?: () => Readonly<Record<string, number>>
  }
  async function answer(ctx: Context, next: () => Promise<unknown>, step: Step): Promise<void> {
    const started = performance.now()
    const requestId = readToken(ctx, 'x-request-id') ?? randomUUID()
    const trail = createTrail(started)
    ctx.state['facts'] = {
      requestId,
      trail,
      clientId: readToken(ctx, 'x-client-id'),
      accept: ctx.get('accept'),
      ip: readClientIp(ctx.req),
    }
    setCommonHeaders(ctx, requestId)
    let failure: HttpError | undefined
    let isForNobody = false
    try {
      checkTarget(ctx)
      await next()
    } catch (error) {
      failure = toHttpError(error, options)
      isForNobody = failure.status >= 500 && hasLeft(ctx, endings)
      // A refusal of the table without a cause is an expected outcome; `observe` counts it.
      if (failure.status >= 500 && failure.cause !== undefined)
        log[isForNobody ? 'info' : 'error'](
          { err: failure.cause, requestId, path: ctx.path },
          isForNobody ? 'the caller left' : 'request failed',
        )
      if (!ctx.res.headersSent) writeError(ctx, { error: failure, requestId, requestIdField })
    }
    endTrail(trail)
    sayWhenToReturn(ctx)
    linger(ctx.req, ctx.res)
    // Who stops has its client open no second request on the connection.
    if (endings.streams.hasCome() && !ctx.res.headersSent) ctx.set('connection', 'close')
    const { method } = ctx
    const path = String(ctx.state['path'] ?? 'unmatched')
    const answered = ctx.res.headersSent ? ctx.res.statusCode : ctx.status
    const status = isForNobody ? leftStatus : answered
    step.attributes = {
      name: `${method} ${path}`,
      service: name,
      'http.request.method': method,
      'http.route': path,
      'http.response.status_code': status,
      requestId,
      units: trail.units,
      failed: status >= 500,
    }
    observe?.({
      service: name,
      method,
      path,
      status,
      durationMs: performance.now() - started,
      requestId,
      code: isForNobody ? 'client_left' : failure?.code,
      traceId: step.traceId,
      steps: step.took?.(),
      trail,
    })
  }
  return (ctx: Context, next: () => Promise<unknown>) => {
    const step: Step = { attributes: {} }
    return requests.tracePromise(() => answer(ctx, next, step), step)
  }
}

/** As nginx counts who did not wait for an answer; nobody is sent it. */
const leftStatus = 499

/** A target `http://[::1` is HTTP to Node's parser; asked for its path, Koa throws wherever that is. */
function checkTarget(ctx: Context): void {
  try {
    void ctx.path
  } catch {
    throw httpError('invalidRequest', 'this is not valid HTTP')
  }
}

/** Who knows better has said so; a service that is out of order may be back at once. */
function sayWhenToReturn(ctx: Context): void {
  if (ctx.status !== 503 || ctx.res.headersSent || ctx.response.get('retry-after')) return
  ctx.set('retry-after', '1')
}

function readToken(ctx: Context, header: string): string | undefined {
  const value = ctx.req.headers[header]
  return typeof value === 'string' && printable.test(value) ? value : undefined
}

const exposedHeaders = [
  'x-request-id, retry-after, allow, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
  'ratelimit, ratelimit-policy, x-quota-remaining, payment-required, payment-response',
].join(', ')

/** Open to every origin: there are no cookies, so a foreign page can do nothing its author could not. */
function setCommonHeaders(ctx: Context, requestId: string): void {
  const { res } = ctx
  res.setHeader('x-request-id', requestId)
  res.setHeader('access-control-allow-origin', '*')
  res.setHeader('access-control-expose-headers', exposedHeaders)
  res.setHeader('x-content-type-options', 'nosniff')
}

async function answerPreflight(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  const method = ctx.get('access-control-request-method')
  if (ctx.method !== 'OPTIONS' || method === '') {
    await next()
    return
  }
  ctx.status = 204
  ctx.set('access-control-allow-methods', 'GET, HEAD, POST')
  const headers = ctx.get('access-control-request-headers')
  if (headers !== '') ctx.set('access-control-allow-headers', headers)
  ctx.set('access-control-max-age', '86400')
}

/** The router answers HEAD wherever it answers GET; nobody is to pay for an answer without a body. */
function dropChargedHead(router: Router, endpoints: readonly Endpoint[]): void {
  const charged = endpoints.filter(({ isCharged }) => isCharged).map(({ path }) => path)
  for (const layer of router.stack)
    if (charged.some((path) => path === layer.path))
      layer.methods = layer.methods.filter((method) => method !== 'HEAD')
}

function answerUnmatched(ctx: Context, router: Router): void {
  const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
  if (methods.size === 0)
    throw httpError('notFound', `there is nothing at ${ctx.path.slice(0, 200)}`)
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204
    ctx.set('allow', allow)
    return
  }
  throw httpError('methodNotAllowed', `this path answers ${allow} only`, { headers: { allow } })
}
