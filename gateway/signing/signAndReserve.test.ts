import { assert, suite } from '../../fixtures/test.ts'
import { NonceContended, signAndReserve } from './signAndReserve.ts'
import { createTurns } from './turns.ts'

const s = suite('signAndReserve')

/** A book whose price changes before each of the first so many signatures is kept. */
function contend(changes: number) {
  const signed: number[] = []
  let price = 0
  const asked = signAndReserve<number, number, string>(createTurns(), {
    async reserve(ready) {
      if (ready !== undefined && price < changes) price += 1
      const id = String(price)
      return ready?.id === id ? { value: `signed ${ready.signed}` } : { wish: { id, order: price } }
    },
    sign: async (order) => {
      signed.push(order)
      return order
    },
  })
  return { asked, signed }
}

s('signs again for another price, eight times at most [teeth/sign-again]', async () => {
  assert.is(await contend(0).asked, 'signed 0')
  const last = contend(7)
  assert.is(await last.asked, 'signed 7')
  assert.is(last.signed.length, 8)
  const { asked, signed } = contend(8)
  assert.instance(await asked.catch((error: unknown) => error), NonceContended)
  assert.equal(signed, [0, 1, 2, 3, 4, 5, 6, 7])
})
s('who waited for its turn looks again before it signs [teeth/sign-again]', async () => {
  const turns = createTurns()
  const world = { nonce: 1 }
  const signed: number[] = []
  const take = () =>
    signAndReserve<number, number, number>(turns, {
      async reserve(ready) {
        const id = String(world.nonce)
        if (ready?.id !== id) return { wish: { id, order: world.nonce } }
        world.nonce += 1
        return { value: ready.signed }
      },
      sign: async (order) => {
        signed.push(order)
        return order
      },
    })
  assert.equal(await Promise.all([take(), take(), take()]), [1, 2, 3])
  // None for a nonce that was gone by then.
  assert.equal(signed, [1, 2, 3])
})
s.run()
