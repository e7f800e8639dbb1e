import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { createConnections } from './connections.ts'
import { isPrivateAddress } from './privateAddress.ts'
import { fail, type SourceFailure } from './source.ts'

/** No provider's answer is larger; the largest recorded one has 14 kB. */
const maxBodyBytes = 2 * 1024 * 1024
const maxDetail = 120

export type HttpCall = {
  readonly method?: 'GET' | 'POST' | undefined
  /** Below the base URL, without a query. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Sent as it is: already JSON. */
  readonly body?: string | undefined
  readonly signal: AbortSignal
  /** What a provider's own error body means; undefined leaves it to the status. */
  readonly readError?: ((body: unknown) => SourceFailure | undefined) | undefined
}

export type HttpAnswer =
  | { readonly status: 'ok'; readonly body: unknown; readonly text: string }
  | SourceFailure

export type ProviderHttp = {
  call(p: HttpCall): Promise<HttpAnswer>
  close(): Promise<void>
}

/** Thrown at start for a base URL that must not be called. */
class UnsafeBaseUrl extends Error {
  override readonly name = 'UnsafeBaseUrl'
}

/** Resolves names to public addresses only, at connect time: a name may change after a check. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return callback(error, '', 4)
    const allowed = found.filter(({ address }) => !isPrivateAddress(address))
    const [first] = allowed
    if (!first) {
      const refusal: NodeJS.ErrnoException = new Error('the name resolves to a private address')
      refusal.code = 'EPRIVATE'
      return callback(refusal, '', 4)
    }
    if (options.all) return callback(null, allowed)
    return callback(null, first.address, first.family)
  })
}

function checkBaseUrl(baseUrl: string, allowPrivate: boolean): URL {
  const url = new URL(baseUrl)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UnsafeBaseUrl('a base URL carries no credentials, query or fragment')
  if (allowPrivate) return url
  if (url.protocol !== 'https:') throw new UnsafeBaseUrl('a base URL must be https')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isPrivateAddress(host))
    throw new UnsafeBaseUrl('a base URL must not name a private address')
  return url
}

/** Milliseconds of a Retry-After header: seconds or an HTTP date. */
function readRetryAfter(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

/** Foreign text, short enough to show, in printable ASCII and without anything like a URL. */
export function clip(text: unknown): string | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  const clean = String(text)
    .replaceAll(/[a-z]+:\/\/\S+/gi, '…')
    .replaceAll(/[^\x20-\x7e…]/g, ' ')
    .trim()
  return clean === '' ? undefined : clean.slice(0, maxDetail)
}

function failureOfStatus(status: number, retryAfterMs: number | undefined): SourceFailure {
  const detail = `HTTP ${status}`
  if (status === 429) return { ...fail('rate_limited', detail), retryAfterMs }
  if (status === 401 || status === 403) return fail('not_configured', `${detail}: access refused`)
  if (status >= 500)
    return {
      ...fail('upstream_error', detail),
      retryAfterMs,
      transient: status !== 500 && status !== 501,
    }
  if (status >= 300 && status < 400) return fail('invalid_response', 'answers with a redirect')
  return fail('no_route', detail)
}

async function readText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop destroys the body, and with it the socket.
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Shorter parts than this are no secrets, and masking them would maim answers. */
const shortestSecret = 8

/** A key whole, and its parts where it has some, as `id:secret:passphrase`. */
const secretsOf = (key: string): readonly string[] =>
  [key, ...key.split(':')].filter(({ length }) => length >= shortestSecret)

/**
 * HTTP to one provider, at its configured base URL only: no redirects, bounded bodies, no private
 * addresses unless allowed, and an abort that closes the socket. Answers are values.
 */
export function createHttp({
  baseUrl,
  allowPrivate,
  now,
  key = '',
}: {
  readonly baseUrl: string
  readonly allowPrivate: boolean
  readonly now: () => number
  /** Some tell whose key it was that they refuse, and callers are told what they say. */
  readonly key?: string | undefined
}): ProviderHttp {
  const secrets = secretsOf(key)
  const base = checkBaseUrl(baseUrl, allowPrivate)
  const root = base.pathname.replace(/\/$/, '')
  const connections = createConnections({
    origin: base.origin,
    lookup: allowPrivate ? undefined : publicLookup,
  })

  async function send({ method = 'GET', path, query = {}, headers = {}, body, signal }: HttpCall) {
    const url = new URL(`${root}${path}`, base.origin)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    return connections.use(signal, async (client) => {
      const answer = await client.request({
        path: `${url.pathname}${url.search}`,
        method,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...Object.fromEntries(given),
        },
        ...(body === undefined ? {} : { body }),
      })
      const retryAfterMs = readRetryAfter(answer.headers['retry-after'], now())
      return { status: answer.statusCode, text: await readText(answer.body), retryAfterMs }
    })
  }

  async function call(p: HttpCall): Promise<HttpAnswer> {
    let answer: Awaited<ReturnType<typeof send>>
    try {
      answer = await send(p)
    } catch (error) {
      p.signal.throwIfAborted()
      const code = clip((error as NodeJS.ErrnoException).code) ?? 'unknown'
      return { ...fail('upstream_error', `connection: ${code}`), transient: code !== 'EPRIVATE' }
    }
    const { status, retryAfterMs } = answer
    if (answer.text === undefined) return fail('invalid_response', 'the body is too large')
    const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), answer.text)
    const json = parseJson(text)
    const known = json && p.readError?.(json.value)
    if (known) return { ...known, retryAfterMs: known.retryAfterMs ?? retryAfterMs }
    if (status < 200 || status > 299) return failureOfStatus(status, retryAfterMs)
    if (!json) return fail('invalid_response', 'the body is not JSON')
    return { status: 'ok', body: json.value, text }
  }
  return { call, close: connections.close }
}
