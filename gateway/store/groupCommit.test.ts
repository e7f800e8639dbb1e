import { mock } from 'node:test'
import Database from 'better-sqlite3'
import { assert, suite } from '../../fixtures/test.ts'
import { createGroupCommit } from './groupCommit.ts'

/** With a database that is its own; `foreignLock.test.ts` has other processes beside it. */
const s = suite('store/groupCommit')
const busy = () => Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
const turns = async () => {
  for (let n = 0; n < 3; n += 1) await new Promise(setImmediate)
}

function open() {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE kept (name TEXT NOT NULL UNIQUE)')
  const insert = db.prepare('INSERT INTO kept VALUES (?)')
  const transaction = db.transaction.bind(db)
  let [begun, locked] = [0, 0]
  mock.method(db, 'transaction', (write: () => unknown) => ({
    immediate() {
      begun += 1
      if (begun <= locked) throw busy()
      return transaction(write).immediate()
    },
  }))
  const { commit, flush } = createGroupCommit(db)
  return {
    flush,
    begun: () => begun,
    /** Somebody else has the file for so many tries. */
    lock(tries: number) {
      locked = tries
    },
    write: (name: string) => commit(() => Number(insert.run(name).lastInsertRowid)),
    kept: () => db.prepare('SELECT name FROM kept ORDER BY rowid').pluck().all(),
  }
}
const refusalOf = (written: Promise<unknown>) =>
  written.then(
    () => undefined,
    ({ code }: { readonly code: string }) => code,
  )

s('writes what comes in one turn at once, and answers each [teeth/group-commit]', async () => {
  const { write, begun, kept } = open()
  assert.equal(await Promise.all(['a', 'b', 'c'].map(write)), [1, 2, 3])
  assert.is(begun(), 1)
  assert.is(await write('d'), 4)
  assert.equal([begun(), kept()], [2, ['a', 'b', 'c', 'd']])
})
s('has the loop rest while nothing waits [teeth/group-commit]', async () => {
  const { write } = open()
  const { setImmediate: schedule } = globalThis
  let scheduled = 0
  const counted = mock.method(globalThis, 'setImmediate', (work: () => void) => {
    scheduled += 1
    return schedule(work)
  })
  await Promise.all(['a', 'b', 'c'].map(write))
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => schedule(resolve))
  counted.mock.restore()
  assert.is(scheduled, 1)
})
s('refuses the one of them that is at fault, alone [teeth/group-commit]', async () => {
  const { write, begun, kept } = open()
  const written = ['a', 'b', 'a', 'c'].map(write)
  assert.equal(await Promise.all(written.map(refusalOf)), [
    undefined,
    undefined,
    'SQLITE_CONSTRAINT_UNIQUE',
    undefined,
  ])
  assert.is(begun(), 5)
  // A lone one is not tried again: nothing beside it can be at fault.
  assert.is(await refusalOf(write('a')), 'SQLITE_CONSTRAINT_UNIQUE')
  assert.equal([begun(), kept()], [6, ['a', 'b', 'c']])
})
s(
  'writes at once what is flushed, and takes no lock for nothing [teeth/group-commit]',
  async () => {
    const { write, flush, begun, kept } = open()
    flush()
    assert.is(begun(), 0)
    const written = write('a')
    flush()
    assert.equal(kept(), ['a'])
    await turns()
    assert.equal([await written, begun()], [1, 1])
  },
)
s(
  'waits for a file that is locked, with all that comes meanwhile [teeth/group-commit]',
  async () => {
    const { write, lock, begun, kept } = open()
    lock(1)
    const written = [write('a'), write('b')]
    await turns()
    assert.equal([begun(), kept()], [1, []])
    written.push(write('c'))
    assert.equal(await Promise.all(written), [1, 2, 3])
    assert.equal([begun(), kept()], [2, ['a', 'b', 'c']])
    // And goes on as before.
    assert.is(await write('d'), 4)
  },
)
s('waits for it for five seconds, to the millisecond [teeth/locked-for]', async () => {
  const { write, lock } = open()
  lock(2)
  let nowMs = 0
  const clock = mock.method(performance, 'now', () => nowMs)
  const written = write('a')
  await turns()
  nowMs = 5_000
  assert.is(await written, 1)
  clock.mock.restore()
})
s('refuses all of them where that takes too long, or the database is closed', async () => {
  const { write, lock, flush, kept } = open()
  lock(2)
  let nowMs = 0
  const clock = mock.method(performance, 'now', () => nowMs)
  const late = [write('a'), write('b')]
  await turns()
  nowMs = 5_001
  assert.equal(await Promise.all(late.map(refusalOf)), ['SQLITE_BUSY', 'SQLITE_BUSY'])
  clock.mock.restore()
  assert.is(await write('c'), 1)
  lock(9)
  const last = [write('d'), write('e')]
  flush()
  assert.equal(await Promise.all(last.map(refusalOf)), ['SQLITE_BUSY', 'SQLITE_BUSY'])
  assert.equal(kept(), ['c'])
})
s.run()
