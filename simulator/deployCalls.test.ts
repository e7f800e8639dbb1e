import type { Hex } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { readDeployCalls } from './deployCalls.ts'
import { addressOf } from './testing/answers.ts'

const s = suite('simulator/deployCalls')
const funds = { ok: true, gasUsed: 0n, message: '', logs: [], returnData: '0x' } as const
const address = addressOf('9').slice(2)

s('reads an address of a word that is nothing else [relay/node-garbled]', () => {
  const read = (returnData: Hex) => readDeployCalls([funds, { ...funds, returnData }]).proxyOf
  assert.is(read(`0x${'0'.repeat(24)}${address}`), addressOf('9'))
  for (const before of ['0'.repeat(23), '0'.repeat(25), `1${'0'.repeat(23)}`, `${'0'.repeat(23)}1`])
    assert.is(read(`0x${before}${address}`), undefined, before)
})
s.run()
