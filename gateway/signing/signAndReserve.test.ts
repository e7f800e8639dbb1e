import { assert, suite } from '../../fixtures/test.ts'
import { NonceContended, signAndReserve, type Wish } from './signAndReserve.ts'
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

/** A book of which each takes the next nonce; what is done, in order, and what stands in whose way. */
function openBook({
  refused = '',
  unsigned = '',
  tells = false,
  waitsFor = {} as Readonly<Record<string, Promise<void>>>,
} = {}) {
  const turns = createTurns()
  const done: string[] = []
  let next = 1
  type Order = { readonly of: string; readonly nonce: number }
  const toWish = (of: string, nonce: number): Wish<Order> => ({
    id: `${of}${nonce}`,
    order: { of, nonce },
    next: { nonce, at: (later) => toWish(of, later) },
  })
  const take = (of: string) =>
    signAndReserve<Order, string, string>(turns, {
      async reserve(ready) {
        done.push(ready ? `keep ${ready.signed}` : `look ${of}`)
        if (ready && of === refused) return { value: 'refused' }
        const wish = toWish(of, next)
        if (ready?.id !== wish.id) return { wish }
        next += 1
        return { value: ready.signed }
      },
      async sign({ of: whose, nonce }) {
        done.push(`sign ${whose}${nonce}`)
        await waitsFor[whose]
        if (unsigned === whose || unsigned === `${whose}${nonce}`) throw new Error('no key')
        return `${whose}${nonce}`
      },
      ...(tells && { isTaken: (value) => value !== 'refused' }),
    }).catch(({ message }: Error) => message)
  /** Another process signs. */
  const overtake = () => {
    next += 1
  }
  return { take, done, turns, overtake }
}

s('those that take the next nonces are signed and kept together [20/sign-together]', async () => {
  const { take, done } = openBook()
  const names = Array.from({ length: 18 }, (_, index) => `o${index}:`)
  const told = await Promise.all(names.map(take))
  assert.equal(
    told,
    names.map((name, index) => `${name}${index + 1}`),
  )
  const each = (what: string, of: readonly string[]) => of.map((name) => `${what} ${name}`)
  const [first, second] = [told.slice(0, 16), told.slice(16)]
  assert.equal(done, [
    ...each('look', names),
    ...each('sign', first),
    ...each('keep', first),
    // Their turn comes after one that has taken what they saw.
    ...each('look', names.slice(16)),
    ...each('sign', second),
    ...each('keep', second),
  ])
})
s('nobody else asks a key that has yet to answer another [20/sign-together]', async () => {
  const [a, b] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { take, done } = openBook({ waitsFor: { a: a.promise, b: b.promise } })
  const all = Promise.all(['a', 'b', 'c'].map(take))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(done.slice(3), ['sign a1'])
  a.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(done.slice(3), ['sign a1', 'sign b2'])
  b.resolve()
  assert.equal(await all, ['a1', 'b2', 'c3'])
})
s('who is refused or not signed for leaves no nonce unused [20/sign-together]', async () => {
  const refused = openBook({ refused: 'b' })
  assert.equal(await Promise.all(['a', 'b', 'c'].map(refused.take)), ['a1', 'refused', 'c2'])
  assert.equal(refused.done.slice(-3), ['keep c3', 'sign c2', 'keep c2'])
  const unsigned = openBook({ unsigned: 'a' })
  assert.equal(await Promise.all(['a', 'b'].map(unsigned.take)), ['no key', 'b1'])
  assert.is(await unsigned.take('c'), 'c2')
})
s(
  'what could not be signed again is not kept as it was signed before [20/sign-again]',
  async () => {
    const { take, done } = openBook({ refused: 'a', unsigned: 'b1' })
    assert.equal(await Promise.all(['a', 'b'].map(take)), ['refused', 'no key'])
    assert.equal(done.slice(-3), ['keep a1', 'keep b2', 'sign b1'])
  },
)
s(
  'a turn after one that was kept as it was signed looks at nothing first [20/known-nonces]',
  async () => {
    const names = Array.from({ length: 17 }, (_, index) => `o${index}:`)
    const looksOf = ({ done }: ReturnType<typeof openBook>, name: string) =>
      done.filter((what) => what === `look ${name}`).length
    const kept = openBook({ tells: true })
    assert.is((await Promise.all(names.map(kept.take)))[16], 'o16:17')
    assert.is(looksOf(kept, 'o16:'), 1)
    // What was refused leaves a nonce, which only the book knows.
    const refused = openBook({ tells: true, refused: 'o15:' })
    assert.is((await Promise.all(names.map(refused.take)))[16], 'o16:16')
    assert.is(looksOf(refused, 'o16:'), 2)
    // So does a turn of somebody else's in between.
    const between = openBook({ tells: true })
    await Promise.all(names.slice(0, 16).map(between.take))
    const late = between.take('late:')
    void between.turns.run(async () => between.overtake())
    assert.is(await late, 'late:18')
    assert.is(looksOf(between, 'late:'), 2)
  },
)
s.run()
