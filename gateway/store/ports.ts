import type { SlotCache } from '../../simulator/balanceSlot/resolveBalanceSlot.ts'
import { createBalanceSlots } from './balanceSlots.ts'
import { type Challenges, createChallenges } from './challenges.ts'
import { type Checkpoints, createCheckpoints } from './checkpoints.ts'
import type { Coordination } from './coordination.ts'
import type { Engine } from './engine.ts'
import { createFeeds, type Feeds } from './feeds.ts'
import { createGatewaySettings, type GatewaySettingsStore } from './gatewaySettings.ts'
import { createKeys, type Keys } from './keys.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createNodeLimits, type NodeLimitsStore } from './nodeLimits.ts'
import { createNonces, type Nonces } from './nonces.ts'
import { createOperatorLog, type OperatorLog } from './operatorLog.ts'
import { createPayments, type Payments } from './payments.ts'
import { createPlans, type Plans } from './plans.ts'
import { createPoolSnapshots, type PoolSnapshots } from './pools.ts'
import { type Program, sql } from './program.ts'
import { createReceipts, type Receipts } from './receipts.ts'
import { createRelayStore, type RelayStore } from './relay.ts'
import { createRelayAdmissions, type RelayAdmissions } from './relayAdmissions.ts'
import { createRelayClock, type RelayClock } from './relayClock.ts'
import { createSettlements, type Settlements } from './settlements.ts'

/** What the gateway keeps, whatever engine keeps it. */
export type Store = {
  readonly keys: Keys
  readonly plans: Plans
  readonly ledger: Ledger
  readonly checkpoints: Checkpoints
  readonly challenges: Challenges
  readonly payments: Payments
  readonly settlements: Settlements
  readonly receipts: Receipts
  readonly relay: RelayStore
  readonly admissions: RelayAdmissions
  readonly nonces: Nonces
  readonly clock: RelayClock
  readonly slots: SlotCache
  readonly pools: PoolSnapshots
  readonly feeds: Feeds
  readonly nodeLimits: NodeLimitsStore
  readonly operatorLog: OperatorLog
  readonly gatewaySettings: GatewaySettingsStore
  readonly coordination: Coordination
  /** Whether the database answers now. */
  isReachable(): Promise<boolean>
  /** Whether it takes a durable write now; nothing that anybody reads is changed. */
  isWritable(): Promise<boolean>
  /** Bytes that the database takes. */
  readSize(): Promise<number>
}

const ping = sql('SELECT 1')

function* mark(): Program<void> {
  const postgres = "SELECT pg_logical_emit_message(true, 'forkyard', '')"
  yield { kind: 'query', text: { sqlite: 'PRAGMA user_version = 0', postgres }, values: [] }
}

const sqliteSize = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'

function* readSize(): Program<number> {
  const postgres = 'SELECT pg_database_size(current_database()) AS bytes'
  const text = { sqlite: sqliteSize, postgres }
  const { rows } = yield { kind: 'query', text, values: [] }
  // As the two statements name it.
  const [row] = rows as readonly { readonly bytes: number }[]
  return row?.bytes ?? 0
}

const isDone = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  )

export function createPorts(engine: Engine): Omit<Store, 'coordination'> {
  return {
    keys: createKeys(engine),
    plans: createPlans(engine),
    ledger: createLedger(engine),
    checkpoints: createCheckpoints(engine),
    challenges: createChallenges(engine),
    payments: createPayments(engine),
    settlements: createSettlements(engine),
    receipts: createReceipts(engine),
    relay: createRelayStore(engine),
    admissions: createRelayAdmissions(engine),
    nonces: createNonces(engine),
    clock: createRelayClock(engine),
    slots: createBalanceSlots(engine),
    pools: createPoolSnapshots(engine),
    feeds: createFeeds(engine),
    nodeLimits: createNodeLimits(engine),
    operatorLog: createOperatorLog(engine),
    gatewaySettings: createGatewaySettings(engine),
    isReachable: () => isDone(engine.read(() => ping.get())),
    isWritable: () => isDone(engine.write(mark)),
    readSize: () => engine.read(readSize),
  }
}
