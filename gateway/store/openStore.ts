import Database from 'better-sqlite3'
import { type Challenges, createChallenges } from './challenges.ts'
import { type Commit, createGroupCommit } from './groupCommit.ts'
import { createKeys, type Keys } from './keys.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { migrate } from './migrations.ts'
import { createPayments, type Payments } from './payments.ts'
import { createRelayStore, type RelayStore } from './relay.ts'
import { createSettlements, type Settlements } from './settlements.ts'

export type Store = {
  readonly db: Database.Database
  /** Shares one durable transaction among all writes of an event-loop turn. */
  readonly commit: Commit
  readonly keys: Keys
  readonly ledger: Ledger
  readonly challenges: Challenges
  readonly payments: Payments
  readonly settlements: Settlements
  readonly relay: RelayStore
  close(): void
}

/**
 * Opens (and migrates) the one database of the gateway: SQLite in WAL mode with `synchronous=FULL`,
 * so that what was acknowledged survives kill -9 and power loss. `:memory:` in tests.
 */
export function openStore({ path }: { readonly path: string }): Store {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  db.pragma('busy_timeout = 5000')
  migrate(db)
  const { commit, flush } = createGroupCommit(db)
  const ledger = createLedger(db, commit)
  return {
    db,
    commit,
    keys: createKeys(db, commit),
    ledger,
    challenges: createChallenges(db, commit),
    payments: createPayments(db, commit, ledger.credit),
    settlements: createSettlements(db, commit),
    relay: createRelayStore(db),
    close: () => {
      flush()
      db.close()
    },
  }
}
