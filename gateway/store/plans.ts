import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { lock, type Program, sql } from './program.ts'

/**
 * Migration 24. What keys of a plan may do; a key without one has the limits of the settings. Units are counted by
 * month for keys whose plan has a cap.
 */
export const plansSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE plans (
  name TEXT NOT NULL PRIMARY KEY CHECK (name <> 'default'),
  units_per_sec ${integer} NOT NULL CHECK (units_per_sec > 0),
  burst ${integer} NOT NULL CHECK (burst > 0),
  concurrent ${integer} CHECK (concurrent > 0),
  streams ${integer} CHECK (streams >= 0),
  units_per_month ${integer} CHECK (units_per_month > 0),
  methods TEXT CHECK (methods <> '')
) ${keyedTable};
ALTER TABLE keys ADD COLUMN plan TEXT REFERENCES plans (name);
CREATE TABLE monthly_use (
  key_id TEXT NOT NULL REFERENCES keys (id),
  month TEXT NOT NULL,
  units ${integer} NOT NULL CHECK (units >= 0),
  PRIMARY KEY (key_id, month)
) ${keyedTable};
`

/** An absent bound: there is none. */
export type PlanLimits = {
  readonly unitsPerSec: number
  readonly burst: number
  /** Requests of a key under way at once, of each gateway. */
  readonly concurrent?: number | undefined
  /** Streams of a key at once, of each gateway. */
  readonly streams?: number | undefined
  /** In a month of UTC. */
  readonly unitsPerMonth?: number | undefined
  /** What may be asked of all that costs quota, as `POST /quote`. */
  readonly methods?: readonly string[] | undefined
}

export type Plan = PlanLimits & { readonly name: string }

export type Plans = {
  list(): Promise<readonly Plan[]>
  find(name: string): Promise<Plan | undefined>
  /** How many valid keys have it. */
  countKeys(name: string): Promise<number>
  /** False where there is one of its name. */
  create(plan: Plan): Promise<boolean>
  /** Those limits alone that are there; undefined takes a bound away. False: there is no such plan. */
  change(name: string, changes: Partial<PlanLimits>): Promise<boolean>
  /** How many valid keys still have it: it stays then. Undefined: there is no such plan. */
  remove(name: string): Promise<number | undefined>
  /** No name: the limits of the settings. */
  assign(parameters: {
    readonly keyId: string
    readonly name: string | undefined
  }): Promise<'assigned' | 'no plan' | 'no key'>
}

type PlanRow = {
  readonly name: string
  readonly units_per_sec: number
  readonly burst: number
  readonly concurrent: number | null
  readonly streams: number | null
  readonly units_per_month: number | null
  readonly methods: string | null
}

const list = sql<PlanRow>('SELECT * FROM plans ORDER BY name')
const find = sql<PlanRow>('SELECT * FROM plans WHERE name = ?')
const insert = sql(
  `INSERT INTO plans (name, units_per_sec, burst, concurrent, streams, units_per_month, methods)
   VALUES (@name, @unitsPerSec, @burst, @concurrent, @streams, @unitsPerMonth, @methods)`,
)
const update = sql(
  `UPDATE plans SET units_per_sec = @unitsPerSec, burst = @burst, concurrent = @concurrent,
   streams = @streams, units_per_month = @unitsPerMonth, methods = @methods WHERE name = @name`,
)
const keysOf = sql('SELECT COUNT(*) AS count FROM keys WHERE plan = ? AND revoked_at_ms IS NULL')
const leave = sql('UPDATE keys SET plan = NULL WHERE plan = ? AND revoked_at_ms IS NOT NULL')
const remove = sql('DELETE FROM plans WHERE name = ?')
const assign = sql('UPDATE keys SET plan = ? WHERE id = ? AND revoked_at_ms IS NULL')

const toPlan = (row: PlanRow): Plan => ({
  name: row.name,
  unitsPerSec: row.units_per_sec,
  burst: row.burst,
  concurrent: row.concurrent ?? undefined,
  streams: row.streams ?? undefined,
  unitsPerMonth: row.units_per_month ?? undefined,
  methods: row.methods?.split(','),
})

const toValues = ({ name, unitsPerSec, burst, ...bounds }: Plan) => ({
  name,
  unitsPerSec,
  burst,
  concurrent: bounds.concurrent ?? null,
  streams: bounds.streams ?? null,
  unitsPerMonth: bounds.unitsPerMonth ?? null,
  methods: bounds.methods?.join(',') ?? null,
})

/** Whoever changes plans, or gives them to keys, takes turns: none is gone between a look and what follows it. */
const takeTurn = () => lock('plans')

function* findPlan(name: string): Program<Plan | undefined> {
  const row = yield* find.get(name)
  return row && toPlan(row)
}

export function createPlans(engine: Engine): Plans {
  return {
    list: async () => (await engine.read(() => list.all())).map(toPlan),
    find: (name) => engine.read(() => findPlan(name)),
    countKeys: (name) => engine.read(() => keysOf.count(name)),
    create: (plan) =>
      engine.write(function* () {
        yield* takeTurn()
        if (yield* findPlan(plan.name)) return false
        yield* insert.run(toValues(plan))
        return true
      }),
    change: (name, changes) =>
      engine.write(function* () {
        yield* takeTurn()
        const plan = yield* findPlan(name)
        if (!plan) return false
        yield* update.run(toValues({ ...plan, ...changes, name }))
        return true
      }),
    remove: (name) =>
      engine.write(function* () {
        yield* takeTurn()
        if (!(yield* findPlan(name))) return undefined
        const count = yield* keysOf.count(name)
        if (count > 0) return count
        yield* leave.run(name)
        yield* remove.run(name)
        return 0
      }),
    assign: ({ keyId, name }) =>
      engine.write(function* () {
        yield* takeTurn()
        if (name !== undefined && !(yield* findPlan(name))) return 'no plan'
        return (yield* assign.run(name ?? null, keyId)) === 1 ? 'assigned' : 'no key'
      }),
  }
}

const begin = sql(
  `INSERT INTO monthly_use (key_id, month, units) VALUES (?, ?, 0)
   ON CONFLICT (key_id, month) DO NOTHING`,
)
const take = sql(
  `UPDATE monthly_use SET units = units + @units
   WHERE key_id = @keyId AND month = @month AND units + @units <= @most`,
)
const giveBack = sql(
  `UPDATE monthly_use SET units = units - @units
   WHERE key_id = @keyId AND month = @month AND units >= @units`,
)

const monthOf = (ms: number) => new Date(ms).toISOString().slice(0, 7)

/** When the month is over. */
export function endOfMonthMs(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
}

type Use = { readonly keyId: string; readonly units: number; readonly atMs: number }

/** Inside a charge: the month that it counts to, or undefined where the key has had its units of this one. */
export function* takeOfMonth({
  keyId,
  units,
  atMs,
  most,
}: Use & { readonly most: number }): Program<string | undefined> {
  const month = monthOf(atMs)
  yield* begin.run(keyId, month)
  return (yield* take.run({ keyId, units, month, most })) === 1 ? month : undefined
}

/** Inside a refund; where nobody knows the charge's month, this one is it. */
export function* giveBackOfMonth({
  keyId,
  units,
  atMs,
  month = monthOf(atMs),
}: Use & { readonly month?: string | undefined }): Program<void> {
  yield* giveBack.run({ keyId, units, month })
}
