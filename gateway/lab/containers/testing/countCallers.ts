import { Agent, request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { restMsOf } from './loadPace.ts'

/** Where callers ask: the proxy's port for TLS on loopback, and their key. */
export type Door = { readonly port: number; readonly apiKey: string }

type Asked = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

/** How often each status came; in place of one what went wrong, where no answer came whole. */
type Counts = ReadonlyMap<number | string, number>

export type CallersOfKind = { readonly name: string; readonly counts: Counts }

/** The status of an answer that came whole, and its text; what went wrong where none did. */
const ask = (door: Door, agent: Agent, { method, path, body }: Asked) =>
  new Promise<{ readonly status: number | string; readonly text: string }>((resolve) => {
    const fail = ({ code = 'cut off' }: NodeJS.ErrnoException) =>
      resolve({ status: code, text: '' })
    const sent = request({
      host: '127.0.0.1',
      port: door.port,
      servername: 'routing.localhost',
      rejectUnauthorized: false,
      agent,
      method,
      path,
      headers: {
        host: 'routing.localhost',
        'x-api-key': door.apiKey,
        ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      },
    })
    sent.on('error', fail).on('response', (response) => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('error', fail)
        .on('data', (chunk) => {
          text += chunk
        })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })

/** What was booked for the key. */
export async function readBooked(door: Door): Promise<number> {
  const agent = new Agent()
  const { text } = await ask(door, agent, { method: 'GET', path: '/auth/key-info' })
  return Number(JSON.parse(text).quota_used)
}

export type Calling = ReturnType<typeof startCallers>

/**
 * Callers that POST quotes one after the other, no faster than a network may, until they are told to stop: over
 * connections kept, and over new ones.
 */
export function startCallers(
  door: Door,
  { ofEachKind, bodyOf }: { readonly ofEachKind: number; bodyOf(count: number): object },
) {
  let isOver = false
  const restMs = restMsOf(2 * ofEachKind)
  async function call(isKept: boolean, counts: Map<number | string, number>) {
    const agent = new Agent({ keepAlive: isKept, maxSockets: 1 })
    for (let count = 1; !isOver; count += 1) {
      const body = JSON.stringify(bodyOf(count))
      const { status } = await ask(door, agent, { method: 'POST', path: '/quote', body })
      counts.set(status, (counts.get(status) ?? 0) + 1)
      await wait(restMs)
    }
    agent.destroy()
  }
  const kinds = [
    { name: 'over connections kept', isKept: true },
    { name: 'over new connections', isKept: false },
  ].map((kind) => ({ ...kind, counts: new Map<number | string, number>() }))
  const calling = kinds.flatMap(({ isKept, counts }) =>
    Array.from({ length: ofEachKind }, () => call(isKept, counts)),
  )
  return {
    answered: () => countAnswered(kinds),
    /** How often this came so far. */
    met: (status: number | string) =>
      kinds.reduce((sum, { counts }) => sum + (counts.get(status) ?? 0), 0),
    async stop(): Promise<readonly CallersOfKind[]> {
      isOver = true
      await Promise.all(calling)
      return kinds
    },
  }
}

export const countAnswered = (kinds: readonly CallersOfKind[]) =>
  kinds.reduce((sum, { counts }) => sum + (counts.get(200) ?? 0), 0)

export const tellCounts = (counts: Counts) =>
  [...counts].map(([status, count]) => `${status}: ${count}`).join(', ')
