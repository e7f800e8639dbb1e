import { getEventListeners } from 'node:events'
import { assert, suite } from '../fixtures/test.ts'
import { createTurnstile } from './turnstile.ts'

const s = suite('a turnstile')
const longMs = 600_000

s('lets so many in at once, in the order of asking', async () => {
  const enter = createTurnstile({ places: 2, placesOfOne: 2 })
  const [first, second] = await Promise.all([enter(longMs), enter(longMs)])
  const came: number[] = []
  const late = [1, 2, 3].map((number) =>
    enter(longMs).then((leave) => {
      came.push(number)
      return leave
    }),
  )
  assert.is(await enter(0), undefined)
  first?.()
  await late[0]
  assert.equal(came, [1])
  second?.()
  const leave = await late[1]
  assert.equal(came, [1, 2])
  leave?.()
  for (const each of [late[0], late[2]]) (await each)?.()
  assert.equal(came, [1, 2, 3])
  // Who went away in vain holds no place.
  assert.ok(await enter(0))
  assert.ok(await enter(0))
  assert.is(await enter(0), undefined)
})

s('keeps a place for others than who has some already [17/fair-apart]', async () => {
  const enter = createTurnstile({ places: 3, placesOfOne: 2 })
  const own = await Promise.all([1, 2].map(() => enter(longMs, { caller: 'one' })))
  const third = enter(longMs, { caller: 'one' })
  const other = await enter(0, { caller: 'other' })
  assert.ok(other)
  // The place of somebody else is none of his.
  other?.()
  assert.ok(await enter(0, { caller: 'other' }))
  own[0]?.()
  assert.ok(await third)
  assert.is(await enter(0, { caller: 'one' }), undefined)
})

s('lets in no more than there are places, whoever they are for [17/fair-apart]', async () => {
  const enter = createTurnstile({ places: 3, placesOfOne: 2 })
  const enterAs = (caller: string) => enter(0, { caller })
  const leaving = await Promise.all(['one', 'one', 'other'].map(enterAs))
  assert.is(await enterAs('third'), undefined)
  leaving[2]?.()
  // One of two that it has, so that it may have one more.
  leaving[0]?.()
  assert.ok(await enterAs('one'))
  assert.is(await enterAs('one'), undefined)
  assert.ok(await enterAs('third'))
  assert.is(await enterAs('fourth'), undefined)
})

s('keeps neither timer nor listener of who has come in [teeth/turnstile]', async () => {
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const { signal } = new AbortController()
  const enter = createTurnstile({ places: 1, placesOfOne: 1 })
  const leave = await enter(longMs)
  const before = countTimers()
  const next = enter(longMs, { signal })
  assert.equal([countTimers() - before, getEventListeners(signal, 'abort').length], [1, 1])
  leave?.()
  assert.ok(await next)
  assert.equal([countTimers() - before, getEventListeners(signal, 'abort').length], [0, 0])
})

s(
  'lets nobody wait who has gone, nor more than so many of one caller [17/fair-apart]',
  async () => {
    const enter = createTurnstile({ places: 1, placesOfOne: 1 })
    const leave = await enter(longMs)
    const gone = new AbortController()
    const signal = gone.signal
    const waiting = Array.from({ length: 64 }, () => enter(longMs, { signal }))
    const last = enter(longMs, { caller: 'other' })
    assert.is(await enter(longMs), undefined)
    const isWaiting = Symbol('waiting')
    for (const each of waiting) assert.is(await Promise.race([each, isWaiting]), isWaiting)
    gone.abort()
    for (const each of waiting) assert.is(await each, undefined)
    assert.is(await enter(longMs, { signal }), undefined)
    leave?.()
    const next = await last
    assert.ok(next)
    next?.()
    assert.ok(await enter(0))
  },
)
s.run()
