import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { type Program, sql } from './program.ts'

/** Migration 15. The caps that each gateway of a database has been given, as it last said. */
export const relayLimitsSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE relay_limits (
  chain_id ${integer} NOT NULL,
  gateway TEXT NOT NULL,
  max_deploys ${integer} NOT NULL,
  max_spend_wei TEXT NOT NULL,
  seen_at_ms ${integer} NOT NULL,
  PRIMARY KEY (chain_id, gateway)
) ${keyedTable};
`

/** Migration 19. Deployments and settlements have caps of their own. */
export const settlementCapsSchema = () =>
  `ALTER TABLE relay_limits ADD COLUMN counted TEXT NOT NULL DEFAULT 'deployments';`

/** What a cap counts. */
type Counted = 'deployments' | 'settlements'

/** The caps that gateways share, since they count what all have reserved. */
export type SharedCaps = { readonly maxPerHour: number; readonly maxSpendPerHourWei: bigint }

export type SharedCapsStore = {
  /** Says what this gateway was given, and answers the lowest of all who have said so of late. */
  tellCaps(
    request: SharedCaps & {
      readonly chainId: number
      readonly gateway: string
      readonly nowMs: number
    },
  ): Promise<SharedCaps>
}

/** Gateways say it every half minute. */
const heardForMs = 120_000

const tell = sql(
  `INSERT INTO relay_limits (chain_id, counted, gateway, max_deploys, max_spend_wei, seen_at_ms)
   VALUES (@chainId, @counted, @gateway, @maxPerHour, @spendWei, @nowMs)
   ON CONFLICT (chain_id, gateway) DO UPDATE SET max_deploys = excluded.max_deploys,
     max_spend_wei = excluded.max_spend_wei, seen_at_ms = excluded.seen_at_ms`,
)
const forget = sql('DELETE FROM relay_limits WHERE chain_id = ? AND seen_at_ms < ?')
const list = sql<{ max_deploys: number; max_spend_wei: string }>(
  'SELECT max_deploys, max_spend_wei FROM relay_limits WHERE chain_id = ? AND counted = ?',
)

/** The lowest caps of the gateways that have said theirs; undefined before any has. */
export function* readLowestCaps(
  chainId: number,
  counted: Counted,
): Program<SharedCaps | undefined> {
  const [first, ...others] = yield* list.all(chainId, counted)
  if (!first) return undefined
  return others.map(toCaps).reduce(lowest, toCaps(first))
}

const toCaps = (row: { max_deploys: number; max_spend_wei: string }): SharedCaps => ({
  maxPerHour: row.max_deploys,
  maxSpendPerHourWei: BigInt(row.max_spend_wei),
})

export const lowest = (one: SharedCaps, other: SharedCaps = one): SharedCaps => ({
  maxPerHour: Math.min(one.maxPerHour, other.maxPerHour),
  maxSpendPerHourWei: least(one.maxSpendPerHourWei, other.maxSpendPerHourWei),
})

// Math.min takes no bigint.
function least(one: bigint, other: bigint): bigint {
  if (one < other) return one
  return other
}

export function createSharedCaps(engine: Engine, counted: Counted): SharedCapsStore {
  return {
    tellCaps: ({ chainId, gateway, nowMs: callerMs, ...caps }) =>
      engine.write(function* () {
        const nowMs = yield* engine.clock(callerMs)
        const { maxPerHour, maxSpendPerHourWei } = caps
        const spendWei = String(maxSpendPerHourWei)
        yield* tell.run({ chainId, counted, gateway, maxPerHour, spendWei, nowMs })
        yield* forget.run(chainId, nowMs - heardForMs)
        return (yield* readLowestCaps(chainId, counted)) ?? caps
      }),
  }
}
