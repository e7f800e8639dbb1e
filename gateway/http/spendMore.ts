import type { Access, Caller } from './access.ts'
import type { HttpError } from './httpError.ts'
import { tooManyRequests } from './tooManyRequests.ts'
import type { Trail } from './trail.ts'

/** What a request that goes on takes beside what it cost to begin. Undefined: taken; else why it was not. */
export type SpendMore = (units: number) => Promise<HttpError | undefined>

type From = {
  readonly caller: Caller | undefined
  readonly ip: string
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly trail: Pick<Trail, 'units'>
}

/** Rate limit first, then quota of a key, each time under a reference of its own. */
export function createSpendMore(
  access: Access | undefined,
  { caller, ip, requestId, method, path, trail }: From,
): SpendMore {
  let times = 0
  return async (units) => {
    if (!access) return undefined
    const state = await access.limit({ caller, ip, weight: units })
    if (state && !state.allowed) return tooManyRequests(state.retryAfterSecs)
    if (!caller) return undefined
    times++
    // Without headers: what was paid or said for the first time counts once.
    const request = { method, path, search: '', headers: {}, rawBody: '', ip }
    const ref = `${requestId}:${times}`
    const charge = await access.charge({ ...request, caller, cost: units, requestId: ref })
    if (charge.status === 'refused') return charge.error
    if (charge.status === 'charged') {
      trail.units += units
      await charge.conclude({ status: 200, body: '' })
    }
    return undefined
  }
}
