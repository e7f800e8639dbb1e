import { assert, suite } from '../../fixtures/test.ts'
import { examinePrice } from './examinePrice.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'

const s = suite("an exchange's price among the others'")
const tokens = ['a', 'b'] as const
const whole = 10n ** 24n

function pair(dex: string, reserve0: bigint, reserve1: bigint): PairRecord {
  const common = { feePips: 3_000, changedBlock: 1n, isFresh: [false, false], swapsSeen: 0 }
  const id = `0x${dex}`
  const address = `0x${'1'.repeat(40)}` as const
  return { ...common, id, address, dex, tokens, protocol: 'uniswap_v2', reserve0, reserve1 }
}
const own = pair('own', whole, whole)
const alike = ['one', 'two'].map((dex) => pair(dex, whole, whole))
/** The deepest first, as the caller has them: by what they hold. */
function look(others: readonly PairRecord[], record = own) {
  const heldOf = ({ reserve0, reserve1 }: PairRecord) => Number(reserve0 + reserve1)
  const deepest = [record, ...others].toSorted((p, q) => heldOf(q) - heldOf(p))
  const depths = new Map(deepest.map((one) => [one.id, heldOf(one)]))
  return examinePrice({ own: [record], deepest, depths })
}

s('is right within a hundredth of their median, and different beyond [21/doctor-price]', () => {
  assert.is(look(alike).verdict, 'right')
  assert.is(look(alike, pair('own', whole, (whole * 1_009n) / 1_000n)).verdict, 'right')
  const off = look(alike, pair('own', whole, (whole * 102n) / 100n))
  assert.equal(off, { verdict: 'different', found: '0xown is 2 % off the median of 2 others' })
  assert.is(look(alike.slice(1)).verdict, 'unknown')
})

s('is measured by no pool that holds one token alone, at its own or at theirs', () => {
  const emptied = ['three', 'four', 'five'].map((dex) => pair(dex, 0n, whole))
  const filled = ['three', 'four', 'five'].map((dex) => pair(dex, whole, 0n))
  for (const oneSided of [emptied, filled]) {
    assert.is(look([...alike, ...oneSided]).verdict, 'right')
    assert.is(look(alike, oneSided[0]).verdict, 'unknown')
  }
})

s('is measured by no pools that a stranger made of some cents [21/doctor-dust]', () => {
  const dust = ['three', 'four', 'five'].map((dex) => pair(dex, whole / 1_000n, whole / 500n))
  assert.is(look([...alike, ...dust]).verdict, 'right')
})

const foundOf = (others: readonly PairRecord[], record = own) => look(others, record).found

s('is right up to a hundredth, rounded, and no further [teeth/doctor-price]', () => {
  const at = (millionths: bigint) =>
    look(alike, pair('own', whole, whole + (whole * millionths) / 1_000_000n)).verdict
  assert.equal([at(10_000n), at(10_049n), at(10_060n)], ['right', 'right', 'different'])
  assert.equal([at(-10_000n), at(-10_060n)], ['right', 'different'])
})
s(
  'is held against the middle of the others, and its own exchange is none [teeth/doctor-price]',
  () => {
    const at = (dex: string, tenths: bigint) => pair(dex, whole, (whole * tenths) / 10n)
    const three = [at('one', 10n), at('two', 20n), at('three', 90n)]
    assert.is(foundOf(three), '0xown is 50 % off the median of 3 others')
    assert.is(foundOf(three.slice(0, 2)), '0xown is 33.33 % off the median of 2 others')
    // Four, of which the middle two are two and three.
    const four = [...three, at('four', 30n)]
    assert.is(foundOf(four), '0xown is 60 % off the median of 4 others')
    assert.is(look([...alike.slice(1), at('own', 10n)]).verdict, 'unknown')
  },
)
s(
  'counts the deepest pool of each of the others, if it is deep enough [teeth/doctor-price]',
  () => {
    const shallow = { ...pair('one', whole / 10n, whole / 5n), id: '0xshallow' }
    assert.is(foundOf([...alike, shallow]), '0xown is 0 % off the median of 2 others')
    const withDepths = (own: number, one: number, two: number) => {
      const deepest = [pair('own', whole, whole), ...alike]
      const depths = new Map([
        ['0xown', own],
        ['0xone', one],
        ['0xtwo', two],
      ])
      return examinePrice({ own: deepest.slice(0, 1), deepest, depths }).verdict
    }
    assert.equal([withDepths(100, 1, 1), withDepths(101, 1, 2)], ['right', 'unknown'])
    const other = { ...pair('three', whole, whole), tokens: ['a', 'c'] }
    assert.is(foundOf([...alike, other]), '0xown is 0 % off the median of 2 others')
  },
)
s('goes by the pair that most others trade [teeth/doctor-price]', () => {
  const second = { ...pair('own', whole, 2n * whole), id: '0xsecond', tokens: ['a', 'c'] }
  const traded = (dex: string, ...held: readonly string[]) => ({
    ...pair(dex, whole, whole),
    id: `0x${dex}${held.join('')}`,
    tokens: held,
  })
  const others = [
    ...['one', 'two'].map((dex) => traded(dex, 'a', 'b')),
    ...['one', 'two', 'three'].map((dex) => traded(dex, 'c', 'a')),
  ]
  const depths = new Map([own, second, ...others].map(({ id }) => [id, 1]))
  const { found } = examinePrice({ own: [own, second], deepest: [own, second, ...others], depths })
  assert.is(found, '0xsecond is 100 % off the median of 3 others')
})

s.run()
