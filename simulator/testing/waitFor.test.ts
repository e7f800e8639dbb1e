import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from './waitFor.ts'

const s = suite('waitFor')
const messageOf = (waiting: Promise<unknown>) =>
  waiting.then(
    () => assert.unreachable('it ended well'),
    (error: Error) => error.message,
  )

s('tells what it waited for, how long and what was seen last [runner/wait-reason]', async () => {
  let looks = 0
  const waiting = waitFor('the sky falls', () => ++looks < 0, {
    deadlineMs: 40,
    everyMs: 5,
    why: () => `looked ${looks > 1 ? 'often' : 'once'}`,
  })
  assert.is(await messageOf(waiting), 'not within 40 ms: the sky falls (looked often)')
})
s('ends where the condition itself never answers [runner/wait-ends]', async () => {
  const waiting = waitFor('an answer', () => new Promise(() => {}), {
    deadlineMs: 20,
    lastLookMs: 30,
  })
  assert.is(
    await messageOf(waiting),
    'not within 20 ms: an answer (the last look at it did not end)',
  )
})
s('takes a look that began in time and ended well', async () => {
  const isTrue = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 60))
  assert.ok((await waitFor('it', isTrue, { deadlineMs: 10 })) >= 50)
})
s('throws what the condition throws', async () => {
  const waiting = waitFor('it', () => Promise.reject(new Error('broken')))
  assert.is(await messageOf(waiting), 'broken')
})
s.run()
