import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { named } from '../../http/schemas.ts'
import type { Audits } from '../audit/audits.ts'

/** Shorter than callers wait. */
const longestWaitMs = 20_000

const atMs = Type.Integer({ description: 'When it began: milliseconds of the Unix epoch' })
const audit = named(
  'Audit',
  Type.Object({
    runningSinceMs: Type.Optional(Type.Integer({ description: 'Of the audit under way' })),
    failedAtMs: Type.Optional(
      Type.Integer({ description: 'Of the newest, where it could not be made; the log says why' }),
    ),
    last: Type.Optional(
      named(
        'AuditVerdict',
        Type.Object({
          atMs,
          tookMs: Type.Integer(),
          found: Type.Integer({ description: 'Rows that do not balance; 0: the books balance' }),
          faults: Type.Array(
            named(
              'AuditFault',
              Type.Object({ check: Type.String(), row: Type.String(), found: Type.String() }),
            ),
            { description: 'The first hundred' },
          ),
        }),
      ),
    ),
  }),
)

/** Whether the books balance, as a thread beside this one finds; nobody waits for it but who asks. */
export function auditEndpoints(audits: () => Pick<Audits, 'state' | 'run'>): readonly Endpoint[] {
  const path = '/ops/money/audit'
  const last = { atMs: 1_700_000_000_000, tookMs: 40, found: 0, faults: [] }
  const shared = { path, output: audit, auth: 'none', examples: { output: { last } } } as const
  const tell = () => {
    const { last: verdict, ...rest } = audits().state()
    return { ...rest, ...(verdict && { last: { ...verdict, faults: [...verdict.faults] } }) }
  }
  return [
    endpoint({
      ...shared,
      method: 'get',
      summary: 'The last verdict on the books since this gateway started',
      handle: async () => tell(),
    }),
    endpoint({
      ...shared,
      method: 'post',
      summary: 'Audit the whole database, in a thread beside the gateway; chains are not asked',
      description: `One at a time: who asks meanwhile is answered with it. After ${longestWaitMs / 1_000} s the answer is that it still runs, and GET tells the rest.`,
      handle: async () => {
        const waiting = new AbortController()
        const { signal } = waiting
        await Promise.race([audits().run(), delay(longestWaitMs, undefined, { signal })])
        waiting.abort()
        return tell()
      },
    }),
  ]
}
