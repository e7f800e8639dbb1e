import type { Context } from 'koa'
import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { named, oneOf, withDefault } from '../../http/schemas.ts'
import { type Armed, createArmedFaults } from './armedFaults.ts'
import type { FaultSettings } from './edge.ts'
import { faults, usualSettings } from './faults.ts'

const longestMs = 3_600_000
const setting = (minimum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: longestMs, description }))
const settings: Readonly<Record<keyof FaultSettings, ReturnType<typeof setting>>> = {
  ms: setting(1, `Milliseconds; else ${usualSettings.ms}`),
  bytes: setting(0, `Bytes that come through; else ${usualSettings.bytes}`),
  events: setting(1, `Events that come through; else ${usualSettings.events}`),
  retryAfterSecs: setting(1, `Seconds of Retry-After; else ${usualSettings.retryAfterSecs}`),
}
const target = {
  service: Type.Optional(oneOf(['routing', 'meta', 'relay'])),
  path: Type.Optional(Type.String({ description: 'As requests name it: /quote' })),
}

const FaultRequest = named(
  'FaultRequest',
  Type.Object({
    name: oneOf(faults.map(({ name }) => name)),
    times: withDefault(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 1,
        description: 'Of the next requests',
      }),
    ),
    ttlMs: withDefault(
      Type.Integer({
        minimum: 1,
        maximum: longestMs,
        default: 60_000,
        description: 'Then it is forgotten',
      }),
    ),
    ...target,
    apiKey: Type.Optional(
      Type.String({ description: 'Only requests with this key, as of a lease' }),
    ),
    clientId: Type.Optional(Type.String({ description: 'Only requests with this X-Client-Id' })),
    settings: Type.Optional(named('FaultSettings', Type.Object(settings))),
  }),
)
const ArmedFault = named(
  'ArmedFault',
  Type.Object({ name: Type.String(), left: Type.Integer(), ...target }),
)
const FaultList = named(
  'FaultList',
  Type.Object({
    faults: Type.Array(
      named(
        'Fault',
        Type.Object({
          name: Type.String(),
          sentence: Type.String(),
          settings: Type.Unknown({ description: 'JSON Schema of its settings' }),
        }),
      ),
    ),
    armed: Type.Array(ArmedFault),
  }),
)

function fromArmed({ fault, left, service, path }: Armed): Static<typeof ArmedFault> {
  return {
    name: fault.name,
    left,
    // Only these can have been asked for.
    ...(service !== undefined && { service: service as 'routing' | 'meta' | 'relay' }),
    ...(path !== undefined && { path }),
  }
}

/** Faults on demand: the endpoints that arm them, and what plays them in front of a service. */
export function createFaultEdge({ now }: { readonly now: () => number }) {
  const armed = createArmedFaults({ now })
  return {
    endpoints: faultEndpoints(armed),
    interrupt: (service: string) => async (ctx: Context, next: () => Promise<unknown>) => {
      const [apiKey, clientId] = [ctx.get('x-api-key'), ctx.get('x-client-id')]
      const request = { service, path: ctx.path, apiKey, clientId }
      const found = ctx.method === 'OPTIONS' ? undefined : armed.take(request)
      await (found ? found.fault.play({ ctx, next, settings: found.settings }) : next())
    },
  }
}

function faultEndpoints(armed: ReturnType<typeof createArmedFaults>): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/lab/faults',
      summary: 'The faults that can be asked for, and those that wait for their requests',
      output: FaultList,
      auth: 'none',
      examples: {
        output: {
          faults: [
            { name: 'reset', sentence: 'The connection closes without an answer', settings: {} },
          ],
          armed: [],
        },
      },
      handle: async () => ({
        faults: faults.map(({ name, sentence, reads }) => ({
          name,
          sentence,
          settings: Type.Object(Object.fromEntries(reads.map((key) => [key, settings[key]]))),
        })),
        armed: armed.list().map(fromArmed),
      }),
    }),
    endpoint({
      method: 'post',
      path: '/lab/faults',
      summary: 'Have the next requests go wrong',
      input: FaultRequest,
      output: ArmedFault,
      auth: 'none',
      examples: {
        input: { name: 'rate_limited', times: 2, service: 'routing', path: '/quote' },
        output: { name: 'rate_limited', left: 2, service: 'routing', path: '/quote' },
      },
      handle: async ({ body }) => {
        const made = armed.arm(body)
        if (!made) throw new Error(`the schema lets ${body.name} through, which is no fault`)
        return fromArmed(made)
      },
    }),
    endpoint({
      method: 'post',
      path: '/lab/faults/clear',
      summary: 'Forget the faults that wait',
      output: named('Done', Type.Object({ done: Type.Boolean() })),
      auth: 'none',
      examples: { output: { done: true } },
      handle: async () => {
        armed.clear()
        return { done: true }
      },
    }),
  ]
}
