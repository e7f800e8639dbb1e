import { createTableChain } from '../../fixtures/relay/tableChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import type { RelayStore } from '../store/relay.ts'
import type { RelayEvent } from './events.ts'
import { createRelayChain } from './relayChain.ts'

const s = suite('relayChain')
const { chainId } = base

function open(book: Partial<RelayStore> = {}) {
  const told: RelayEvent[] = []
  const { world, client, signer } = createTableChain(base)
  const store = { highestNonce: async () => 3, readClock: async () => 0, ...book } as RelayStore
  const observe = (event: RelayEvent) => void told.push(event)
  const chain = createRelayChain({ store, now: () => world.nowMs, observe }, { client, signer })
  return { world, chain, told }
}

s('tells which lower caps of others hold [teeth/relay-chain]', async () => {
  const tellCaps = async () => ({ maxPerHour: 7, maxSpendPerHourWei: 8n })
  const { chain, told } = open({ tellCaps })
  await chain.tellCaps()
  assert.equal(told, [
    { kind: 'limits_differ', chainId, maxDeploysPerHour: 7, maxSpendPerHourWei: 8n },
  ])
})
s("reads the book's time, and tells how far the machine is ahead [teeth/relay-chain]", async () => {
  const { world, chain, told } = open({ readClock: async (of) => (of === chainId ? 1_000 : 0) })
  const headMs = world.nowMs - 3_600_000
  const { nowMs, pace } = await chain.clock.read(async () => headMs)
  assert.equal([nowMs, pace?.fromMs], [headMs + 120_000, 1_000])
  assert.equal(told, [{ kind: 'clock_ahead', chainId, who: 'machine', aheadMs: 3_480_000 }])
})
s('a nonce that the book knows is proven, one above it asked for [teeth/relay-chain]', async () => {
  const { world, chain, told } = open()
  assert.is(await chain.provenNonce(4), 4)
  // The chain counts 5 now, of which no receipt tells.
  assert.is(await chain.provenNonce(5), undefined)
  assert.equal(told, [{ kind: 'nonce_unproven', chainId, claimed: 5, known: 4 }])
  world.isDown = true
  assert.is(await chain.provenNonce(5), undefined)
  assert.is(told[1]?.kind, 'chain_unreachable')
})
s('the book is not asked again for what it has known already [20/asked-nonces]', async () => {
  let highest = 3
  let asked = 0
  const { chain } = open({
    highestNonce: async () => {
      asked += 1
      return highest
    },
  })
  assert.equal([await chain.provenNonce(4), await chain.provenNonce(2), asked], [4, 2, 1])
  highest = 7
  assert.equal([await chain.provenNonce(5), await chain.provenNonce(8), asked], [5, 8, 2])
})
s.run()
