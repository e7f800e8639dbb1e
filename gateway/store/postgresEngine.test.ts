import {
  createScriptedPool,
  failWith as fail,
  nothing,
  type PoolAnswer,
} from '../../fixtures/store/scriptedPool.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { attempts, createPostgresEngine } from './postgresEngine.ts'
import { listWriters, lock, shareLock, sql, together } from './program.ts'

const s = suite('store/postgresEngine')

function open(...answers: readonly (PoolAnswer | Promise<PoolAnswer>)[]) {
  const scripted = createScriptedPool(...answers)
  return { ...scripted, engine: createPostgresEngine(scripted.pool, { time: 'caller' }) }
}
const two = sql<{ readonly a: number }>('SELECT a FROM t WHERE b = ? AND c = ?')
const one = sql('DELETE FROM t')

s(
  'gives each statement its name, its values and what it changed [teeth/postgres-sent]',
  async () => {
    const found = { rows: [{ a: 1 }], rowCount: 1 }
    const { engine, sent } = open(found, { rows: [], rowCount: 3 }, nothing, found)
    assert.equal(await engine.read(() => two.get(4, 'x')), { a: 1 })
    assert.equal([await engine.read(() => one.run()), await engine.read(() => one.run())], [3, 0])
    assert.equal(await engine.read(() => two.all(5, 'y')), [{ a: 1 }])
    const select = { name: 'forkyard_0', text: 'SELECT a FROM t WHERE b = $1 AND c = $2' }
    const remove = { name: 'forkyard_1', text: 'DELETE FROM t', values: [] }
    assert.equal(sent, [
      { ...select, values: [4, 'x'] },
      remove,
      remove,
      { ...select, values: [5, 'y'] },
    ])
  },
)
s('locks by the number of a name, shared where it is asked to [teeth/postgres-locks]', async () => {
  const { engine, sent } = open(
    nothing,
    nothing,
    { rows: [{ shared: false }], rowCount: 1 },
    { rows: [{ writer: '3/4' }], rowCount: 1 },
  )
  const seen = await engine.write(function* () {
    yield* lock('keys')
    return [yield* shareLock('keys'), yield* listWriters('ledger')]
  })
  assert.equal(seen, [false, ['3/4']])
  const [, locked, shared, writers] = sent
  const number = /\((-?\d+)\)/.exec(locked?.text ?? '')?.[1] ?? 'none'
  assert.is(locked?.text, `SELECT pg_advisory_xact_lock(${number})`)
  assert.is(shared?.text, `SELECT pg_try_advisory_xact_lock_shared(${number}) AS shared`)
  assert.equal(writers?.values, ['ledger'])
})
s('writes all or nothing, and reads one moment in a snapshot [teeth/postgres-whole]', async () => {
  const { engine, texts, released } = open()
  await engine.write(() => one.run())
  await engine.snapshot(() => one.run())
  const begun = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  assert.equal(texts(), ['BEGIN', 'DELETE FROM t', 'COMMIT', begun, 'DELETE FROM t', 'COMMIT'])
  assert.equal(released, [undefined, undefined])
})
s(
  'asks again where the database asks it to, as often as it is worth [teeth/postgres-again]',
  async () => {
    const deadlock = [nothing, fail('40P01'), nothing]
    const again = open(...deadlock, nothing, fail('40001'), nothing)
    await again.engine.write(() => one.run())
    const tried = ['BEGIN', 'DELETE FROM t', 'ROLLBACK']
    assert.equal(again.texts(), [...tried, ...tried, 'BEGIN', 'DELETE FROM t', 'COMMIT'])

    const always = open(...Array.from({ length: attempts }, () => deadlock).flat())
    const [refused] = await Promise.allSettled([always.engine.write(() => one.run())])
    assert.is(refused.status, 'rejected')
    assert.equal(always.texts(), Array.from({ length: attempts }, () => tried).flat())

    // A connection that cannot even be rolled back is not used again.
    const broken = fail('08006')
    const away = open(nothing, fail('57P01'), broken)
    const [lost] = await Promise.allSettled([away.engine.write(() => one.run())])
    assert.equal([lost.status, away.texts(), away.released], ['rejected', tried, [broken]])
  },
)
s(
  'says of what it cannot reach that it is away, and of our own what it is [teeth/postgres-away]',
  async () => {
    const nameOf = async (work: Promise<unknown>) => {
      const [ended] = await Promise.allSettled([work])
      return ended.status === 'rejected' ? (ended.reason as Error).name : ended.status
    }
    const { engine, refused } = open(fail('23505'), fail('08006'))
    assert.is(await nameOf(engine.read(() => one.run())), 'Error')
    assert.is(await nameOf(engine.read(() => one.run())), 'StoreUnavailable')
    refused.push(fail('ECONNREFUSED'))
    assert.is(await nameOf(engine.write(() => one.run())), 'StoreUnavailable')
  },
)
s(
  'sends at once what is asked together, and hears the first that fails [20/pipeline]',
  async () => {
    const row = (a: number) => ({ rows: [{ a }], rowCount: 1 })
    const { engine, texts } = open(nothing, nothing, row(1), row(2))
    const read = () => together(lock('keys'), together(two.get(1, 'x')), two.get(2, 'y'))
    assert.equal(await engine.write(read), [undefined, [{ a: 1 }], { a: 2 }])
    assert.match(texts()[1] ?? '', 'pg_advisory_xact_lock')
    assert.equal([texts().length, texts().at(-1)], [5, 'COMMIT'])
    // What was sent behind it fails as well, and is not what is told.
    const refused = open(nothing, fail('40P01'), fail('25P02'), nothing, nothing, row(3), row(4))
    const both = () => together(two.get(1, 'x'), two.get(2, 'y'))
    assert.equal(await refused.engine.write(both), [{ a: 3 }, { a: 4 }])
    assert.equal(refused.texts().slice(3, 5), ['ROLLBACK', 'BEGIN'])
  },
)
s('begins with its first question, unless that may change something [20/pipeline]', async () => {
  const begun = Promise.withResolvers<PoolAnswer>()
  const asks = open(begun.promise)
  const locked = asks.engine.write(() => together(lock('keys'), two.get(1, 'x')))
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(asks.texts().length, 3)
  begun.resolve(nothing)
  await locked
  const late = Promise.withResolvers<PoolAnswer>()
  const changes = open(late.promise)
  const removed = changes.engine.write(() => together(two.get(1, 'x'), one.run()))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(changes.texts(), ['BEGIN'])
  late.resolve(fail('57014'))
  const [cause] = await Promise.allSettled([removed])
  assert.equal([cause.status, changes.texts()], ['rejected', ['BEGIN', 'ROLLBACK']])
})
s("counts by the caller's clock, or by the database's [teeth/postgres-clock]", async () => {
  const { engine, pool, sent } = open({ rows: [{ ms: 9 }], rowCount: 1 })
  assert.is(await engine.read(() => engine.clock(5)), 5)
  assert.equal(sent, [])
  const ofDatabase = createPostgresEngine(pool, { time: 'database' })
  assert.is(await ofDatabase.read(() => ofDatabase.clock(5)), 9)
})
s.run()
