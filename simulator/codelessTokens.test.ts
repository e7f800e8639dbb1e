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
  const state = { isSilent: false }
  const rpc = {
    async batch([call]: readonly RpcCall[]) {
      const [address] = call?.params ?? []
      asked.fork.push(String(address))
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
s.run()
