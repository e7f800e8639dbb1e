import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { sql } from './program.ts'

/** Migration 22. The settings that gateways of a database must share, as each last said; no secrets. */
export const gatewaySettingsSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE gateway_settings (
  gateway TEXT NOT NULL PRIMARY KEY,
  settings TEXT NOT NULL,
  seen_at_ms ${integer} NOT NULL
) ${keyedTable};
`

export type GatewaySettingsStore = {
  /** Says this gateway's, in its owner's own text, and answers those of all others that have done so of late. */
  tell(request: {
    readonly gateway: string
    readonly settings: string
    readonly nowMs: number
  }): Promise<readonly string[]>
  forget(gateway: string): Promise<void>
}

/** Gateways say it every half minute. */
const heardForMs = 120_000

const put = sql(
  `INSERT INTO gateway_settings (gateway, settings, seen_at_ms) VALUES (?, ?, ?)
   ON CONFLICT (gateway) DO UPDATE
     SET settings = excluded.settings, seen_at_ms = excluded.seen_at_ms`,
)
const forgetOld = sql('DELETE FROM gateway_settings WHERE seen_at_ms < ?')
const forget = sql('DELETE FROM gateway_settings WHERE gateway = ?')
const listOthers = sql<{ settings: string }>(
  'SELECT settings FROM gateway_settings WHERE gateway <> ? ORDER BY gateway',
)

export function createGatewaySettings(engine: Engine): GatewaySettingsStore {
  return {
    tell: ({ gateway, settings, nowMs: callerMs }) =>
      engine.write(function* () {
        const nowMs = yield* engine.clock(callerMs)
        yield* put.run(gateway, settings, nowMs)
        yield* forgetOld.run(nowMs - heardForMs)
        return (yield* listOthers.all(gateway)).map((row) => row.settings)
      }),
    forget: async (gateway) => {
      await engine.write(() => forget.run(gateway))
    },
  }
}
