import { toHex, zeroAddress } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { gasPot, shareGasPot } from './simulateOnChain.ts'

const s = suite('a dry run on the chain')
const asking = (...gas: readonly bigint[]) =>
  gas.map((each) => ({ from: zeroAddress, to: zeroAddress, data: '0x' as const, gas: toHex(each) }))
const gasOf = (calls: ReturnType<typeof shareGasPot>) => calls.map(({ gas }) => BigInt(gas))

s('leaves calls as they are that fit the pot together', () => {
  const calls = asking(gasPot - 1n, 1n)
  assert.is(shareGasPot(calls), calls)
})
s('gives each call its part of the pot, so that the last one has its own [21/gas-pot]', () => {
  const shared = gasOf(shareGasPot(asking(80_000_000n, 10_000_000n, 10_000_000n)))
  assert.equal(shared, [40_000_000n, 5_000_000n, 5_000_000n])
})
s.run()
