import fc from 'fast-check'
import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  hexToBigInt,
  keccak256,
  numberToHex,
} from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import {
  type BalanceSlot,
  findFormula,
  fundingTolerance,
  fundingWord,
  slotKey,
  soladyBalanceSeed,
} from './balanceSlot.ts'
import { readSentinel, sentinel } from './readSentinel.ts'

const s = suite('balance slot')
const holder: Address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
const plain: BalanceSlot = {
  formula: 'solidity',
  contract: holder,
  base: numberToHex(9n, { size: 32 }),
  shiftBits: 0,
  widthBits: 256,
  wordUnit: 1n,
  balanceUnit: 1n,
}
const empty = numberToHex(0n, { size: 32 })

s('finds the formula of each kind of mapping again', () => {
  const mappings = [
    { formula: 'solidity', base: numberToHex(151n, { size: 32 }) },
    { formula: 'vyper', base: numberToHex(3n, { size: 32 }) },
    { formula: 'solady', base: soladyBalanceSeed },
  ] as const
  for (const mapping of mappings)
    assert.equal(findFormula(slotKey({ ...plain, ...mapping }, holder), holder), mapping)
  const other = numberToHex(12345n, { size: 32 })
  assert.equal(findFormula(other, holder), { formula: 'direct', base: other })
})
s('reads any byte-aligned field out of the sentinel, and nothing out of other numbers', () => {
  for (let shiftBits = 0; shiftBits <= 224; shiftBits += 8)
    for (let widthBits = 32; widthBits <= 256 - shiftBits; widthBits += 8) {
      const field = (sentinel >> BigInt(shiftBits)) & ((1n << BigInt(widthBits)) - 1n)
      assert.equal(readSentinel(field), { shiftBits, widthBits })
    }
  for (const other of [0n, 1n, sentinel + 1n, 10n ** 18n]) assert.is(readSentinel(other), undefined)
})
s('writes the amount into its field and keeps the neighbours', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.bigInt({ min: 0n, max: 2n ** 96n - 1n }),
      fc.integer({ min: 0, max: 160 }),
      (current, amount, shiftBits) => {
        const slot = { ...plain, shiftBits, widthBits: 96 }
        const word = fundingWord(slot, { amount, current: numberToHex(current, { size: 32 }) })
        const value = hexToBigInt(word ?? '0x')
        const mask = (2n ** 96n - 1n) << BigInt(shiftBits)
        assert.is((value & mask) >> BigInt(shiftBits), amount)
        assert.is(value & ~mask, current & ~mask)
      },
    ),
  )
})
s('refuses an amount that is too big for the field', () => {
  const slot = { ...plain, widthBits: 96 }
  assert.is(fundingWord(slot, { amount: 2n ** 96n, current: empty }), undefined)
  assert.type(fundingWord(slot, { amount: 2n ** 96n - 1n, current: empty }), 'string')
})
s('asks for enough shares, and hardly more', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 30n }),
      fc.bigInt({ min: 10n ** 26n, max: 10n ** 29n }),
      (amount, index) => {
        const wordUnit = 1n << 125n
        const slot = {
          ...plain,
          widthBits: 128,
          wordUnit,
          balanceUnit: (wordUnit * index) / 10n ** 27n,
        }
        const word = fundingWord(slot, { amount, current: empty })
        if (word === undefined) return
        const shown = (hexToBigInt(word) * index) / 10n ** 27n
        assert.ok(shown >= amount && shown <= amount + fundingTolerance(slot), `${amount} ${shown}`)
      },
    ),
  )
})
s('is where compilers put a balance, for each holder another place', () => {
  const other: Address = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
  const nine = numberToHex(9n, { size: 32 })
  const [address, bytes] = [{ type: 'address' }, { type: 'bytes32' }] as const
  for (const each of [holder, other, other, holder]) {
    const key = keccak256(encodeAbiParameters([address, bytes], [each, nine]))
    assert.is(slotKey(plain, each), key)
    const vyper = keccak256(encodeAbiParameters([bytes, address], [nine, each]))
    assert.is(slotKey({ ...plain, formula: 'vyper' }, each), vyper)
    const solady = keccak256(encodePacked(['address', 'uint96'], [each, 0x87a211a2n]))
    assert.is(slotKey({ ...plain, formula: 'solady', base: soladyBalanceSeed }, each), solady)
    assert.is(slotKey({ ...plain, formula: 'direct' }, each), nine)
  }
  const slot = { ...plain }
  const keys = [holder, holder, other, holder].map((of) => slotKey(slot, of))
  assert.equal([keys[0], keys[1] === keys[0], keys[2] === keys[0]], [keys[3], true, false])
})
s('knows the first 256 mappings, and where OpenZeppelin keeps its own', () => {
  const formulaOf = (base: bigint) => {
    const mapping = { formula: 'solidity', base: numberToHex(base, { size: 32 }) } as const
    return findFormula(slotKey({ ...plain, ...mapping }, holder), holder).formula
  }
  const namespace = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
  assert.equal(
    [formulaOf(0n), formulaOf(255n), formulaOf(256n), formulaOf(namespace)],
    ['solidity', 'solidity', 'direct', 'solidity'],
  )
})
s('asks for one share more than an amount makes, and allows for what those are worth', () => {
  const shares = { ...plain, wordUnit: 10n, balanceUnit: 3n }
  const asked = [3n, 4n].map((amount) => fundingWord(shares, { amount, current: empty }))
  assert.equal(
    asked,
    [11n, 15n].map((value) => numberToHex(value, { size: 32 })),
  )
  assert.is(fundingTolerance(plain), 0n)
  assert.is(fundingTolerance({ ...plain, wordUnit: 2n, balanceUnit: 10n }), 12n)
})
s.run()
