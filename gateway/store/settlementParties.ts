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
  /** Paid in that time as well. */
  readonly settled: number
}

export type PartyBook = Readonly<Record<'key' | 'payer' | 'code', Conduct>>

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

const settled = sql<Readonly<Record<keyof PartyBook, number>>>(
  `SELECT COUNT(CASE WHEN key_id = @keyId THEN 1 END) AS key,
     COUNT(CASE WHEN payer = @payer THEN 1 END) AS payer,
     COUNT(CASE WHEN payer_code = @payerCode THEN 1 END) AS code
   FROM settlements WHERE chain_id = @chainId AND signed_at_ms > @afterMs AND state = 'settled'`,
)

/** What each of them has open, has failed at and has paid, by the book's clock. */
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
  const names = {
    keyId: party?.keyId ?? null,
    payer: party?.payer?.toLowerCase() ?? null,
    payerCode: party?.payerCode ?? null,
  }
  const paid = party && (yield* settled.get({ chainId, afterMs, ...names }))
  const sum = (who: keyof PartyBook, isMine: (row: Row) => boolean): Conduct => {
    const mine = all.filter(isMine)
    const failures = mine.flatMap(({ failed_at_ms }) => failed_at_ms ?? [])
    return {
      open: mine.length - failures.length,
      failed: failures.length,
      lastFailedMs: failures.length === 0 ? undefined : Math.max(...failures),
      settled: paid?.[who] ?? 0,
    }
  }
  return {
    key: sum('key', (row) => row.key_id === names.keyId),
    payer: sum('payer', (row) => row.payer === names.payer),
    code: sum('code', (row) => row.payer_code !== null && row.payer_code === names.payerCode),
  }
}
