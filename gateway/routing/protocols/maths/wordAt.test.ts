import { encodeAbiParameters } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { signedWordAt, wordAt } from './wordAt.ts'

const s = suite('words of event data')
const numbers = [0n, 1n, 2n ** 160n - 1n, 2n ** 255n - 1n]

s('reads what an ABI encoder wrote', () => {
  const types = [{ type: 'uint256' }, { type: 'int256' }, { type: 'int24' }] as const
  for (const number of numbers) {
    const data = encodeAbiParameters(types, [number, -number, -887_272])
    assert.is(wordAt(data, 0), number)
    assert.is(signedWordAt(data, 1), -number)
    assert.is(signedWordAt(data, 2), -887_272n)
  }
})

s('refuses data that ends before the word does', () => {
  assert.throws(() => wordAt('0x', 0), /no word 0/)
  assert.throws(() => wordAt(`0x${'ab'.repeat(63)}`, 1), /no word 1/)
})

s.run()
