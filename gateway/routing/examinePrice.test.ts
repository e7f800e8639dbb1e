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
s.run()
