import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

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
    assert.is(await feeds.read('none', undefined), undefined)
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
    for (const feed of ['dead', 'alive', 'back']) await begin(feed)
    const weekMs = 7 * 24 * 3_600_000
    const silence = { term: 1, seq: 1, ageMs: () => weekMs + 60_000 }
    for (const feed of ['dead', 'back']) await feeds.confirm(feed, silence)
    await feeds.claim('back', 2)
    assert.is(await feeds.read('dead', undefined), undefined)
    for (const feed of ['alive', 'back']) assert.is((await feeds.read(feed, undefined))?.seq, 1)
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
