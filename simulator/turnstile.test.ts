import { assert, suite } from '../fixtures/test.ts'
import { createTurnstile } from './turnstile.ts'

const s = suite('a turnstile')
const longMs = 600_000

s('lets so many in at once, in the order of asking', async () => {
  const enter = createTurnstile(2)
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
s.run()
