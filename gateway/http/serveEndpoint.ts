import type { Context } from 'koa'
import type { Access, Caller, Charge, RateLimitState } from './access.ts'
import type { Ending, Endings } from './ending.ts'
import type { Endpoint } from './endpoint.ts'
import { writeEventStream } from './eventStream.ts'
import { HttpError, httpError } from './httpError.ts'
import { type JsonBody, readJsonBody } from './readJsonBody.ts'
import { isReply, isStreamReply, type Reply, readJson, reply, type StreamReply } from './reply.ts'
import { createSpendMore } from './spendMore.ts'
import { tooManyRequests } from './tooManyRequests.ts'
import { endStage, type Trail } from './trail.ts'
import { checkShape } from './validate.ts'

export type ServeDeps = {
  readonly access: Access | undefined
  readonly maxBodyBytes: number
  readonly checkOutput: boolean
  readonly endings: Endings
}

export type RequestFacts = {
  readonly requestId: string
  readonly clientId: string | undefined
  readonly accept: string
  readonly ip: string
  readonly trail: Trail
}

type Facts = Omit<RequestFacts, 'trail'>

/** Whatever is thrown that is no refusal. */
const outage = { status: 500, isOfQuestion: false }
const noBody: JsonBody = { value: undefined, text: '' }

/** Identify, limit, validate, weigh, charge, handle, give back unless 2xx: the path of every request. */
export async function serveEndpoint(
  deps: ServeDeps,
  {
    ctx,
    endpoint,
    facts: { trail, ...facts },
  }: { ctx: Context; endpoint: Endpoint; facts: RequestFacts },
): Promise<void> {
  const { caller, room } = await admit(deps.access, { ctx, endpoint, facts })
  trail.keyId = caller?.keyId
  endStage(trail, 'admitMs')
  if (endpoint.streams && isFinishedStream(ctx)) {
    ctx.status = 204
    return
  }
  const input = await readInput(deps, ctx, endpoint)
  endStage(trail, 'readMs')
  const weight = Math.min(endpoint.extraWeightOf(input), room)
  if (deps.access && weight > 0) await limit(deps.access, { ctx, caller, ip: facts.ip, weight })
  const leave = await enter(deps.access, { endpoint, caller })
  try {
    await answerCharged(deps, { ctx, endpoint, facts: { trail, ...facts }, caller, input })
  } finally {
    leave?.()
  }
}

/** Charge, handle, give back unless 2xx. */
async function answerCharged(
  deps: ServeDeps,
  {
    ctx,
    endpoint,
    facts: { trail, ...facts },
    caller,
    input,
  }: {
    readonly ctx: Context
    readonly endpoint: Endpoint
    readonly facts: RequestFacts
    readonly caller: Caller | undefined
    readonly input: Input
  },
): Promise<void> {
  const charge = await chargeFor(deps.access, { ctx, endpoint, caller, input, facts })
  endStage(trail, 'chargeMs')
  if (charge?.status === 'replayed') return send(ctx, charge.reply)
  if (charge) {
    trail.units = endpoint.costOf(input)
    ctx.set(charge.headers)
  }

  const { streams, requests } = deps.endings
  const signals = lazySignal(ctx, endpoint.streams ? streams : requests)
  let answer: Reply | StreamReply
  try {
    const { method, path } = ctx
    const spendMore = createSpendMore(deps.access, { ...facts, trail, caller, method, path })
    const isPaying = charge?.isPaying === true
    const request = { ...input, ...facts, caller, isPaying, spendMore, takeSignal: signals }
    const value = await endpoint.handle(Object.assign(Object.create(signalled), request))
    answer = toAnswer(value, endpoint, deps.checkOutput)
  } catch (error) {
    endStage(trail, 'handleMs')
    const { status, isOfQuestion } = error instanceof HttpError ? error : outage
    await charge?.conclude({ status, body: '', isOfQuestion, hasLeft: hasLeft(ctx, deps.endings) })
    endStage(trail, 'concludeMs')
    throw error
  }
  endStage(trail, 'handleMs')
  if (isStreamReply(answer)) {
    for (const [name, value] of Object.entries(answer.headers)) ctx.res.setHeader(name, value)
    await charge?.conclude({ status: 200, body: '' })
    endStage(trail, 'concludeMs')
    return writeEventStream(ctx.res, {
      run: answer.run,
      requestId: facts.requestId,
      signal: signals(),
    })
  }
  const body = encode(answer.body)
  await charge?.conclude({ status: answer.status, body: typeof body === 'string' ? body : '' })
  endStage(trail, 'concludeMs')
  send(ctx, answer, body)
}

type Admitted = {
  readonly caller: Caller | undefined
  /** What more a request may weigh: one above the whole burst would never pass. */
  readonly room: number
}

async function admit(
  access: Access | undefined,
  { ctx, endpoint, facts }: { ctx: Context; endpoint: Endpoint; facts: Facts },
): Promise<Admitted> {
  if (!access) return { caller: undefined, room: 0 }
  let caller: Caller | undefined
  if (endpoint.auth === 'key') {
    caller = await access.identify({ headers: ctx.req.headers, ip: facts.ip })
    if (!caller) throw httpError('unauthorized')
  }
  const { weight } = endpoint
  const state = await limit(access, { ctx, caller, ip: facts.ip, weight })
  return { caller, room: state ? Math.max(0, state.limit - weight) : 0 }
}

async function enter(
  access: Access | undefined,
  { endpoint, caller }: { endpoint: Endpoint; caller: Caller | undefined },
): Promise<(() => void) | undefined> {
  if (!caller || !endpoint.isCharged) return undefined
  const asked = `${endpoint.method.toUpperCase()} ${endpoint.path}`
  return access?.enter?.({ caller, asked, isStream: endpoint.streams === true })
}

async function limit(
  access: Access,
  { ctx, ...request }: { ctx: Context; caller: Caller | undefined; ip: string; weight: number },
): Promise<RateLimitState | undefined> {
  const state = await access.limit(request)
  if (!state) return undefined
  ctx.set('x-ratelimit-limit', String(state.limit))
  ctx.set('x-ratelimit-remaining', String(state.remaining))
  ctx.set('x-ratelimit-reset', String(state.resetSecs))
  if (state.headers) ctx.set(state.headers)
  if (state.allowed) return state
  throw tooManyRequests(state.retryAfterSecs)
}

async function readInput({ maxBodyBytes }: ServeDeps, ctx: Context, endpoint: Endpoint) {
  const { validate } = endpoint
  const params: unknown = ctx['params']
  // Node's query object has no prototype; ajv writes defaults into a copy.
  const query: unknown = validate.query ? { ...ctx.query } : undefined
  const refusal = validate.params?.(params) ?? validate.query?.(query)
  if (refusal) throw refusal
  const json = validate.body ? await readJsonBody(ctx.req, { maxBytes: maxBodyBytes }) : noBody
  const wrong = validate.body?.(json.value)
  if (wrong) throw wrong
  // For what stands in front of the service, as a lab's faults do.
  ctx.state['body'] = json.value
  return { body: json.value, rawBody: json.text, query, params }
}

type Input = Awaited<ReturnType<typeof readInput>>

async function chargeFor(
  access: Access | undefined,
  {
    ctx,
    endpoint,
    caller,
    input,
    facts,
  }: {
    ctx: Context
    endpoint: Endpoint
    caller: Caller | undefined
    input: Input
    facts: Facts
  },
): Promise<Exclude<Charge, { status: 'refused' }> | undefined> {
  if (!access || !caller || !endpoint.isCharged) return undefined
  const cost = endpoint.costOf(input)
  const charge = await access.charge({
    caller,
    cost,
    questions: cost / endpoint.units,
    method: ctx.method,
    path: ctx.path,
    search: ctx.search,
    headers: ctx.req.headers,
    rawBody: input.rawBody,
    ip: facts.ip,
    requestId: facts.requestId,
  })
  if (charge.status === 'refused') throw charge.error
  return charge
}

function toAnswer(value: unknown, endpoint: Endpoint, checkOutput: boolean): Reply | StreamReply {
  if (isStreamReply(value)) return value
  if (checkOutput) {
    const plain = isReply(value) ? readJson(value) : value
    const problem = plain === undefined ? undefined : checkShape(endpoint.output, plain)
    if (problem) throw new Error(`the answer of ${endpoint.path} breaks its schema: ${problem}`)
  }
  return isReply(value) ? value : reply({ body: value })
}

function encode(body: unknown): string | Buffer | null {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body
  return body === undefined || body === null ? null : JSON.stringify(body)
}

function send(ctx: Context, answer: Reply, body = encode(answer.body)): void {
  ctx.status = answer.status
  ctx.body = body
  if (typeof answer.body === 'object' && !Buffer.isBuffer(answer.body) && body !== null)
    ctx.set('content-type', 'application/json; charset=utf-8')
  ctx.set(answer.headers)
}

/** A client that reconnects after our last event wants nothing more; 204 is what stops it. */
function isFinishedStream(ctx: Context): boolean {
  return ctx.get('last-event-id').endsWith(':done')
}

/**
 * Whether the client waits no more; whom a stop has dropped did not leave. What was under way is broken off then,
 * and fails: that is no fault of ours.
 */
export const hasLeft = ({ req, res }: Context, { requests }: Endings): boolean =>
  (res.closed || req.socket.readableEnded) && !requests.hasCome()

/** One for all: capturing a stack for each of many clients that leave at once would delay the rest. */
const clientLeft = new Error('the client left')

/**
 * What requests inherit. In a literal, each request's getter would make a hidden class of its own, which
 * only a full collection frees, and the request with it: every minor one would copy them all.
 */
const signalled = {
  takeSignal: (): AbortSignal => new AbortController().signal,
  get signal(): AbortSignal {
    return this.takeSignal()
  },
}

/** Made only when a handler asks: an AbortController per request is measurable on the hot path. */
function lazySignal(ctx: Context, ending: Ending): () => AbortSignal {
  let signal: AbortSignal | undefined
  return () => {
    if (signal) return signal
    const left = new AbortController()
    signal = left.signal
    const leave = () => {
      if (!ctx.res.writableEnded) left.abort(clientLeft)
    }
    if (ctx.res.closed || ctx.req.socket.readableEnded) leave()
    if (ctx.res.closed) return signal
    const forget = ending.tell(left)
    // Node answers nobody who has ended, and closes `res` a turn of the event loop later: where many
    // leave at once, that is after all of them were read.
    ctx.req.socket.once('end', leave)
    // `req` never closes once its body is read; `res` does.
    ctx.res.once('close', () => {
      ctx.req.socket.off('end', leave)
      forget()
      leave()
    })
    return signal
  }
}
