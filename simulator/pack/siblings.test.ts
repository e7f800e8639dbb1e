import { assert, suite } from '../../fixtures/test.ts'
import { keyOf } from './packCall.ts'
import type { PackedChain } from './packFile.ts'
import { pruneChain } from './pruneChain.ts'
import { siblingsOf } from './siblings.ts'

const s = suite('simulator/siblings')
const pin = { blockNumber: 16n }

s(
  'may be asked beside a call: the rest of an account, and the block in its other form [teeth/siblings]',
  () => {
    const ask = (method: string, ...params: readonly unknown[]) =>
      siblingsOf({ method, params }, pin).map((call) => [call.method, ...call.params])
    assert.equal(ask('eth_getCode', '0x1', '0x10'), [
      ['eth_getBalance', '0x1', '0x10'],
      ['eth_getTransactionCount', '0x1', '0x10'],
    ])
    assert.equal(ask('eth_getBlockByNumber', '0x10', false), [
      ['eth_getBlockByNumber', '0x10', true],
    ])
    assert.equal(ask('eth_getBlockByNumber', '0x10', true), [
      ['eth_getBlockByNumber', '0x10', false],
    ])
    assert.equal(
      [ask('eth_getBlockByNumber', '0xf', false), ask('eth_call', '0x10', false)],
      [[], []],
    )
  },
)
s('keeps of a chain what was used, and its siblings [teeth/siblings]', () => {
  const calls = ['eth_getCode', 'eth_getBalance', 'eth_call', 'eth_chainId'].map((method) => ({
    method,
    params: ['0x1'],
  }))
  const answers = new Map(
    calls.map((call) => [keyOf(call), { call, outcome: { ok: true, result: 1 } }]),
  )
  const chain = { ...pin, answers } as unknown as PackedChain
  const keep = (...methods: readonly string[]) => {
    const used = new Set(calls.filter(({ method }) => methods.includes(method)).map(keyOf))
    return [...pruneChain(chain, used).answers.values()].map(({ call }) => call.method)
  }
  assert.equal(
    [keep('eth_getCode'), keep('eth_call'), keep()],
    [['eth_getCode', 'eth_getBalance'], ['eth_call'], []],
  )
})
s.run()
