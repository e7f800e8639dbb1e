import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { holdTurns } from './testing/holdTurns.ts'
import { createTurns } from './turns.ts'

const s = suite('meta/turns, and what a chain may be asked')

s(
  'has a crowd leave half of what its chain may be asked to those who ask seldom [strangers/meta-room]',
  async () => {
    let left = 1
    const { ask, rest, hasRoom, takeTurn } = holdTurns({ roomOf: (at) => (at === 1 ? left : 1) })
    const room = (now: number) => {
      left = now
      return hasRoom()
    }
    for (let n = 0; n < 60; n += 1) {
      // Ten of the one, as of who asks once a second, and a crowd's of the other.
      const asked = [ask('crowd'), ...(n % 6 === 0 ? [ask('steady')] : [])]
      for (let turn = 0; turn < 3; turn += 1) await rest()
      await Promise.all(asked)
    }
    await ask('crowd')
    assert.equal([room(0.49), room(0.5)], [false, true], 'whoever comes next may be the crowd')
    const { signal } = new AbortController()
    const waiting = [takeTurn({ caller: 'crowd', chainId: 2, signal })]
    assert.ok(room(0), 'another chain has its own')
    await rest()
    waiting.push(ask('crowd'))
    assert.equal([room(0.49), room(0.5)], [false, true])
    waiting.push(ask('steady'))
    assert.equal([room(0.09), room(0.11)], [false, true])
    waiting.push(ask('newcomer'))
    assert.ok(room(0), 'one who never asked waits for none')
    for (let n = 0; n < 6; n += 1) await rest()
    await Promise.all(waiting)
  },
)

s('waits for it for a second at most [strangers/meta-room-second]', async () => {
  let left = 1
  let nowMs = 0
  let looks = 0
  const roomOf = () => {
    looks += 1
    return left
  }
  const takeTurn = createTurns({ now: () => nowMs, roomOf })
  const { signal } = new AbortController()
  const ask = () => takeTurn({ caller: 'crowd', chainId: 1, signal })
  for (let n = 0; n < 56; n += 1) await ask()
  left = 0.4
  let begun = false
  const asked = ask().then(() => {
    begun = true
  })
  nowMs += 999
  const before = looks
  await waitFor('it was looked at again and again', () => looks > before + 5)
  const wasEarly = begun
  nowMs += 1
  await asked
  left = 1
  assert.not(wasEarly)
})

/** Two who had many turns of late, of whom one asks chain 2, which has nothing left. */
async function standTwo() {
  const turns = holdTurns({ roomOf: (chainId) => (chainId === 2 ? 0 : 1) })
  const { signal } = new AbortController()
  const askChain = (caller: string, chainId: number, isRefresh = false) =>
    turns.takeTurn({ caller, chainId, isRefresh, signal }).then(() => void turns.begun.push(caller))
  for (let n = 0; n < 80; n += 1)
    for (const caller of ['crowd', 'integrator']) {
      void turns.ask(caller)
      await turns.rest()
    }
  turns.begun.length = 0
  return { ...turns, askChain }
}

s('has nobody wait for what another chain may be asked [strangers/meta-room-chains]', async () => {
  for (const isRefresh of [false, true]) {
    const { askChain, hasRoom, rest, begun } = await standTwo()
    await askChain('integrator', 1, isRefresh)
    const crowd = askChain('crowd', 2)
    const asked = Array.from({ length: 3 }, () => askChain('integrator', 1, isRefresh))
    for (const _ of asked) {
      assert.ok(hasRoom())
      await rest()
    }
    await Promise.all(asked)
    assert.equal(begun, Array(4).fill('integrator'))
    assert.not.ok(hasRoom())
    await rest(1_000)
    await crowd
  }
})

s(
  'passes over nobody for longer, whatever may begin elsewhere [strangers/meta-room-passed]',
  async () => {
    const { askChain, rest, begun } = await standTwo()
    await rest(2_000)
    const asked = [askChain('integrator', 1), askChain('crowd', 2)]
    for (let n = 0; n < 12; n += 1) asked.push(askChain('integrator', 1))
    for (let n = 0; n < 13; n += 1) await rest(100)
    await Promise.all(asked)
    assert.is(begun.indexOf('crowd'), 10)
  },
)
s.run()
