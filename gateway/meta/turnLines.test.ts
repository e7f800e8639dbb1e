import { assert, suite } from '../../fixtures/test.ts'
import { holdTurns } from './testing/holdTurns.ts'

const s = suite('meta/turns, two lines')

s('has first answers and refreshes take turns [meta/turns-refreshes]', async () => {
  const { ask, refresh, begun, rest } = holdTurns()
  await ask('a')
  const streams = Array.from({ length: 6 }, (_, n) => refresh(`stream ${n}`))
  const crowd = [ask('b'), ask('b'), ask('b'), ask('b')]
  await rest()
  const honest = ask('honest')
  for (let n = 0; n < 10; n += 1) await rest()
  await Promise.all([...streams, ...crowd, honest])
  const answers = begun.filter((caller) => !caller.startsWith('stream'))
  assert.equal(answers, ['a', 'b', 'honest', 'b', 'b', 'b'])
  const places = begun.flatMap((caller, place) => (caller.startsWith('stream') ? [place] : []))
  assert.equal(places, [1, 3, 5, 7, 9, 11])
})

s(
  'has an address that refreshes all the time stand for no line [strangers/meta-refresher]',
  async () => {
    const { ask, refresh, begun, rest } = holdTurns()
    for (let n = 0; n < 40; n += 1) {
      await refresh('busy')
      await rest(50)
    }
    begun.length = 0
    const busy = Array.from({ length: 5 }, () => refresh('busy'))
    const asked = Array.from({ length: 5 }, (_, n) => ask(`caller ${n}`))
    const stream = refresh('stream')
    for (let n = 0; n < 12; n += 1) await rest()
    await Promise.all([...busy, ...asked, stream])
    const callers = asked.map((_, n) => `caller ${n}`)
    const [first, ...others] = callers
    assert.equal(begun.slice(0, 7), ['busy', first, 'stream', ...others])
  },
)

s('ranks anew whoever had a turn in the other line [meta/turns-both]', async () => {
  for (const isRefresh of [false, true]) {
    const { ask, refresh, begun, rest } = holdTurns()
    const [own, other] = isRefresh ? [refresh, ask] : [ask, refresh]
    await own('before')
    const asked = [own('both'), own('other'), other('both')]
    for (let n = 0; n < 4; n += 1) await rest()
    await Promise.all(asked)
    assert.equal(begun, ['before', 'both', 'other', 'both'])
  }
})

for (const [turns, last] of [
  [25, ['busy', 'caller']],
  [26, ['caller', 'busy']],
] as const)
  s(
    `has an address stand for its line after ${turns} turns, or not [teeth/turns-crowd]`,
    async () => {
      const { ask, refresh, begun, rest } = holdTurns()
      for (let turn = 0; turn < turns; turn += 1) {
        await refresh('busy')
        await rest(0)
      }
      begun.length = 0
      const asked = [ask('before'), refresh('busy'), ask('caller')]
      await rest(0)
      await rest(0)
      await Promise.all(asked)
      assert.equal(begun, ['before', ...last])
    },
  )
s.run()
