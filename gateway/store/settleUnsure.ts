import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { closeFence, untilAnswered } from './chargeFences.ts'
import type { ChargeParameters, ChargeResult, Ledger } from './ledger.ts'
import { StoreUnavailable } from './storeUnavailable.ts'

type Job = {
  readonly charge: ChargeParameters
  readonly resolve: (result: ChargeResult) => void
  readonly reject: (error: unknown) => void
}
type Deps = {
  readonly pool: Pool
  readonly ledger: Pick<Ledger, 'conclude' | 'balance'>
  /** As long a request waits for the end of its charge. */
  readonly heldForMs: number
}

/**
 * Server gone or going, connection lost: https://www.postgresql.org/docs/current/errcodes-appendix.html
 * 57P03 is for who wants a connection, and has asked for nothing yet.
 */
const unsureCodes = /^(08|40003|57P(?!03))/

/** The server has not said no, and may have been asked: the transaction's end is not known. */
export function isUnsure(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const { code, message = '' } = (cause ?? {}) as { code?: unknown; message?: string }
  if (/^[0-9A-Z]{5}$/.test(String(code))) return unsureCodes.test(String(code))
  return code !== 'ECONNREFUSED' && !/connect/.test(message)
}

/**
 * A connection broke while charges were committed on it. Nobody is told that they were refused before it is
 * known: a refusal that is not true would stay in the books if this process died. Who was charged is served
 * after all; who waits for too long is told that it is not known, and given back what it turns out to have
 * paid.
 */
export async function settleUnsure(
  { pool, ledger, heldForMs }: Deps,
  {
    cause,
    fence,
    jobs,
  }: { readonly cause: unknown; readonly fence: string; readonly jobs: readonly Job[] },
): Promise<void> {
  let isHeld = true
  void wait(heldForMs, undefined, { ref: false }).then(() => {
    if (!isHeld) return
    isHeld = false
    const refs = jobs.map(({ charge: { keyId, ref } }) => `${keyId} ${ref}`).join(', ')
    for (const { reject } of jobs) reject(new ChargeUnknown(refs, { cause }))
  })
  const charged = new Set(await closeFence(pool, fence))
  const wasHeld = isHeld
  isHeld = false
  for (const [index, { charge, resolve, reject }] of jobs.entries()) {
    if (!charged.has(charge.keyId)) reject(cause)
    else if (wasHeld) {
      const balance = await untilAnswered(() => ledger.balance(charge.keyId))
      resolve({ status: 'charged', balance })
    } else {
      // That may end unheard as well: by a name of its own it is made once, however often it is asked for.
      const once = { ...charge, fence: `${fence} ${index}`, answer: undefined }
      void untilAnswered(() => ledger.conclude(once))
    }
  }
}

/** The log says whose charge it was, for an operator whose gateway dies before the database is back. */
class ChargeUnknown extends StoreUnavailable {
  override name = 'ChargeUnknown'
  constructor(refs: string, { cause }: { readonly cause: unknown }) {
    super(`whether these were charged is not known yet: ${refs}`, { cause })
  }
}
