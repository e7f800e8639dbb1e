import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert, suite } from '../../fixtures/test.ts'
import { StoreUnavailable } from './storeUnavailable.ts'
import { createTogether } from './together.ts'

const s = suite('together')

/** Doubles numbers, when it is let. */
function open() {
  const works: { readonly asks: readonly number[]; end(): void; fail(cause: Error): void }[] = []
  const ask = createTogether<number, number>(
    (asks) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>()
      works.push({ asks, end: () => resolve(asks.map((one) => 2 * one)), fail: reject })
      return promise
    },
    { kindOf: (one) => String(one % 2), most: 3 },
  )
  const asked = () => works.map(({ asks }) => asks)
  return { works, ask, asked }
}

s('what is asked meanwhile is answered together, by kind and in order [20/together]', async () => {
  const { works, ask, asked } = open()
  const first = [ask(2), ask(4), ask(1)]
  await nextTurn()
  assert.equal(asked(), [[2, 4], [1]])
  const later = [6, 8, 10, 12].map(ask)
  await nextTurn()
  assert.is(works.length, 2)
  for (const { end } of works) end()
  assert.equal(await Promise.all(first), [4, 8, 2])
  await nextTurn()
  assert.equal(asked().slice(2), [[6, 8, 10]])
  works[2]?.end()
  await nextTurn()
  works[3]?.end()
  assert.equal(await Promise.all(later), [12, 16, 20, 24])
})
s('where one is at fault the others are asked for alone [20/together]', async () => {
  const { works, ask, asked } = open()
  const told = Promise.allSettled([ask(2), ask(4)])
  await nextTurn()
  works[0]?.fail(new Error('four'))
  await nextTurn()
  works[1]?.end()
  await nextTurn()
  works[2]?.fail(new Error('four'))
  const [two, four] = await told
  assert.equal(asked(), [[2, 4], [2], [4]])
  assert.equal(two, { status: 'fulfilled', value: 4 })
  assert.match(four?.status === 'rejected' ? String(four.reason) : '', 'four')
})
s('a database that is away is asked once for all [20/together]', async () => {
  const { works, ask } = open()
  const told = Promise.allSettled([ask(2), ask(4)])
  await nextTurn()
  works[0]?.fail(new StoreUnavailable('away'))
  assert.equal(
    (await told).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.is(works.length, 1)
})
s.run()
