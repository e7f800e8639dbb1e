import { isAddressEqual } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { isSameAddress } from './sameAddress.ts'

const s = suite('sameAddress')
const [mixed, lower] = [
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
] as const
const other = '0x4200000000000000000000000000000000000006'

s('tells what viem does, however an address is written', () => {
  for (const one of [mixed, lower, other] as const)
    for (const two of [mixed, lower, other] as const)
      assert.is(isSameAddress(one, two), isAddressEqual(one, two), `${one} and ${two}`)
})

s('costs no more once thousands of addresses were seen', () => {
  const time = () => {
    const startedMs = performance.now()
    for (let count = 0; count < 20_000; count += 1) isSameAddress(mixed, lower)
    return performance.now() - startedMs
  }
  /** Of several: a machine that does something else meanwhile takes longer, never less. */
  const quickest = () => Math.min(...Array.from({ length: 6 }, time))
  const before = quickest()
  for (let count = 0; count < 9_000; count += 1)
    isSameAddress(`0x${count.toString(16).padStart(40, '0')}`, other)
  assert.ok(quickest() < 20 * before + 5)
})
s.run()
