import { assert, suite } from '../../fixtures/test.ts'
import { type CallBudget, type CallPurpose, createCallBudget } from './callBudget.ts'

const calls = (count: number) => Array<string>(count).fill('eth_call')

function stand(budget: CallBudget) {
  const clock = { ms: 0 }
  const counted = new Map<string, number>()
  const slept: number[] = []
  const { spend, roomFor } = createCallBudget({
    budget,
    unitsOf: () => 20,
    now: () => clock.ms,
    sleep: async (ms) => void slept.push(ms),
    observe({ purpose, calls, outcome }) {
      const name = `${purpose} ${outcome}`
      counted.set(name, (counted.get(name) ?? 0) + calls)
    },
  })
  return { clock, counted, slept, spend, roomFor }
}

const s = suite("the budget of a chain's nodes")

s(
  'bounds a purpose over the time, and counts what it took and did not get [strangers/budget-bound]',
  async () => {
    const { clock, counted, spend } = stand({ perSecondOf: { warmUp: 100 } })
    for (; clock.ms < 60_000; clock.ms += 250) await spend('warmUp', calls(200))
    const sent = counted.get('warmUp sent') ?? 0
    assert.ok(sent >= 6_000 && sent <= 6_600, `${sent} calls in a minute`)
    assert.is(sent + (counted.get('warmUp refused') ?? 0), 240 * 200)
  },
)

s(
  'serves sync and relay first, and lets the others wait for what is left [strangers/budget-first]',
  async () => {
    const { clock, slept, spend } = stand({ perSecond: 100, perSecondOf: {} })
    assert.ok(await spend('sync', calls(250)))
    assert.ok(await spend('simulation', calls(1)))
    assert.equal(slept, [500])
    assert.not(await spend('warmUp', calls(1)))
    for (let n = 0; n < 10; n += 1)
      for (const purpose of ['sync', 'relay'] as const) assert.ok(await spend(purpose, calls(50)))
    // Both took what they needed without waiting; nobody else can wait that long.
    assert.equal(slept, [500])
    for (const purpose of ['simulation', 'meta', 'warmUp'] as const)
      assert.not(await spend(purpose, calls(1)))
    clock.ms += 20_000
    const all: readonly CallPurpose[] = ['simulation', 'meta', 'warmUp']
    for (const purpose of all) assert.ok(await spend(purpose, calls(1)))
  },
)

s('counts what the provider counts for each method [nodes/units]', async () => {
  const units: number[] = []
  const { spend } = createCallBudget({
    budget: { perSecondOf: {} },
    unitsOf: (method) => (method === 'eth_call' ? 26 : 20),
    sleep: async () => undefined,
    observe: (event) => units.push(event.units),
  })
  await spend('sync', ['eth_call', 'eth_call', 'eth_chainId'])
  assert.equal(units, [72])
})

s('lets the others wait for units as for calls [nodes/unit-bound]', async () => {
  const { slept, spend } = stand({ unitsPerSecond: 100, perSecondOf: {} })
  // Two seconds' worth may be used at once, and half a second's more is waited for.
  assert.ok(await spend('sync', calls(12)))
  assert.ok(await spend('sync', calls(1)))
  assert.ok(await spend('simulation', calls(1)))
  assert.equal(slept, [600])
  assert.not(await spend('warmUp', calls(1)))
})

s("holds background work first where a month's pace is overdrawn [nodes/unit-month]", async () => {
  const unitsPerMonth = 30 * 24 * 3_600
  const { clock, slept, spend } = stand({ unitsPerMonth, perSecondOf: {} })
  const hours = (count: number) => calls((count * 3_600) / 20)
  const takes = async (purpose: CallPurpose) => spend(purpose, calls(1))
  assert.ok(await takes('warmUp'))
  await spend('sync', hours(2))
  // An hour's worth was there; the other one is overdrawn.
  assert.equal(
    [await takes('warmUp'), await takes('meta'), await takes('simulation')],
    [false, true, true],
  )
  // Nobody who asks without a key has others do without their dry runs.
  await spend('sync', hours(12))
  assert.equal([await takes('meta'), await takes('simulation')], [false, true])
  await spend('sync', hours(12))
  assert.equal([await takes('meta'), await takes('simulation')], [false, false])
  assert.equal([await takes('sync'), await takes('relay')], [true, true])
  clock.ms += 2 * 3_600_000
  assert.equal([await takes('meta'), await takes('simulation')], [false, true])
  clock.ms += 12 * 3_600_000
  assert.equal([await takes('warmUp'), await takes('meta')], [false, true])
  clock.ms += 12 * 3_600_000
  assert.ok(await takes('warmUp'))
  assert.equal(slept, [])
})

s(
  "begins no audit where a month's pace is overdrawn, and ends one that began [nodes/unit-audit]",
  async () => {
    const { clock, counted, spend } = stand({ unitsPerMonth: 30 * 24 * 3_600, perSecondOf: {} })
    const hours = (count: number) => calls((count * 3_600) / 20)
    assert.ok(await spend('audit', []))
    await spend('sync', hours(2))
    assert.not(await spend('audit', []))
    assert.ok(await spend('audit', calls(3)))
    assert.equal([counted.get('audit sent'), counted.get('audit refused')], [3, 0])
    clock.ms += 2 * 3_600_000
    assert.ok(await spend('audit', []))
  },
)

s('begins no audit that would have to wait [nodes/unit-audit]', async () => {
  const { clock, slept, spend } = stand({ perSecond: 100, perSecondOf: {} })
  await spend('sync', calls(250))
  assert.not(await spend('audit', []))
  assert.ok(await spend('audit', calls(1)))
  clock.ms += 3_000
  assert.ok(await spend('audit', []))
  assert.equal(slept, [])
})

s('takes everything where nothing is bounded', async () => {
  const { spend, slept, roomFor } = stand({ perSecondOf: {} })
  for (let n = 0; n < 100; n += 1) assert.ok(await spend('meta', calls(1_000)))
  assert.equal(slept, [])
  assert.is(roomFor('meta'), 1)
})

s(
  'tells what may be asked at once, by the narrowest of its bounds [strangers/budget-room]',
  async () => {
    const { clock, spend, roomFor } = stand({ unitsPerSecond: 4_000, perSecondOf: { meta: 100 } })
    const rooms = () => [roomFor('meta'), roomFor('simulation')]
    assert.equal(rooms(), [1, 1])
    // Two seconds' worth may go at once.
    await spend('meta', calls(150))
    assert.equal(rooms(), [0.25, 0.625])
    clock.ms += 500
    assert.equal(rooms(), [0.5, 0.875])
    await spend('meta', calls(250))
    assert.equal(rooms(), [0, 0.25])
    clock.ms += 60_000
    assert.equal(rooms(), [1, 1])
  },
)
s.run()
