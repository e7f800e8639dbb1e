import { assert, suite } from '../../fixtures/test.ts'
import {
  type Asker,
  createAskers,
  createSearchQueue,
  SearchRefused,
  toUnavailable,
} from './searchQueue.ts'

const s = suite('where those who search are at home')

function createStand() {
  const clock = { ms: 1 }
  const searches = createSearchQueue({ now: () => clock.ms })
  const order: string[] = []
  const ask = (name: string, asker: Asker) =>
    searches(async () => void order.push(name), { chainId: 1, ...asker })
  /** In which order these are searched that all wait. */
  async function orderOf(askers: readonly Asker[]) {
    order.length = 0
    const gate = Promise.withResolvers<void>()
    const running = searches(() => gate.promise, { chainId: 1, caller: 'running' })
    const waiting = askers.map((asker) => ask(asker.caller ?? '', asker))
    gate.resolve()
    await Promise.all([running, ...waiting])
    return [...order]
  }
  return { clock, searches, ask, orderOf }
}
const from = (caller: string, network: string): Asker => ({ caller, network })

s(
  'is where they asked from first, for ten seconds after they last asked [teeth/homes]',
  async () => {
    for (const [laterMs, first] of [
      [9_999, 'other'],
      [10_000, 'roaming'],
    ] as const) {
      const { clock, ask, orderOf } = createStand()
      await ask('roaming', from('roaming', 'busy'))
      clock.ms += laterMs
      const order = await orderOf([from('roaming', 'quiet'), from('other', 'another')])
      assert.is(order[0], first, `${laterMs} ms later`)
    }
    // Whoever goes on is at home for longer.
    const { clock, ask, orderOf } = createStand()
    await ask('roaming', from('roaming', 'busy'))
    clock.ms += 9_999
    await ask('roaming', from('roaming', 'quiet'))
    clock.ms += 9_999
    const order = await orderOf([from('roaming', 'quiet'), from('other', 'another')])
    assert.is(order[0], 'other')
  },
)
s('is nowhere for those without a name [teeth/homes]', async () => {
  const { ask, orderOf } = createStand()
  await ask('nobody', { network: 'busy' })
  const order = await orderOf([{ network: 'quiet' }, from('other', 'another')])
  assert.equal(order, ['', 'other'])
})
s('says who was refused, and why [teeth/homes]', () => {
  const left = new SearchRefused({ isAbandoned: true })
  assert.equal(
    [left.message, left.isAbandoned, [...left.callers]],
    ['the caller has left', true, ['']],
  )
  const crowd = new SearchRefused({ isAbandoned: false, callers: ['a', 'b'] })
  assert.equal([crowd.message, crowd.isAbandoned], ['too many searches are waiting', false])
  assert.equal([...crowd.callers], ['a', 'b'])
})
s('tells whoever watches of all who came, until he has seen enough [teeth/homes]', () => {
  const askers = createAskers()
  const [first, second]: [string[], string[]] = [[], []]
  const note = (seen: string[]) => (asker: Asker) => void seen.push(asker.caller ?? '')
  askers.join({ caller: 'a' })
  const stop = askers.watch(note(first))
  askers.watch(note(second))
  askers.join({ caller: 'b' })
  stop()
  askers.join({ caller: 'c' })
  assert.equal(
    [first, second],
    [
      ['a', 'b'],
      ['a', 'b', 'c'],
    ],
  )
})
s('counts what waits on each chain, of all of them together [teeth/homes]', async () => {
  const { searches } = createStand()
  const gate = Promise.withResolvers<void>()
  const running = [1, 1, 2, 2].map((chainId) => searches(() => gate.promise, { chainId }))
  assert.is(searches.waiting?.(), 3)
  gate.resolve()
  await Promise.all(running)
  await searches.whenIdle?.()
  assert.is(searches.waiting?.(), 0)
})
s('who is refused is told why, and other faults are ours', () => {
  for (const [isAbandoned, reason] of [
    [true, 'the caller has left'],
    [false, 'too many searches are waiting'],
  ] as const)
    assert.equal(toUnavailable(new SearchRefused({ isAbandoned })), {
      status: 'unavailable',
      reason,
    })
  assert.throws(() => toUnavailable(new TypeError('ours')), /ours/)
})
s.run()
