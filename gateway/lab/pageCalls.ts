import type { IncomingMessage } from 'node:http'
import { isExtension, isJsonType, type Pages } from '../http/pages.ts'
import { isPublicMethod } from './publicMethods.ts'

export type PageAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}
type Answered = { readonly do: 'answer'; readonly answer: PageAnswer }
/** `pass`: to the chain, and its answer with these headers to who asked. */
type Passed = { readonly do: 'pass'; readonly headers: Readonly<Record<string, string>> }
export type SenderVerdict = Answered | (Passed & { readonly isPage: boolean })
export type CallsVerdict = Answered | (Passed & { readonly body: Buffer })

/** Wallets in an extension are as good as a page of this machine. */
export const isTrustedPage = (pages: Pages, origin: string) =>
  pages.trusts(origin) || isExtension(origin)

/**
 * Who may ask a lab's chain: pages that send JSON, from an origin that the lab trusts. Whoever sends no Origin
 * is no page, or can neither send a call nor read an answer.
 */
export function judgeSender(pages: Pages, { method, headers }: IncomingMessage): SenderVerdict {
  const { origin } = headers
  if (origin === undefined) return { do: 'pass', isPage: false, headers: {} }
  if (!isTrustedPage(pages, origin)) return turnAway(403, `${origin} is not in LAB_ORIGINS`)
  const own = { 'access-control-allow-origin': origin, vary: 'origin' }
  if (method === 'OPTIONS') return { do: 'answer', answer: preflight(own, headers) }
  if (method !== 'POST') return turnAway(405, 'pages send POST', own)
  if (!isJsonType(headers['content-type'])) return turnAway(415, 'pages must send JSON', own)
  return { do: 'pass', isPage: true, headers: own }
}

/**
 * What a page may ask: what is public. The chain gets the calls as they were read here: it might read the
 * page's own bytes otherwise.
 */
export function judgeCalls(body: Buffer, headers: Readonly<Record<string, string>>): CallsVerdict {
  const calls = parse(body)
  const isOpen = calls !== undefined && (Array.isArray(calls) ? calls : [calls]).every(isPublicCall)
  if (isOpen) return { do: 'pass', headers, body: Buffer.from(JSON.stringify(calls)) }
  const said = calls === undefined ? noJson : toRefusals(calls)
  const answer = { status: 200, headers: { ...headers, ...json }, body: JSON.stringify(said) }
  return { do: 'answer', answer }
}

const noJson = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'this is no JSON' } }

const json = { 'content-type': 'application/json' }

function turnAway(status: number, sentence: string, headers = {}): Answered {
  const body = JSON.stringify({ error: sentence })
  return { do: 'answer', answer: { status, headers: { ...headers, ...json }, body } }
}

export function preflight(
  own: Readonly<Record<string, string>>,
  headers: IncomingMessage['headers'],
): PageAnswer {
  const isPrivate = headers['access-control-request-private-network'] === 'true'
  return {
    status: 204,
    headers: {
      ...own,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
      ...(isPrivate && { 'access-control-allow-private-network': 'true' }),
    },
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const isPublicCall = (call: unknown) =>
  typeof call === 'object' && call !== null && 'method' in call && isPublicMethod(call.method)

/** Of a batch with one closed method nothing is run. */
function toRefusals(calls: unknown): unknown {
  if (Array.isArray(calls)) return calls.map(toRefusals)
  const id = typeof calls === 'object' && calls !== null && 'id' in calls ? calls.id : null
  const error = { code: -32601, message: 'a page may not call this method, nor a batch with it' }
  return { jsonrpc: '2.0', id, error }
}
