import { assert, suite } from '../../fixtures/test.ts'
import { listWriters, lock, type Program, shareLock, sql, together } from './program.ts'

/** What a program asks, and what it makes of these rows. */
function ask<value>(program: Program<value>, ...rows: readonly object[]) {
  const asked = program.next().value
  const { value, done } = program.next({ rows, changes: 3 })
  assert.is(done, true)
  return { asked, value }
}

const s = suite('store/program')

s('asks the same of both engines, values in their order or by their names', () => {
  const one = sql<{ n: number }>('SELECT n FROM t WHERE a = ? AND b = ?', { locking: true })
  const text = {
    sqlite: 'SELECT n FROM t WHERE a = +? AND b = +?',
    postgres: 'SELECT n FROM t WHERE a = $1 AND b = $2 FOR NO KEY UPDATE',
  }
  const asked = { kind: 'query', text, values: ['x', null] }
  assert.equal(ask(one.get('x', null), { n: 7 }, { n: 8 }), { asked, value: { n: 7 } })
  assert.equal(ask(one.all('x', null), { n: 7 }).value, [{ n: 7 }])
  assert.is(ask(one.get('x', null)).value, undefined)
  const named = sql('UPDATE t SET a = @a, b = @b WHERE a = @a')
  const update = ask(named.run({ b: 2, a: 1, rest: 9 }))
  assert.equal([update.value, Object(update.asked).values], [3, [1, 2, 1]])
  assert.equal(Object(update.asked).text.postgres, 'UPDATE t SET a = $1, b = $2 WHERE a = $3')
  assert.throws(() => named.run({ a: 1 }).next(), 'the statement wants a value for b')
  const bytes = Buffer.from('x')
  assert.equal(Object(ask(sql('DELETE FROM t WHERE a = ?').run(bytes)).asked).values, [bytes])
  assert.is(ask(sql('SELECT COUNT(*) AS count FROM t').count(), { count: 5 }).value, 5)
})
s('names what is locked, and takes silence for a share of it', () => {
  assert.equal(ask(lock('x')).asked, { kind: 'lock', name: 'x' })
  assert.equal(ask(shareLock('x')), { asked: { kind: 'shareLock', name: 'x' }, value: true })
  for (const shared of [true, false]) assert.is(ask(shareLock('x'), { shared }).value, shared)
  const writers = ask(listWriters('t'), { writer: 'a' }, { writer: 'b' })
  assert.equal(writers, { asked: { kind: 'writers', table: 't' }, value: ['a', 'b'] })
})
s(
  'asks together what needs nothing of one another, as long as any of them asks [20/program-together]',
  () => {
    const read = sql<{ n: number }>('SELECT n FROM t WHERE a = ?')
    function* readTwice(): Program<number> {
      const first = yield* read.get(1)
      return (yield* read.get(first?.n ?? 0))?.n ?? 0
    }
    function* known(): Program<string> {
      yield* []
      return 'known'
    }
    const program = together(read.all(5), readTwice(), known(), lock('x'))
    const valuesOf = (asked: unknown) =>
      Object(asked).queries.map((query: object) => Object(query).values ?? Object(query).name)
    const answer = (...numbers: readonly number[]) => ({
      rows: numbers.map((n) => ({ rows: [{ n }], changes: 1 })),
      changes: 0,
    })
    assert.equal(valuesOf(program.next().value), [[5], [1], 'x'])
    assert.equal(valuesOf(program.next(answer(7, 8, 9)).value), [[8]])
    const { done, value } = program.next(answer(10))
    assert.equal([done, value], [true, [[{ n: 7 }], 10, 'known', undefined]])
    assert.equal(together().next(), { done: true, value: [] })
  },
)
s.run()
