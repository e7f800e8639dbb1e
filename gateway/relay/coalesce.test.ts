import { assert, suite } from '../../fixtures/test.ts'
import { createCoalesce } from './coalesce.ts'

const s = suite('coalesce')

s('shares a call while it runs, by its key, and keeps no answer [teeth/coalesce]', async () => {
  const share = createCoalesce<number>()
  const held = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let calls = 0
  const ask = (key: string) =>
    share(key, () => held[calls++]?.promise ?? Promise.reject(new Error(`call ${calls}`)))
  const [one, same, other] = [ask('a'), ask('a'), ask('b')]
  assert.is(calls, 2)
  held[0]?.resolve(1)
  held[1]?.resolve(2)
  assert.equal(await Promise.all([one, same, other]), [1, 1, 2])
  const message = (asked: Promise<number>) => asked.catch((error: Error) => error.message)
  assert.is(await message(ask('a')), 'call 3')
  // Nor a failure.
  assert.is(await message(ask('a')), 'call 4')
})
s.run()
