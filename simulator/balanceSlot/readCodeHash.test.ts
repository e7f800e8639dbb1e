import { concat, type Hex, keccak256 } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { addressOf, refused, told, word } from '../testing/answers.ts'
import { readCodeHash } from './readCodeHash.ts'

const s = suite('simulator/readCodeHash')
const token = addressOf('b')

async function read(answers: readonly RpcOutcome[]) {
  const asked: unknown[] = []
  const rpc = {
    async batch(calls: readonly RpcCall[], limits: object) {
      asked.push(limits, ...calls)
      return answers
    },
    close: async () => undefined,
  }
  return { hash: await readCodeHash({ rpc, timeoutMs: 7 }, { token }), asked }
}
const hashOf = async (...parts: readonly Hex[]) => (await read(parts.map(told))).hash

s('is of the code, and of whatever a proxy points to', async () => {
  const usual: readonly [Hex, Hex, Hex] = ['0x6001', word(7n), word(0n)]
  assert.is(await hashOf(...usual), keccak256(concat(usual)))
  const changed = [0, 1, 2].map((at) => hashOf(...usual.with(at, '0x01')))
  const hashes = new Set([await hashOf(...usual), ...(await Promise.all(changed))])
  assert.is(hashes.size, 4)
})
s('is asked for at once, as of the newest block', async () => {
  const { asked } = await read([])
  const slots = [
    '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a50d382a2bb7a5cf0f',
    '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  ]
  assert.equal(asked, [
    { timeoutMs: 7 },
    { method: 'eth_getCode', params: [token, 'latest'] },
    ...slots.map((slot) => ({ method: 'eth_getStorageAt', params: [token, slot, 'latest'] })),
  ])
})
s('is none where any of it was not read', async () => {
  const usual = [told('0x6001'), told(word(7n)), told(word(0n))]
  for (const at of [0, 1, 2])
    for (const none of [refused('busy'), told(null)])
      assert.is((await read(usual.with(at, none))).hash, undefined)
})
s.run()
