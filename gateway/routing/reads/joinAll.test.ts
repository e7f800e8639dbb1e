import { assert, suite } from '../../../fixtures/test.ts'
import { joinAll } from './joinAll.ts'

const s = suite('work that is joined')

s('has failed when none of it goes on [nodes/join]', async () => {
  const ended: string[] = []
  const slow = Promise.withResolvers<void>()
  const others = slow.promise.then(() => ended.push('slow'))
  const joined = joinAll([Promise.reject(new Error('gone')), others]).catch((error: Error) =>
    ended.push(error.message),
  )
  slow.resolve()
  await joined
  assert.equal(ended, ['slow', 'gone'])
  assert.equal(await joinAll([Promise.resolve(1), Promise.resolve(2)]), [1, 2])
})
s.run()
