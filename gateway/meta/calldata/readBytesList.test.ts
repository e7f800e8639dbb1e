import { concatHex, type Hex, numberToHex, zeroAddress } from 'viem'
import { taker } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import {
  addressAt,
  payee,
  placeAt,
  readBytes,
  readBytesList,
  TangledCalldata,
  wordAt,
} from './readBytesList.ts'

/** Calldata is read as contracts read it, and not at all where it names what it does not have. */
const s = suite('meta/readBytesList')
const word = (value: number | bigint) => numberToHex(value, { size: 32 })
const bytes = (length: number): Hex => `0x${'ab'.repeat(length)}`
const isTangled = (read: () => unknown) => {
  try {
    read()
    return false
  } catch (error) {
    return error instanceof TangledCalldata
  }
}

s('reads a word wherever it begins, up to the end [teeth/words]', () => {
  const data = concatHex([word(1), word(2)])
  assert.equal([wordAt(data, 0), wordAt(data, 31), wordAt(data, 32)], [1n, 1n << 248n, 2n])
  assert.ok(isTangled(() => wordAt(data, 33)))
})
s('reads an address of 20 bytes, and none that is wider [teeth/words]', () => {
  const low = 2n ** 160n - 1n
  assert.is(addressAt(word(1), 0), '0x0000000000000000000000000000000000000001')
  assert.is(addressAt(word(low), 0), `0x${'ff'.repeat(20)}`)
  assert.ok(isTangled(() => addressAt(word(low + 1n), 0)))
  assert.is(payee(taker), taker)
  assert.ok(isTangled(() => payee(zeroAddress)))
})
s('takes a place up to the end for one [teeth/words]', () => {
  assert.is(placeAt(word(32), 0), 32)
  assert.ok(isTangled(() => placeAt(word(33), 0)))
})
s('reads bytes that end with the whole, by their argument [teeth/words]', () => {
  const data = concatHex(['0x12345678', word(0), word(64), word(5), bytes(5)])
  assert.is(readBytes(data, { argument: 1, behind: 4 }), bytes(5))
  const cut = data.slice(0, -2) as Hex
  assert.ok(isTangled(() => readBytes(cut, { argument: 1, behind: 4 })))
})
s('reads entries that are no longer than the whole together [teeth/words]', () => {
  /** Two entries that are the same bytes, of which the second name is one more. */
  const twice = (length: number) =>
    concatHex([word(32), word(2), word(64), word(64), word(length), bytes(length)])
  const read = (data: Hex) => readBytesList(data, { argument: 0, behind: 0 })
  assert.equal(read(twice(160)), [bytes(160), bytes(160)])
  assert.ok(isTangled(() => read(twice(161))))
  const own = concatHex([word(2), word(64), word(98), word(2), bytes(2), word(3), bytes(3)])
  assert.equal(read(concatHex([word(32), own])), [bytes(2), bytes(3)])
})
s.run()
