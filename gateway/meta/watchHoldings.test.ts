import { type Address, decodeFunctionData, type Hex, pad, parseAbi } from 'viem'
import { makeQuote, makeRequest, taker, usdc, weth } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { nativeToken, type SourceQuote } from './provider/source.ts'
import { watchHoldings } from './watchHoldings.ts'

const s = suite('meta/watchHoldings')
const abi = parseAbi([
  'function allowance(address, address) view returns (uint256)',
  'function allowance(address, address, address) view returns (uint160, uint48, uint48)',
  'function balanceOf(address) view returns (uint256)',
  'function nonceBitmap(address, uint256) view returns (uint256)',
])
const addressOf = (n: number): Address => `0x${'ab'.repeat(18)}${n.toString(16).padStart(4, '0')}`
const many = (count: number) => Array.from({ length: count }, (_, n) => addressOf(n))

/** How many of each it reads. */
function count(change: Partial<SourceQuote>, tokens: readonly Address[], request = makeRequest()) {
  const holdings = watchHoldings(makeQuote(change), { request, tokens })
  const calls = holdings.map(({ data }) => decodeFunctionData({ abi, data }))
  const of = (name: string) => calls.filter(({ functionName }) => functionName === name).length
  const nonce = calls.at(-1)
  assert.equal([nonce?.functionName, nonce?.args], ['nonceBitmap', [taker, 0n]])
  return { allowances: of('allowance'), balances: of('balanceOf'), all: holdings.length }
}

s('reads allowances of what is traded, and balances of what is not [teeth/watched]', () => {
  assert.equal(count({}, []), { allowances: 4, balances: 0, all: 5 })
  // What is traded is among those that are known, in whatever spelling.
  const known = [usdc, weth].map((token) => token.toLowerCase() as Address)
  assert.equal(count({}, [...known, addressOf(1)]), { allowances: 4, balances: 1, all: 6 })
  const native = makeRequest({ tokenIn: nativeToken })
  assert.equal(count({}, [], native), { allowances: 2, balances: 0, all: 3 })
})
s('and of all twelve that it may, where nobody vouches for the payload [teeth/watched]', () => {
  assert.equal(count({}, many(20)), { allowances: 4, balances: 10, all: 15 })
  const unproved = { mustBeProved: true }
  assert.equal(count(unproved, many(20)), { allowances: 24, balances: 10, all: 35 })
})
s('of four that it names at most, whom it calls and approves first [teeth/watched]', () => {
  const named = many(9).slice(5)
  const words = named.map((address) => pad(address).slice(2)).join('')
  const calldata: Hex = `0x12345678${words}`
  const approveTarget = addressOf(1)
  assert.equal(count({ calldata, approveTarget }, []), { allowances: 16, balances: 0, all: 17 })
  const holdings = watchHoldings(makeQuote({ calldata, approveTarget: undefined }), {
    request: makeRequest(),
    tokens: [],
  })
  assert.is(holdings.length, 17)
  const spenders = holdings.map(({ data }) => decodeFunctionData({ abi, data }).args?.at(-1))
  const { target } = makeQuote()
  const four = [target, ...named.slice(0, 3)].map((address) => address.toLowerCase())
  const told = spenders.slice(0, 8).map((spender) => String(spender).toLowerCase())
  assert.equal(
    told,
    four.flatMap((address) => [address, address]),
  )
})
s.run()
