import { createHash } from 'node:crypto'
import type { RequestEvent } from '../http/serviceOptions.ts'

/** Milliseconds with two digits: a line is for people and sums, not for proofs. */
const toMs = (ms: number) => Math.round(ms * 100) / 100

/** Who reads logs tells callers apart by it, and learns no key's name from it. */
export const hashKeyId = (keyId: string) =>
  createHash('sha256').update(keyId).digest('hex').slice(0, 16)

/** The line of one request; never a body, a query, a key or an address. */
export function accessLine({ trail, steps = {}, ...event }: RequestEvent): object {
  const { service, method, path: route, status, code, requestId, durationMs } = event
  const isKept = status >= 200 && status < 300
  return {
    requestId,
    service,
    method,
    route,
    status,
    ...(code !== undefined && { code }),
    ...(trail.keyId !== undefined && { key: hashKeyId(trail.keyId) }),
    units: isKept ? trail.units : 0,
    ms: toMs(durationMs),
    stages: {
      admit: toMs(trail.admitMs),
      read: toMs(trail.readMs),
      charge: toMs(trail.chargeMs),
      handle: toMs(trail.handleMs),
      conclude: toMs(trail.concludeMs),
      send: toMs(trail.sendMs),
    },
    steps: Object.fromEntries(Object.entries(steps).map(([step, ms]) => [step, toMs(ms)])),
  }
}
