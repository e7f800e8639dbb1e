import { mock } from 'node:test'
import type { Address } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { createCodelessTokens } from './codelessTokens.ts'
import type { Generation } from './generation.ts'
import { type RpcCall, RpcTransportError } from './rpc/rpcBatch.ts'

const s = suite('tokens without code')
const native: Address = '0xB200000000000000000000000000000000000001'
const contract: Address = '0x1111111111111111111111111111111111111111'
const nobody: Address = '0x2222222222222222222222222222222222222222'
const word = `0x${'12'.padStart(64, '0')}`

function build({ answer = word }: { answer?: string } = {}) {
  const asked = { fork: [] as string[], chain: [] as string[] }
  const state = { isSilent: false, isForkSilent: false, isForkGarbled: false }
  const rpc = {
    async batch([call]: readonly RpcCall[], { timeoutMs }: { readonly timeoutMs: number }) {
      assert.is(timeoutMs, 4_000)
      const [address] = call?.params ?? []
      asked.fork.push(String(address))
      if (state.isForkSilent) throw new RpcTransportError('timeout')
      if (state.isForkGarbled) return [{ ok: true as const, result: null }]
      return [{ ok: true as const, result: address === contract ? '0x6000' : '0x' }]
    },
  }
  const generation = { fork: { rpc }, blockNumber: 26n } as unknown as Generation
  const kinds = createCodelessTokens({
    upstream: {
      async send([call]) {
        const [{ to }, tag] = (call?.params ?? []) as [{ to: Address }, string]
        asked.chain.push(`${to} ${tag}`)
        if (state.isSilent) throw new RpcTransportError('connection')
        return [{ ok: true, result: to === native ? answer : '0x' }]
      },
    },
  })
  return { asked, state, find: (tokens: readonly Address[]) => kinds(generation, tokens) }
}

s('are found out once, by the fork and then by the chain [21/codeless-once]', async () => {
  const { asked, find } = build()
  const expected = ['codeless', 'other', 'other']
  assert.equal(await find([native, contract, nobody]), expected)
  assert.equal(await find([native, contract, nobody]), expected)
  assert.equal(asked.fork, [native, contract, nobody])
  assert.equal(asked.chain, [`${native} 0x1a`, `${nobody} 0x1a`])
})

s('are asked for again where the chain kept silent', async () => {
  const { state, find } = build()
  state.isSilent = true
  assert.equal(await find([native, contract]), ['silent', 'other'])
  state.isSilent = false
  assert.equal(await find([native]), ['codeless'])
})

s('have decimals that a token has', async () => {
  assert.equal(await build({ answer: `0x${'ff'.repeat(32)}` }).find([native]), ['other'])
})
s('have as many as 255, and no more [teeth/codeless]', async () => {
  const at = (decimals: number) => `0x${decimals.toString(16).padStart(64, '0')}`
  assert.equal(await build({ answer: at(255) }).find([native]), ['codeless'])
  assert.equal(await build({ answer: at(256) }).find([native]), ['other'])
})
s(
  "are asked for again where the fork kept silent, and are the fork's till then [teeth/codeless]",
  async () => {
    const { asked, state, find } = build()
    state.isForkSilent = true
    assert.equal([await find([native]), asked.chain], [['other'], []])
    state.isForkSilent = false
    state.isForkGarbled = true
    assert.equal(await find([native]), ['other'])
    state.isForkGarbled = false
    assert.equal(await find([native]), ['codeless'])
    const again = await find([native.toLowerCase() as Address])
    assert.equal([again, asked.fork.length], [['codeless'], 3])
  },
)
s('may be made where nothing stands, within ten minutes [teeth/codeless]', async () => {
  let nowMs = 10_000
  mock.method(performance, 'now', () => nowMs)
  // A cache looks at the clock anew with each timer of its own.
  mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, find } = build()
  const countAt = async (ms: number) => {
    nowMs = ms
    mock.timers.tick(1)
    await find([nobody, contract, native])
    return asked.fork.length
  }
  assert.equal([await countAt(10_000), await countAt(610_000), await countAt(610_001)], [3, 3, 4])
  assert.is(asked.fork.at(-1), nobody)
  mock.timers.reset()
  mock.restoreAll()
})
s.run()
