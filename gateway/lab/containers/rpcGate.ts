import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { createPages, isJsonType, type Pages } from '../../http/pages.ts'
import { isTrustedPage, preflight } from '../pageCalls.ts'
import { isPublicMethod } from '../publicMethods.ts'

export type RpcGate = { readonly port: number; readonly close: () => Promise<void> }

type Call = { readonly id?: unknown; readonly method?: unknown }

const maxBodyBytes = 4 * 2 ** 20
const upstreamTimeoutMs = 30_000
const mostCalls = 1_000

const refusal = (id: unknown, message: string) => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code: -32601, message },
})

/** A node's errors may quote the URL of its own upstream, key and all. */
const withoutUrls = (text: string) => text.replaceAll(/\b(?:https?|wss?):\/\/[^\s"'\\)]+/g, '[url]')

const digest = (text: string) => createHash('sha256').update(text).digest()

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // told so by the caller of this
  }
}

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value

/**
 * Stands before a lab's chain. Without a token it takes the public methods only; with one it takes every
 * method from whoever gives the token as bearer or as the path.
 */
export async function openRpcGate({
  upstreamUrl,
  host,
  port,
  token,
  pages = createPages({ origins: [] }),
}: {
  readonly upstreamUrl: string
  readonly host: string
  readonly port: number
  readonly token?: string | undefined
  /** Those that may read what is public; the door with a token has no use for any. */
  readonly pages?: Pages | undefined
}): Promise<RpcGate> {
  const isAllowed = ({ method }: Call) => token !== undefined || isPublicMethod(method)

  function isKnown({ headers, url }: IncomingMessage): boolean {
    if (token === undefined) return true
    const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? (url ?? '').slice(1)
    return timingSafeEqual(digest(given), digest(token))
  }

  async function pass(calls: readonly Call[]): Promise<readonly unknown[]> {
    if (calls.length === 0) return []
    const { body } = await request(upstreamUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
      headersTimeout: upstreamTimeoutMs,
      bodyTimeout: upstreamTimeoutMs,
    })
    const answers = parse(withoutUrls(await body.text()))
    if (answers === undefined) throw new Error('the chain answers no JSON')
    return Array.isArray(answers) ? answers : [answers]
  }

  async function answer(body: unknown): Promise<unknown> {
    const calls = Array.isArray(body) ? body : [body]
    if (calls.length === 0 || calls.length > mostCalls || !calls.every(isCall))
      return refusal(null, 'a JSON-RPC call, or an array of at most 1000, was expected')
    const refused = calls
      .filter((call) => !isAllowed(call))
      .map(({ id }) => refusal(id, 'the method is not served here'))
    const answered = await pass(calls.filter(isAllowed)).catch(() => undefined)
    if (!answered) return refusal(null, 'the chain does not answer')
    const answers = [...answered, ...refused]
    return Array.isArray(body) ? answers : answers[0]
  }

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, 'content-type': type } = message.headers
    if (origin !== undefined) {
      if (token !== undefined || !isTrustedPage(pages, origin))
        return void response.writeHead(403).end()
      const own = { 'access-control-allow-origin': origin, vary: 'origin' }
      if (message.method === 'OPTIONS')
        return void response.writeHead(204, preflight(own, message.headers).headers).end()
      for (const [name, value] of Object.entries(own)) response.setHeader(name, value)
      if (!isJsonType(type)) return void response.writeHead(415).end()
    }
    if (message.method === 'OPTIONS') return void response.writeHead(204).end()
    if (message.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    if (!isKnown(message)) return void response.writeHead(401).end()
    const body = await readBody(message)
    if (body === undefined) return void response.writeHead(413).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(await answer(parse(body))))
  }

  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
