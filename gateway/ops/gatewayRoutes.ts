import { Type } from 'typebox'
import type { ConsoleSession } from '../console/consoleSession.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { httpError } from '../http/httpError.ts'
import { reply, stream } from '../http/reply.ts'
import { named } from '../http/schemas.ts'
import type { LiveEvent, LiveEvents } from '../observe/liveEvents.ts'

export type GatewayFacts = {
  readonly version: string
  readonly mode: 'offline' | 'forked' | 'live'
  readonly services: Readonly<Record<'routing' | 'meta' | 'relay', string>>
  readonly chains: readonly { readonly chainId: number; readonly name: string }[]
}

type Deps = {
  readonly facts: GatewayFacts
  readonly events: LiveEvents
  readonly session: ConsoleSession | undefined
}

/** How often what happened is sent on, and how much of it at once; of more, how much more. */
const everyMs = 250
const mostAtOnce = 50

const done = named('Done', Type.Object({ done: Type.Boolean() }))

const liveEvents = named(
  'LiveEvents',
  Type.Object({
    events: Type.Array(
      named(
        'LiveEvent',
        Type.Object({
          atMs: Type.Integer({ description: 'Milliseconds of the Unix epoch' }),
          kind: Type.Unsafe<LiveEvent['kind']>({
            type: 'string',
            enum: ['answered', 'sync', 'fork', 'relay'],
          }),
          what: Type.String(),
          chainId: Type.Optional(Type.Integer()),
          status: Type.Optional(Type.Integer()),
          durationMs: Type.Optional(Type.Number()),
        }),
      ),
    ),
    more: Type.Integer(),
  }),
)

/** What operators' tools and the console read of a gateway; whoever serves them asks who reads first. */
export function gatewayEndpoints({ facts, events, session }: Deps): readonly Endpoint[] {
  const url = Type.String({ description: 'Where callers reach it' })
  return [
    endpoint({
      method: 'get',
      path: '/ops/gateway',
      summary: 'What this gateway is: version, mode, services, chains',
      output: named(
        'GatewayFacts',
        Type.Object({
          version: Type.String(),
          mode: Type.Unsafe<GatewayFacts['mode']>({
            type: 'string',
            enum: ['offline', 'forked', 'live'],
          }),
          services: Type.Object({ routing: url, meta: url, relay: url }),
          chains: Type.Array(Type.Object({ chainId: Type.Integer(), name: Type.String() })),
        }),
      ),
      auth: 'none',
      examples: {
        output: {
          version: '0.1.0',
          mode: 'live',
          services: {
            routing: 'https://routing.example',
            meta: 'https://meta.example',
            relay: 'https://relay.example',
          },
          chains: [{ chainId: 8453, name: 'Base' }],
        },
      },
      handle: async () => ({ ...facts, chains: [...facts.chains] }),
    }),
    endpoint({
      method: 'get',
      path: '/ops/events',
      summary: 'What happens, as it happens: requests answered, chains, forks, the relay',
      description: `Every ${everyMs} ms in which something happened, an event \`events\` with up to ${mostAtOnce} of them; \`more\` counts those left out.`,
      streams: true,
      events: { events: liveEvents },
      output: liveEvents,
      auth: 'none',
      handle: async () => stream((sink, signal) => sendOn(events, { sink, signal })),
    }),
    endpoint({
      method: 'post',
      path: '/ops/login',
      summary: "Give the operators' token, get a cookie that a page's scripts cannot read",
      input: named('LoginRequest', Type.Object({ token: Type.String({ maxLength: 1_000 }) })),
      output: done,
      auth: 'none',
      examples: { input: { token: '…' }, output: { done: true } },
      handle: async ({ body }) => {
        if (!session) throw httpError('forbidden', 'no token of an operator is set (OPS_TOKEN)')
        if (!session.isToken(body.token))
          throw httpError('unauthorized', "this is not the operators' token")
        return reply({ body: { done: true }, headers: { 'set-cookie': session.open() } })
      },
    }),
    endpoint({
      method: 'post',
      path: '/ops/logout',
      summary: 'Take the cookie back',
      output: done,
      auth: 'none',
      examples: { output: { done: true } },
      handle: async () =>
        reply({
          body: { done: true },
          headers: session ? { 'set-cookie': session.close() } : {},
        }),
    }),
  ]
}

type Run = Parameters<typeof stream>[0]

/** Sends what happens until the reader leaves; who reads slowly gets less, never later. */
async function sendOn(
  events: LiveEvents,
  { sink, signal }: { readonly sink: Parameters<Run>[0]; readonly signal: AbortSignal },
): Promise<void> {
  let waiting: LiveEvent[] = []
  let more = 0
  let isFlowing = true
  const unwatch = events.watch((event) => {
    if (waiting.length < mostAtOnce) waiting.push(event)
    else more += 1
  })
  const timer = setInterval(() => {
    if (waiting.length === 0 || !isFlowing) return
    isFlowing = sink.send('events', { events: waiting, more })
    waiting = []
    more = 0
    if (!isFlowing)
      void sink.drained().then(() => {
        isFlowing = true
      })
  }, everyMs)
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  } finally {
    clearInterval(timer)
    unwatch()
  }
}
