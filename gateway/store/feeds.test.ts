import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Engine } from './engine.ts'
import { createFeeds } from './feeds.ts'
import { openStore } from './openStore.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

const entry = (name: string, body = name) => ({ name, body })

function addTests(engine: StoreEngine) {
  const s = suite(`feeds on ${engine.name}`)
  const { feeds } = engine.store
  s.after(engine.close)

  /** A feed of its own, written once by term 1. */
  async function begin(feed: string) {
    assert.ok(await feeds.claim(feed, 1))
    const entries = [entry('a'), entry('b')]
    assert.is(await feeds.restart(feed, { term: 1, ageMs: () => 0, head: 'h1', entries }), 1)
    return (seq: number, term = 1) =>
      feeds.append(feed, { term, seq, ageMs: () => 0, head: `h${seq + 1}`, body: `c${seq + 1}` })
  }

  s('gives nothing of a feed nobody wrote, claimed or not', async () => {
    assert.is(await feeds.read('none', undefined), undefined)
    await feeds.claim('none', 1)
    for (const seq of [undefined, 0]) assert.is(await feeds.read('none', seq), undefined)
  })

  s('gives a new reader everything, and one that follows what it has not seen', async () => {
    const append = await begin('follow')
    assert.is(await append(1), 'written')
    assert.is(await append(2), 'written')
    const whole = await feeds.read('follow', undefined)
    assert.is(whole?.head, 'h3')
    assert.equal(whole?.news, {
      kind: 'whole',
      entries: [entry('a'), entry('b')],
      changes: ['c2', 'c3'],
    })
    const news = (await feeds.read('follow', 2))?.news
    assert.equal(news, { kind: 'changes', changes: ['c3'] })
    assert.equal((await feeds.read('follow', 3))?.news, { kind: 'none' })
  })

  s('a change must follow the last one', async () => {
    const append = await begin('steps')
    assert.is(await append(1), 'written')
    assert.is(await append(1), 'out_of_step')
    assert.is(await append(5), 'out_of_step')
    assert.is(await feeds.confirm('steps', { term: 1, seq: 1, ageMs: () => 0 }), 'out_of_step')
    assert.is(await feeds.confirm('steps', { term: 1, seq: 2, ageMs: () => 0 }), 'written')
    assert.is((await feeds.read('steps', undefined))?.seq, 2)
  })

  s('a deposed writer changes nothing, whichever way it tries', async () => {
    const append = await begin('fence')
    assert.ok(await feeds.claim('fence', 2))
    assert.not.ok(await feeds.claim('fence', 1))
    assert.not.ok(await feeds.claim('fence', 2))
    const before = await feeds.read('fence', undefined)
    const stamp = { term: 1, ageMs: () => 0 }
    assert.is(await append(1), 'deposed')
    assert.is(await feeds.confirm('fence', { ...stamp, seq: 1 }), 'deposed')
    const entries = [entry('a', 'old'), entry('c')]
    assert.is(await feeds.restart('fence', { ...stamp, head: 'x', entries }), undefined)
    assert.not.ok(await feeds.save('fence', { term: 1, seq: 1, entries }))
    const after = await feeds.read('fence', undefined)
    assert.equal([after?.seq, after?.head, after?.news], [before?.seq, before?.head, before?.news])
    assert.is(await append(1, 2), 'written')
  })

  s('another state altogether reaches every reader as a whole', async () => {
    const append = await begin('restart')
    await append(1)
    const many = Array.from({ length: 120 }, (_, index) => entry(`n${index}`))
    const stamp = { term: 1, ageMs: () => 0, head: 'new', entries: many }
    assert.is(await feeds.restart('restart', stamp), 3)
    for (const seq of [undefined, 1, 2]) {
      const reading = await feeds.read('restart', seq)
      assert.is(reading?.seq, 3)
      if (reading?.news.kind !== 'whole') throw new Error(`${reading?.news.kind}`)
      assert.equal(
        reading.news.entries.map(({ name }) => name).sort(),
        many.map(({ name }) => name).sort(),
      )
      assert.equal(reading.news.changes, [])
    }
    // A reader that was further than the feed is now reads it anew.
    assert.is((await feeds.read('restart', 99))?.news.kind, 'whole')
  })

  s('keeps changes for readers that missed a few, and no more of them than a bound', async () => {
    const append = await begin('bounded')
    for (let seq = 1; seq < 200; seq += 1) await append(seq)
    const at199 = { term: 1, seq: 199, entries: [entry('b', 'at 199')] }
    assert.ok(await feeds.save('bounded', at199))
    const near = await feeds.read('bounded', 150)
    assert.equal(near?.news.kind === 'changes' && near.news.changes.length, 50)
    const far = await feeds.read('bounded', 5)
    assert.equal(far?.news, {
      kind: 'whole',
      entries: [entry('a'), entry('b', 'at 199')],
      changes: ['c200'],
    })
    // Those of the last 128 before the snapshot are there.
    const kindAt = async (seq: number) => (await feeds.read('bounded', seq))?.news.kind
    assert.equal([await kindAt(70), await kindAt(71)], ['whole', 'changes'])
    // A snapshot of what the feed has not reached is no snapshot.
    const ahead = { term: 1, seq: 500, entries: [entry('a', 'ahead')] }
    assert.not.ok(await feeds.save('bounded', ahead))
    const behind = { term: 1, seq: 100, entries: [entry('a', 'behind')] }
    assert.not.ok(await feeds.save('bounded', behind))
    assert.equal((await feeds.read('bounded', 5))?.news, far?.news)
  })

  s('a claim forgets what nobody has written for a week, and nothing else', async () => {
    for (const feed of ['dead', 'quiet', 'alive', 'back']) await begin(feed)
    const weekMs = 604_800_000
    await feeds.confirm('quiet', { term: 1, seq: 1, ageMs: () => weekMs - 60_000 })
    const silence = { term: 1, seq: 1, ageMs: () => weekMs + 60_000 }
    for (const feed of ['dead', 'back']) await feeds.confirm(feed, silence)
    await feeds.claim('back', 2)
    assert.is(await feeds.read('dead', undefined), undefined)
    for (const feed of ['quiet', 'alive', 'back'])
      assert.is((await feeds.read(feed, undefined))?.seq, 1)
  })

  s('tells how long ago the head was known to be true', async () => {
    await begin('age')
    await feeds.confirm('age', { term: 1, seq: 1, ageMs: () => 60_000 })
    for (const seq of [undefined, 1]) {
      const ageMs = (await feeds.read('age', seq))?.ageMs ?? 0
      assert.ok(ageMs >= 60_000 && ageMs < 120_000, `${ageMs} ms`)
    }
  })
  s('knows of no head that is true in time to come [teeth/feed-ahead]', async () => {
    await begin('ahead')
    await feeds.confirm('ahead', { term: 1, seq: 1, ageMs: () => -60_000 })
    for (const seq of [undefined, 1]) assert.is((await feeds.read('ahead', seq))?.ageMs, 0)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)

const s = suite('feeds between a look and what follows it')
const { db, feeds, close } = openStore({ path: ':memory:' })
const sqlite = createSqliteEngine(db)
s.after(() => close())

/** A reader of a feed that somebody changes as soon as the reader has looked. */
function readBeside(change: () => Promise<unknown>) {
  const snapshot: Engine['snapshot'] = async (program) => {
    await change()
    return sqlite.snapshot(program)
  }
  return createFeeds({ ...sqlite, snapshot }).read('read', 2)
}
s('reads it as it is then: further, begun anew by another, or gone', async () => {
  const written = { term: 1, ageMs: () => 0, head: 'h1' }
  await feeds.claim('read', 1)
  await feeds.restart('read', { ...written, entries: [entry('a')] })
  const append = () => feeds.append('read', { ...written, seq: 1, head: 'h2', body: 'c2' })
  const { news, seq } = (await readBeside(append)) ?? {}
  assert.equal([news, seq], [{ kind: 'changes', changes: [] }, 2])
  const forget = async () => db.exec("DELETE FROM feeds WHERE feed = 'read'")
  for (const change of [forget, () => forget().then(() => feeds.claim('read', 2))]) {
    await feeds.claim('read', 3)
    await feeds.restart('read', { ...written, term: 3, entries: [] })
    assert.is(await readBeside(change), undefined)
  }
})
s('says why a snapshot could not be written', async () => {
  const write = async () => Promise.reject(new RangeError('no room'))
  const { save } = createFeeds({ ...sqlite, write })
  const failed = await save('read', { term: 3, seq: 1, entries: [] }).catch((error: Error) => error)
  assert.is(failed instanceof RangeError, true)
})
s.run()
