import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { createTokenBook } from './tokenBook.ts'

const s = suite('the tokens of a chain')
const { wrappedNative, usdc } = base

s('have a checksum, whoever named them, and are found in lower case [20/token-names]', () => {
  const seed = { address: wrappedNative, symbol: 'WETH', decimals: 18 }
  const book = createTokenBook({ seedTokens: [seed], wrappedNative })
  const token = usdc.address.toLowerCase() as typeof usdc.address
  book.add([{ address: token, symbol: '', decimals: 6 }])
  assert.equal([...book.all()], [[token, { address: usdc.address, symbol: '', decimals: 6 }]])
  assert.equal(book.addresses(), [wrappedNative, usdc.address])
})

s.run()
