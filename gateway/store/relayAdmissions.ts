import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { lock, sql } from './program.ts'

/** Migration: who had a new deployment sponsored within the last hour, where operators ask. */
export const relayAdmissionsSchema = ({ rowId, integer, table }: Dialect) => `
CREATE TABLE relay_admissions (
  id ${rowId},
  chain_id ${integer} NOT NULL,
  network TEXT NOT NULL,
  is_signed ${integer} NOT NULL,
  at_ms ${integer} NOT NULL
) ${table};
CREATE INDEX relay_admissions_by_age ON relay_admissions (chain_id, at_ms);
`

export type AdmissionAsked = {
  readonly chainId: number
  readonly network: string
  readonly isSigned: boolean
  readonly nowMs: number
  readonly windowMs: number
  /** Of this network, and without a signature, in the window; undefined: no cap. */
  readonly maxOfNetwork: number | undefined
  readonly maxUnsigned: number | undefined
}

export type AdmissionTaken =
  | { readonly status: 'taken'; readonly id: number }
  | { readonly status: 'refused'; readonly by: 'network' | 'share'; readonly retryAfterMs: number }

export type RelayAdmissions = {
  /** Counts and takes in one transaction, whatever process asks. */
  take(asked: AdmissionAsked): Promise<AdmissionTaken>
  /** What was taken came to nothing. */
  giveBack(id: number): Promise<void>
}

type Counted = { readonly count: number; readonly oldest: number | null }
const forget = sql('DELETE FROM relay_admissions WHERE chain_id = ? AND at_ms <= ?')
const ofNetwork = sql<Counted>(
  'SELECT COUNT(*) AS count, MIN(at_ms) AS oldest FROM relay_admissions WHERE chain_id = ? AND network = ?',
)
const unsigned = sql<Counted>(
  'SELECT COUNT(*) AS count, MIN(at_ms) AS oldest FROM relay_admissions WHERE chain_id = ? AND is_signed = 0',
)
const insert = sql<{ id: number }>(
  'INSERT INTO relay_admissions (chain_id, network, is_signed, at_ms) VALUES (?, ?, ?, ?) RETURNING id',
)
const remove = sql('DELETE FROM relay_admissions WHERE id = ?')

export function createRelayAdmissions(engine: Engine): RelayAdmissions {
  return {
    take: ({ chainId, network, isSigned, nowMs: callerMs, windowMs, maxOfNetwork, maxUnsigned }) =>
      engine.write(function* () {
        yield* lock(`relay admissions ${chainId}`)
        const nowMs = yield* engine.clock(callerMs)
        const full = (by: 'network' | 'share', { oldest }: Counted) =>
          ({ status: 'refused', by, retryAfterMs: (oldest ?? nowMs) + windowMs - nowMs }) as const
        yield* forget.run(chainId, nowMs - windowMs)
        const own = yield* ofNetwork.get(chainId, network)
        if (maxOfNetwork !== undefined && own && own.count >= maxOfNetwork)
          return full('network', own)
        const open = yield* unsigned.get(chainId)
        if (!isSigned && maxUnsigned !== undefined && open && open.count >= maxUnsigned)
          return full('share', open)
        const row = yield* insert.get(chainId, network, isSigned ? 1 : 0, nowMs)
        if (!row) throw new Error('an admission was not written')
        return { status: 'taken', id: row.id } as const
      }),
    giveBack: async (id) => {
      await engine.write(() => remove.run(id))
    },
  }
}
