import type { Hex } from 'viem'
import type { Dialect } from './dialect.ts'
import { type Program, sql } from './program.ts'

/** Migration 13: who stands behind a settlement, and when it failed. */
export const settlementPartiesSchema = ({ integer }: Dialect) => `
ALTER TABLE settlements ADD COLUMN payer_code TEXT;
ALTER TABLE settlements ADD COLUMN failed_at_ms ${integer};
CREATE INDEX settlements_failed ON settlements (chain_id, failed_at_ms) WHERE failed_at_ms IS NOT NULL;
`

/** Who asks for a settlement: the key, the paying account, and the code of one that is a contract. */
export type Party = {
  readonly keyId: string
  readonly payer: string | undefined
  /** Hash of the account's code; undefined for an account without any. */
  readonly payerCode: Hex | undefined
}

export type Conduct = {
  readonly open: number
  /** Of the last 24 hours. */
  readonly failed: number
  readonly lastFailedMs: number | undefined
}

/** Of a code that many accounts share, what has been paid in that time as well. */
export type CodeConduct = Conduct & { readonly settled: number }

export type PartyBook = {
  readonly key: Conduct
  readonly payer: Conduct
  readonly code: CodeConduct
}

const memoryMs = 24 * 3_600_000

type Row = {
  readonly key_id: string
  readonly payer: string
  readonly payer_code: string | null
  readonly failed_at_ms: number | null
}
const rows = sql<Row>(
  `SELECT key_id, payer, payer_code, failed_at_ms FROM settlements
     WHERE chain_id = @chainId AND state = 'sent'
   UNION ALL SELECT key_id, payer, payer_code, failed_at_ms FROM settlements
     WHERE chain_id = @chainId AND failed_at_ms > @afterMs AND state = 'failed'`,
)

const settledOfCode = sql<{ readonly count: number }>(
  `SELECT COUNT(*) AS count FROM settlements
     WHERE chain_id = ? AND signed_at_ms > ? AND state = 'settled' AND payer_code = ?`,
)

/** What each of them has open and has failed at, by the book's clock. */
export function* readParties({
  chainId,
  party,
  nowMs,
}: {
  readonly chainId: number
  readonly party: Party | undefined
  readonly nowMs: number
}): Program<PartyBook> {
  const afterMs = nowMs - memoryMs
  const all = party ? yield* rows.all({ chainId, afterMs }) : []
  const paid = party?.payerCode && (yield* settledOfCode.get(chainId, afterMs, party.payerCode))
  const sum = (isMine: (row: Row) => boolean): Conduct => {
    const mine = all.filter(isMine)
    const failures = mine.flatMap(({ failed_at_ms }) => failed_at_ms ?? [])
    const lastFailedMs = failures.length === 0 ? undefined : Math.max(...failures)
    return { open: mine.length - failures.length, failed: failures.length, lastFailedMs }
  }
  const payer = party?.payer?.toLowerCase()
  return {
    key: sum((row) => row.key_id === party?.keyId),
    payer: sum((row) => row.payer === payer),
    code: {
      ...sum((row) => row.payer_code !== null && row.payer_code === party?.payerCode),
      settled: paid ? paid.count : 0,
    },
  }
}
