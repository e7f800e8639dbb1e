import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { named, oneOf, withDefault } from '../../http/schemas.ts'
import { type Armed, type ArmedFaults, type Arming, targetsOf } from './armedFaults.ts'
import { type Fault, type FaultSettings, usualSettings } from './fault.ts'
import { faults } from './faults.ts'
import type { Lasting } from './lasting.ts'

const longestMs = 3_600_000
const setting = (minimum: number, description: string, maximum = longestMs) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }))
const settings: Readonly<Record<keyof FaultSettings, ReturnType<typeof setting>>> = {
  ms: setting(1, 'Milliseconds'),
  bytes: setting(0, 'Bytes that come through'),
  events: setting(1, 'Events'),
  retryAfterSecs: setting(1, 'Seconds of Retry-After'),
  blocks: setting(1, 'Blocks'),
  gwei: setting(0, 'Gwei of the base fee'),
  bps: setting(1, 'Basis points', 9_999),
}
const target = {
  service: Type.Optional(oneOf(['routing', 'meta', 'relay'])),
  path: Type.Optional(Type.String({ description: 'As requests name it: /quote' })),
  source: Type.Optional(
    Type.String({ description: 'Of source_…: only this one, by its name of GET /sources' }),
  ),
  chainId: Type.Optional(
    Type.Integer({ description: 'Of chain_… and node_…: only this chain; else each of the lab' }),
  ),
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
    after: withDefault(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        default: 0,
        description: 'So many of them pass first',
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
          targets: Type.Array(Type.String(), {
            description: 'What else can be said of whom it means',
          }),
          settings: Type.Unknown({ description: 'JSON Schema of its settings' }),
        }),
      ),
    ),
    armed: Type.Array(ArmedFault),
  }),
)

function fromArmed({ fault, left, ...armed }: Armed): Static<typeof ArmedFault> {
  const { service, path, source, chainId } = armed
  return {
    name: fault.name,
    left,
    // Only these can have been asked for.
    ...(service !== undefined && { service: service as 'routing' | 'meta' | 'relay' }),
    ...(path !== undefined && { path }),
    ...(source !== undefined && { source }),
    ...(chainId !== undefined && { chainId }),
  }
}

function fromFault(fault: Fault) {
  const { name, sentence, reads, usual } = fault
  const usually = { ...usualSettings, ...usual }
  const properties = reads.map((key) => [key, { ...settings[key], default: usually[key] }])
  return {
    name,
    sentence,
    targets: [...targetsOf(fault)],
    settings: Type.Object(Object.fromEntries(properties)),
  }
}

const targetNames = ['service', 'path', 'apiKey', 'clientId', 'source', 'chainId'] as const

/** What nobody knows where the fault is played would be said in vain. */
function checkTarget(asked: Arming): void {
  const fault = faults.find(({ name }) => name === asked.name)
  const strange = targetNames.find(
    (name) => fault && asked[name] !== undefined && !targetsOf(fault).includes(name),
  )
  if (strange !== undefined)
    throw httpError('invalidRequest', `${asked.name} means nobody by ${strange}`)
}

/** What arms, lists and forgets faults. */
export function faultEndpoints(armed: ArmedFaults, lasting: Lasting): readonly Endpoint[] {
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
            {
              name: 'reset',
              sentence: 'The connection closes without an answer',
              targets: ['service', 'path', 'apiKey', 'clientId'],
              settings: {},
            },
          ],
          armed: [],
        },
      },
      handle: async () => ({
        faults: faults.map(fromFault),
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
        checkTarget(body)
        const made = armed.arm(body)
        if (!made) throw new Error(`the schema lets ${body.name} through, which is no fault`)
        return fromArmed(made)
      },
    }),
    endpoint({
      method: 'post',
      path: '/lab/faults/clear',
      summary:
        'Forget the faults that wait, or those of one name, and take back what lasts of them on a chain',
      query: Type.Object({ name: Type.Optional(oneOf(faults.map(({ name }) => name))) }),
      output: named('Done', Type.Object({ done: Type.Boolean() })),
      auth: 'none',
      examples: { output: { done: true } },
      handle: async ({ query }) => {
        armed.clear(query.name)
        await lasting.end(query.name)
        return { done: true }
      },
    }),
  ]
}
