import { assert, suite } from '../../../../fixtures/test.ts'
import { createTridentPool, type TridentState } from './trident.ts'

const s = suite('trident')
const [x, y] = [3_000_000n * 10n ** 6n, 6_000_000n * 10n ** 18n]
const units = [10n ** 6n, 10n ** 18n]

/** A pool whose shares are worth `worth` each, in a box that holds as much of others. */
function open(worth: bigint, own: Partial<TridentState> = {}) {
  const shares = [x, y]
  const bases = shares.map((each) => 2n * each)
  const elastics = bases.map((base) => base * worth)
  const state = {
    id: 'p',
    tokens: ['a', 'b'],
    stable: false,
    feeBps: 30n,
    units,
    reserves: shares,
    shares,
    elastics,
    bases,
    liquid: elastics,
  }
  return createTridentPool({ ...state, ...own })
}
const paidBy = (reserveIn: bigint, reserveOut: bigint, given: bigint) =>
  (reserveOut * given * 9_970n) / (reserveIn * 10_000n + given * 9_970n)

for (const worth of [1n, 2n])
  s(`gives by its shares, each worth ${worth}, one swap after the other [teeth/trident]`, () => {
    const [first, second] = [10n ** 10n, 4n * 10n ** 10n]
    const out = paidBy(x, y, first)
    const swap = open(worth).swap(0, 1, first * worth)
    assert.equal([swap?.amountIn, swap?.amountOut], [first * worth, out * worth])
    const again = swap?.next.swap(0, 1, second * worth)
    assert.is(again?.amountOut, paidBy(x + first, y - out, second) * worth)
    const back = swap?.next.swap(1, 0, 10n ** 18n * worth)
    assert.is(back?.amountOut, paidBy(y - out, x + first, 10n ** 18n) * worth)
  })
s('pays what lies in the box, and no more [teeth/trident]', () => {
  const out = paidBy(x, y, 10n ** 10n)
  const pay = (liquid: bigint) =>
    open(1n, { liquid: [x, liquid] }).swap(0, 1, 10n ** 10n)?.amountOut
  assert.equal([pay(out), pay(out - 1n)], [out, undefined])
})
s('takes no reserve above 112 bits, and no trade of nothing [teeth/trident]', () => {
  const most = (1n << 112n) - 1n
  const full = (room: bigint) => {
    const reserves = [most - room, y]
    const boxes = { shares: reserves, bases: reserves, elastics: reserves, liquid: reserves }
    return open(1n, { reserves, ...boxes }).swap(0, 1, 10n ** 22n)?.amountOut
  }
  assert.equal([full(10n ** 22n) !== undefined, full(10n ** 22n - 1n)], [true, undefined])
  assert.equal([open(1n).swap(0, 1, 0n), open(1n).swap(0, 0, 5n)], [undefined, undefined])
})
s('keeps a thousand shares in the box, or none [teeth/trident]', () => {
  const small = (given: bigint) => {
    const state = {
      reserves: [10n, y],
      shares: [10n, y],
      bases: [990n, y],
      elastics: [990n, y],
      liquid: [990n, y],
    }
    return open(1n, state).swap(0, 1, given) !== undefined
  }
  assert.equal([small(9n), small(10n)], [false, true])
})
s.run()
