import { type Address, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { makeQuote, router, weth } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { readL1Fees } from './readL1Fees.ts'

const s = suite('meta/readL1Fees')
const { signal } = new AbortController()
const quotes = [
  makeQuote({ provider: 'a', calldata: '0x12345678' }),
  makeQuote({ provider: 'b', calldata: '0x12345678aa', target: weth }),
]
const uint = (value: bigint) => encodeAbiParameters(parseAbiParameters('uint256'), [value])
const batch = (...results: readonly (readonly [success: boolean, data: Hex])[]) =>
  encodeAbiParameters(parseAbiParameters('(bool, bytes)[]'), [results])
const component = (gas: bigint, baseFee: bigint) =>
  encodeAbiParameters(parseAbiParameters('uint64, uint256, uint256'), [gas, baseFee, 1n])

/** A chain that charges so, whose node answers as it is told. */
function open(l1Fee: string, ...answers: readonly Hex[]) {
  const queue = [...answers]
  const asked: { readonly to: Address; readonly data: Hex }[] = []
  const client = {
    async request({ params: [call] }: { readonly params: readonly [(typeof asked)[number]] }) {
      asked.push(call)
      return queue.shift()
    },
  }
  const chainClient = { client, chain: { l1Fee, multicall3: router } } as unknown as ChainClient
  return { read: () => readL1Fees(chainClient, { quotes, signal }), asked }
}

s('asks an OP stack for all payloads at once, each by its own bytes', async () => {
  const { read, asked } = open('opStack', batch([true, uint(7n)], [true, uint(9n)]))
  assert.equal(await read(), { a: 7n, b: 9n })
  assert.is(asked.length, 1)
  assert.is(asked[0]?.to, router)
  for (const { calldata } of quotes) assert.match(asked[0]?.data ?? '', calldata.slice(2))
})
s('knows none where one is not known', async () => {
  const reverted = open('opStack', batch([true, uint(7n)], [false, '0x']))
  assert.is(await reverted.read(), undefined)
  assert.is(await open('opStack', batch([true, uint(7n)])).read(), undefined)
  assert.is(await open('arbitrum', component(2n, 3n), '0x').read(), undefined)
})
s('counts on Arbitrum the gas of the data at the base fee', async () => {
  const { read, asked } = open('arbitrum', component(2n, 3n), component(5n, 7n))
  assert.equal(await read(), { a: 6n, b: 35n })
  for (const [index, { target, calldata }] of quotes.entries()) {
    assert.match(asked[index]?.data ?? '', calldata.slice(2))
    assert.match(asked[index]?.data ?? '', target.slice(2).toLowerCase())
  }
})
s('has none where the chain takes none', async () => {
  const { read, asked } = open('none')
  assert.equal([await read(), asked], [{}, []])
})
s.run()
