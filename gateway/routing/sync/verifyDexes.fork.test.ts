import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { getChain, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { createChainSync } from './chainSync.ts'

const chainId = 42161
const world = await startWorldChain({ chainId })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 42161 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })

const s = suite('first contact with a DEX')
s.after(async () => {
  chainClient.close()
  await world.close()
})

s('leaves out what has no code, and what is another family than its row says', async () => {
  const [v2, v3] = ['uniswap-v2', 'uniswap-v3'].map((wanted) =>
    getDexes(chainId).find(({ name }) => name === wanted),
  )
  if (!v2 || !v3) throw new Error('both are configured')
  const nobody = '0x00000000000000000000000000000000000000f7'
  const dexes: readonly Dex[] = [
    v2,
    v3,
    { ...v2, name: 'nowhere', factory: nobody } as const,
    { ...v3, name: 'disguised', factory: v2.factory },
  ]
  const sync = createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(chainId),
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  await sync.start()
  assert.equal(sync.leftOut(), [
    { dex: 'nowhere', reason: 'no contract stands at its address' },
    {
      dex: 'disguised',
      reason: 'no pool of a known token answers through its factory as its family does',
    },
  ])
  const names = new Set([...(sync.current()?.pools.values() ?? [])].map(({ dex }) => dex))
  assert.equal([...names].sort(), ['uniswap-v2', 'uniswap-v3'])
  await sync.close()
})

s(
  'leaves out nobody whose pools answer and are too shallow just now [nodes/shelved-dex]',
  async () => {
    const sync = createChainSync({
      chainClient,
      dexes: getDexes(chainId).filter(({ protocol }) => protocol === 'uniswap_v2'),
      seedTokens: seedTokens(chainId),
      pollMs: 3_600_000,
      maxAgeMs: 0,
      limits: { floorUsd: 1e15, mostPools: 100, mostTokens: 100 },
    })
    await sync.start()
    assert.is(sync.current()?.pools.size, 0)
    assert.ok(Number(sync.bounds()?.shelved) > 0)
    assert.equal(sync.leftOut(), [])
    await sync.close()
  },
)

s.run()
