import { assert, suite } from '../../../fixtures/test.ts'
import { createTurns, shareNextTurn, skipWhileRunning } from './turns.ts'

const s = suite('work in turn')

s('runs one after the other, also after one that failed', async () => {
  const inTurn = createTurns()
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = inTurn(async () => {
    await gate.promise
    order.push('first')
    throw new Error('broken')
  })
  const second = inTurn(async () => order.push('second'))
  order.push('asked')
  gate.resolve()
  assert.equal(await first.catch((error: Error) => error.message), 'broken')
  await second
  assert.equal(order, ['asked', 'first', 'second'])
})

s(
  'a run that waits for its turn serves all who ask until then; one under way does not',
  async () => {
    const inTurn = createTurns()
    const gate = Promise.withResolvers<void>()
    let runs = 0
    const ask = shareNextTurn(inTurn, async () => {
      runs += 1
      await gate.promise
    })
    const early = [ask(), ask()]
    assert.is(early[0], early[1])
    await Promise.resolve()
    const late = ask()
    assert.is.not(late, early[0])
    gate.resolve()
    await Promise.all([...early, late])
    assert.is(runs, 2)
  },
)

s('what is skipped while it runs runs again after it failed', async () => {
  const failures: unknown[] = []
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const ask = skipWhileRunning(
    async () => {
      runs += 1
      await gate.promise
    },
    (error) => failures.push(error),
  )
  const first = ask()
  await ask()
  assert.is(runs, 1)
  gate.reject('broken')
  await first
  assert.equal(failures, ['broken'])
  await ask()
  assert.is(runs, 2)
})

s.run()
