import { setImmediate } from 'node:timers/promises'
import { assert, suite } from '../../../fixtures/test.ts'
import { createTrials, type TrialParameters } from './trials.ts'

const s = suite('trials of pools with unknown code')

/** Trials on a clock of their own, and a dry run that ends when it is told to. */
function create() {
  let atMs = 0
  const trials = createTrials({ now: () => atMs })
  let begun = 0
  const waiting: PromiseWithResolvers<boolean>[] = []
  const work = () => {
    begun += 1
    const run = Promise.withResolvers<boolean>()
    waiting.push(run)
    return run.promise
  }
  const run = (ids: readonly string[], p: Partial<TrialParameters<boolean>> = {}) =>
    trials.run(ids, {
      asker: undefined,
      work,
      holds: (hasPassed) => hasPassed,
      waitMs: 60_000,
      isAlone: false,
      ...p,
    })
  return {
    trials,
    run,
    begun: () => begun,
    /** Ends the oldest. */
    end: (hasPassed = true) => waiting.shift()?.resolve(hasPassed),
    pass: (ms: number) => {
      atMs += ms
    },
  }
}

s('tell what came of a dry run that is through in time', async () => {
  const { run, end } = create()
  const asked = run(['a'])
  end()
  assert.is(await asked, true)
})

s(
  'make nobody wait for a dry run that takes long, and go on behind his back [trust/late]',
  async () => {
    const { run, end, begun, pass } = create()
    assert.is(await run(['a'], { waitMs: 1 }), 'late')
    assert.is(begun(), 1)
    end()
    // It was late: for a while it is not waited for where there is another route, each time for longer.
    for (const pauseMs of [2_000, 4_000, 8_000]) {
      const before = begun()
      pass(pauseMs - 1)
      assert.is(await run(['a']), 'late')
      assert.is(begun(), before)
      pass(1)
      assert.is(await run(['a'], { waitMs: 1 }), 'late')
      assert.is(begun(), before + 1)
      // Nor is a route that goes through it and others.
      assert.is(await run(['b', 'a']), 'late')
      assert.is(begun(), before + 1)
      end()
    }
    // Nobody waits longer than he may.
    assert.is(await run(['c'], { waitMs: 0 }), 'late')
    // Without another route it is waited for.
    const asked = run(['a'], { isAlone: true })
    end()
    assert.is(await asked, true)
  },
)

s(
  'make people wait a tenth as long for a pool that has not passed for a while, beside another route [strangers/unproved]',
  async () => {
    const { run, end, pass } = create()
    const late: string[] = []
    const passes = async (id: string) => {
      const asked = run([id])
      end()
      assert.ok(await asked)
    }
    const wait = async (id: string, isAlone = false) => {
      assert.is(await run([id], { waitMs: 300, isAlone }), 'late')
      late.push(id)
    }
    await passes('known')
    // It is asked for again and again, for an hour but a millisecond.
    for (let n = 0; n < 6; n += 1) {
      pass(599_999)
      await passes('known')
    }
    pass(5)
    await Promise.all([wait('known'), wait('alone', true)])
    assert.equal(late.splice(0), ['known', 'alone'], 'it was made a moment ago')
    end()
    end()
    await run(['known'], { isAlone: true, work: async () => true })
    pass(1)
    await passes('new')
    await Promise.all([wait('known'), wait('other', true), wait('new')])
    assert.equal(late, ['new', 'known', 'other'])
  },
)

s('pause no pool for being in one route with a slow one [trust/late-together]', async () => {
  const { run, end, begun, pass } = create()
  assert.is(await run(['slow', 'honest'], { waitMs: 1 }), 'late')
  end(false)
  await Promise.resolve()
  // They are not tried together again, in whatever order.
  assert.is(await run(['honest', 'slow']), 'late')
  assert.is(begun(), 1)
  const honest = run(['honest'])
  assert.is(begun(), 2)
  end()
  assert.is(await honest, true)
  assert.is(await run(['slow'], { waitMs: 1 }), 'late')
  end()
  await Promise.resolve()
  assert.is(await run(['other', 'slow']), 'late')
  assert.is(begun(), 3)
  pass(2_000)
  const both = run(['slow', 'honest'])
  end()
  assert.is(await both, true)
})

s(
  'try a pool once at a time until it has passed, and again after it failed [trust/one-trial]',
  async () => {
    const { run, end, begun } = create()
    const first = run(['a', 'b'])
    assert.is(await run(['b', 'c']), 'late')
    assert.is(begun(), 1)
    const other = run(['c'])
    end()
    end()
    assert.is(await first, true)
    assert.is(await other, true)
    const many = [run(['a', 'b']), run(['b', 'c']), run(['b'])]
    assert.is(begun(), 5)
    end()
    end(false)
    end()
    assert.equal(await Promise.all(many), [true, false, true])
  },
)

s(
  'try a pool by itself while a trial that it shares goes on [trust/one-trial-shared]',
  async () => {
    const { run, end, begun } = create()
    const shared = run(['endless', 'honest'])
    const own = run(['honest'])
    assert.is(begun(), 2)
    assert.is(await run(['honest']), 'late')
    assert.is(await run(['other', 'honest']), 'late')
    end(false)
    end()
    assert.equal(await Promise.all([shared, own]), [false, true])
  },
)

s('believe who passed beside one that may be to blame [trust/belief]', async () => {
  const { run, end, begun } = create()
  const fail = async (ids: readonly string[]) => {
    const failing = run(ids)
    end(false)
    assert.is(await failing, false)
  }
  /** Whether many may try it at once. */
  const isBelieved = async (id: string) => {
    const before = begun()
    const both = [run([id]), run([id])]
    const count = begun() - before
    for (let n = 0; n < count; n += 1) end()
    await Promise.all(both)
    return count === 2
  }
  const passes = run(['honest'])
  end()
  await passes
  await fail(['stranger', 'honest'])
  assert.ok(await isBelieved('honest'))
  assert.not.ok(await isBelieved('stranger'))
  // It has passed by now: any of the two may have turned.
  await fail(['stranger', 'honest'])
  assert.not.ok(await isBelieved('honest'))
})

s('are sixteen at most, and who has no other route waits for his turn', async () => {
  const { run, end, begun } = create()
  const all = Array.from({ length: 16 }, (_, n) =>
    run([`pool ${n}`], { asker: { caller: `caller ${n}` } }),
  )
  assert.is(await run(['more']), 'late')
  assert.is(await run(['more'], { isAlone: true, waitMs: 1 }), 'late')
  const waits = run(['more'], { isAlone: true })
  assert.is(begun(), 16)
  end()
  assert.is(await all[0], true)
  while (begun() < 17) await Promise.resolve()
  for (let n = 1; n < 17; n += 1) end()
  assert.is(await waits, true)
})

s('are four at most of one network, whatever its keys [trust/places]', async () => {
  const { run, end, begun } = create()
  const from = (network: string, caller: string) => ({ asker: { network, caller } })
  const crowd = Array.from({ length: 16 }, (_, n) =>
    run([`slow ${n}`], { ...from('crowd', `key ${n}`), isAlone: true }),
  )
  const unknown = Array.from({ length: 5 }, (_, n) => run([`unknown ${n}`]))
  assert.is(begun(), 8)
  assert.is(await unknown[4], 'late')
  assert.is(await run(['more'], from('crowd', 'another')), 'late')
  const other = run(['more'], from('elsewhere', 'key 0'))
  assert.is(begun(), 9)
  // The crowd's next have the places of its own that end.
  for (let ended = 0; ended < 21; ended += 1) {
    end()
    await setImmediate()
  }
  assert.is(begun(), 21)
  assert.ok((await Promise.all(crowd)).every((outcome) => outcome === true))
  assert.is(await other, true)
})

s('are four at most of the networks of one site [attack/trial-sites]', async () => {
  const { run, end, begun } = create()
  const crowd = Array.from({ length: 16 }, (_, n) =>
    run([`slow ${n}`], { asker: { network: `network ${n}`, site: 'site' } }),
  )
  assert.is(begun(), 4)
  for (let ended = 0; ended < 4; ended += 1) end()
  const outcomes = await Promise.all(crowd)
  assert.is(outcomes.filter((outcome) => outcome === 'late').length, 12)
})

s('reach a verdict over one payload and block once [trust/kept]', async () => {
  const { trials, pass } = create()
  let judged = 0
  const once = (key: string, status = 'verified') =>
    trials.once(
      key,
      async () => {
        judged += 1
        return { status }
      },
      { isFinal: (verdict) => verdict.status !== 'unavailable' },
    )
  const [one, same] = await Promise.all([once('a'), once('a')])
  assert.is(one, same)
  assert.is(await once('a'), one)
  assert.is(judged, 1)
  await once('b')
  assert.is(judged, 2)
  // What nobody could tell is asked again.
  await once('c', 'unavailable')
  assert.is((await once('c')).status, 'verified')
  pass(15_000)
  assert.is.not(await once('a'), one)
})
s.run()
