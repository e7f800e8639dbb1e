import { quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { type Chain, chains } from '../../chain/chains.ts'
import { encodeCalls } from '../../chain/nodes/upstream.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'

/** What following a block sends up, with a thousand pools by the real shares. */
const s = suite('a block at rest')
const pools = 1_000
const most: Readonly<Record<number, { readonly bytes: number; readonly calls: number }>> = {
  8453: { bytes: 20_000, calls: 3 },
  42161: { bytes: 8_000, calls: 2 },
}

/** A chain of no events but so many swaps a block, and who follows it and counts what is asked. */
async function follow(
  chain: Chain,
  {
    swaps = 0,
    refreshBlocks = 1n,
  }: { readonly swaps?: number; readonly refreshBlocks?: bigint } = {},
) {
  const sent: { bytes: number; methods: string[] } = { bytes: 0, methods: [] }
  const { mainnet, reader, ...held } = await holdMainnet(chain, {
    pools,
    pace: { ...quiet, blockMs: chain.blockTimeMs, swaps: [swaps, swaps] },
    refreshBlocks,
    told(calls) {
      sent.bytes += encodeCalls(calls).length
      sent.methods.push(...calls.map(({ method }) => method))
    },
  })
  assert.is(reader.current()?.pools.size, pools)
  return {
    mainnet,
    [Symbol.dispose]: held[Symbol.dispose],
    async confirm() {
      Object.assign(sent, { bytes: 0, methods: [] })
      await reader.confirm()
      const state = reader.current()
      assert.is(state?.head.hash, mainnet.head().hash)
      assert.is(state?.pools.size, pools)
      return sent
    },
  }
}

for (const chain of chains) {
  const bound = most[chain.chainId]
  if (!bound) throw new Error(`nothing is promised of ${chain.name}`)
  s(
    `of ${chain.name} goes up in ${bound.calls} calls and ${bound.bytes} bytes [nodes/idle-bytes]`,
    async () => {
      using followed = await follow(chain)
      const { mainnet, confirm } = followed
      for (let block = 0; block < 3; block += 1) {
        mainnet.mine()
        const { methods, bytes } = await confirm()
        assert.ok(methods.length <= bound.calls, methods.join())
        assert.ok(bytes <= bound.bytes, `${bytes} bytes`)
      }
    },
  )
}

s(
  'has what moves without events read once in so many, whatever is swapped [nodes/refresh-blocks]',
  async () => {
    const base = chains.find(({ chainId }) => chainId === 8453)
    if (!base) throw new Error('Base is built in')
    using followed = await follow(base, { swaps: 20, refreshBlocks: 4n })
    const { mainnet, confirm } = followed
    let doubted = 0
    for (let block = 0; block < 24; block += 1) {
      mainnet.mine()
      const { methods } = await confirm()
      // A bloom names a pool by chance now and then: its logs are asked for again, and it is read.
      if (methods.filter((method) => method === 'eth_getLogs').length > 1) doubted += 1
      else assert.is(methods.includes('eth_call'), mainnet.head().number % 4 === 0)
    }
    assert.ok(doubted < 8, `${doubted} of 24 blocks were doubted`)
    // However many come at once: after that many it is due.
    mainnet.mine(4)
    assert.ok((await confirm()).methods.includes('eth_call'))
  },
)

s(
  'has it read anew where a block has taken the place of another [nodes/refresh-blocks]',
  async () => {
    const base = chains.find(({ chainId }) => chainId === 8453)
    if (!base) throw new Error('Base is built in')
    using followed = await follow(base, { refreshBlocks: 4n })
    const { mainnet, confirm } = followed
    const isRead = async () => (await confirm()).methods.includes('eth_call')
    do mainnet.mine()
    while (mainnet.head().number % 4 !== 2)
    await confirm()
    mainnet.mine()
    assert.not(await isRead())
    // Nothing has moved in it, and what was read of the other one says nothing of it.
    await mainnet.reorg(1)
    assert.ok(await isRead())
  },
)
s.run()
