import { mock } from 'node:test'
import { LRUCache } from 'lru-cache'
import { assert, suite } from '../../fixtures/test.ts'
import { holdTurns } from './testing/holdTurns.ts'

const s = suite('meta/turns, round by round')
const { signal } = new AbortController()

for (const [ms, last] of [
  [999, ['newcomer', 'regular']],
  [1_000, ['regular', 'newcomer']],
] as const)
  s(
    `takes a newcomer for one who asked a second before, ${ms} ms later [teeth/turns-new]`,
    async () => {
      const { ask, begun, rest } = holdTurns()
      await ask('regular')
      await rest(ms)
      const asked = ['holder', 'regular', 'newcomer'].map((caller) => ask(caller))
      await rest(0)
      await rest(0)
      await Promise.all(asked)
      assert.equal(begun, ['regular', 'holder', ...last])
    },
  )

for (const [whose, caller, site] of [
  ['its own', 'early', 'early'],
  ['its own at another site', 'early', 'elsewhere'],
  ["another one's of its site", 'other', 'early'],
] as const)
  for (const [ms, isOver] of [
    [1_000, false],
    [1_001, true],
  ] as const)
    s(
      `has whoever had a turn, ${whose}, be in the next round until this one is over, ${ms} ms [teeth/turns-rounds]`,
      async () => {
        const { ask, begun, rest } = holdTurns()
        await ask('before')
        await rest(5_000)
        const asked = [ask('early'), ask(caller, signal, site), ask('meanwhile')]
        await rest(ms)
        // A second later than the last turn of the one before, or more: by that alone it would be behind it.
        asked.push(ask('late'))
        await rest()
        await rest()
        await Promise.all(asked)
        const last = isOver ? [caller, 'late'] : ['late', caller]
        assert.equal(begun, ['before', 'early', 'meanwhile', ...last])
      },
    )

s('begins a round for whoever comes after all had their turns [teeth/turns-rounds]', async () => {
  const { ask, begun, rest } = holdTurns()
  await ask('known')
  await rest(5_000)
  const asked = ['holder', 'known', 'newcomer'].map((caller) => ask(caller))
  await rest()
  await rest()
  await Promise.all(asked)
  assert.equal(begun, ['known', 'holder', 'known', 'newcomer'])
})

s('remembers of nobody a round that is over [teeth/turns-forgotten]', async () => {
  const { ask, rest } = holdTurns()
  const forgetting = mock.method(LRUCache.prototype, 'delete').mock
  for (const caller of ['a', 'b']) {
    await ask(caller)
    await rest()
  }
  forgetting.restore()
  // As a caller and as a site.
  assert.equal(
    forgetting.calls.map(({ arguments: [name] }) => name),
    ['a', 'a'],
  )
})

s('has whoever leaves as the next one hold up nobody [teeth/turns-left]', async () => {
  const { ask, begun, rest } = holdTurns()
  const leaving = new AbortController()
  const asked = [ask('a'), ask('b'), ask('c', leaving.signal), ask('d')]
  await rest()
  assert.equal(begun, ['a', 'b'])
  leaving.abort()
  await rest()
  assert.equal(begun, ['a', 'b', 'c', 'd'])
  await Promise.all(asked)
})
s.run()
