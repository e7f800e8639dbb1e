import { type ErrorCode, type ErrorFacts, ForkyardError } from './forkyardError.ts'
import { readRetryAfterSecs } from './retryAfter.ts'

export type Connection = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Default: the platform's. `wrapFetchWithPayment` of `@x402/fetch` fits. */
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly timeoutMs: number
}

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  /** Until the answer begins. */
  readonly timeoutMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>
type Operation = {
  readonly params?: Values
  readonly query?: Values
  readonly body?: unknown
  readonly answer: unknown
}
export type Operations = Readonly<Record<string, Operation>>

/** What a request of an operation holds besides its name. */
type Given = Partial<Omit<Operation, 'answer'>>

/** `call('POST /quote', { body })`, typed by the service's own document. */
export type Call<operations> = <name extends keyof operations & string>(
  name: name,
  given: Omit<operations[name], 'answer'>,
  options?: CallOptions,
) => Promise<operations[name] extends { readonly answer: infer answer } ? answer : never>

export function createCall<operations>(connection: Connection): Call<operations> {
  const call = async (name: string, given: Given, options: CallOptions = {}) => {
    const response = await send(connection, { name, given, options })
    return readAnswer(response)
  }
  // The document, from which `operations` are written, says what each of them answers.
  return call as Call<operations>
}

/** Resolves once an answer with a 2xx status begins. */
export async function send(
  connection: Connection,
  {
    name,
    given,
    options: { signal, timeoutMs = connection.timeoutMs, headers },
  }: { readonly name: string; readonly given: Given; readonly options: CallOptions },
): Promise<Response> {
  const [method = 'GET', path = '/'] = name.split(' ')
  const ask = connection.fetch ?? globalThis.fetch
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  try {
    const response = await ask(toUrl(connection.url, path, given), {
      method,
      headers: { ...connection.headers, ...headers },
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    })
    if (response.ok) return response
    throw await toError(response)
  } catch (cause) {
    if (cause instanceof ForkyardError) throw cause
    signal?.throwIfAborted()
    if (late.signal.aborted)
      throw new ForkyardError(`no answer within ${timeoutMs} ms`, { status: 0, code: 'timeout' })
    throw unreachable(cause)
  } finally {
    clearTimeout(timer)
  }
}

export function unreachable(cause: unknown): ForkyardError {
  return new ForkyardError('the service could not be reached', {
    status: 0,
    code: 'unreachable',
    cause,
  })
}

function toUrl(base: string, path: string, { params = {}, query = {} }: Given): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
  return `${base.replace(/\/$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`
}

async function readAnswer(response: Response): Promise<unknown> {
  const isText = response.headers.get('content-type')?.startsWith('text/') ?? false
  try {
    return isText ? await response.text() : await response.json()
  } catch (cause) {
    const { status } = response
    const requestId = response.headers.get('x-request-id') ?? undefined
    const facts = { status, code: 'unreadable_answer', requestId, cause } as const
    throw new ForkyardError('the answer could not be read', facts)
  }
}

type ErrorBody = {
  readonly error?: unknown
  readonly code?: unknown
  readonly details?: ErrorFacts['details']
}

async function toError(response: Response): Promise<ForkyardError> {
  const { status, headers } = response
  const body = await readErrorBody(response)
  const isOurs = typeof body.error === 'string' && typeof body.code === 'string'
  return new ForkyardError(isOurs ? String(body.error) : `status ${status} without a reason`, {
    status,
    code: isOurs ? (body.code as ErrorCode) : 'unreadable_answer',
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSecs: readRetryAfterSecs(headers.get('retry-after'), Date.now()),
    details: body.details,
    paymentRequired: headers.get('payment-required') ?? undefined,
    body,
  })
}

/** Whoever stands between may answer with a page. */
async function readErrorBody(response: Response): Promise<ErrorBody & Record<string, unknown>> {
  const text = await response.text()
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
