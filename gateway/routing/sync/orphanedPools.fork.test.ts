import type { Address } from 'viem'
import { revertChain } from '../../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChainSpec } from '../../../fixtures/world/chains/chains.ts'
import { getTokenSpec } from '../../../fixtures/world/parts/chainSpec.ts'
import { compileContracts } from '../../../fixtures/world/parts/compile.ts'
import type { PoolSpec } from '../../../fixtures/world/parts/poolSpec.ts'
import { openPool } from '../../../fixtures/world/pools.ts'
import { seedTokens } from '../../chain/chains.ts'
import { cacheDir } from '../../runtime/cacheDir.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { headNumber, pickTrade, readLimits, reload } from '../testing/proveFamily.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'
import { toTrial } from '../testing/swapTrial.ts'
import { createChainSync } from './chainSync.ts'
import { isSameSwaps } from './isSameSwaps.ts'

/** Pools of families whose creations name them, and of one that is listed anew. */
const opened: readonly PoolSpec[] = [
  ['uniswap-v2', 'PENDLE/WETH', 3_000, 9_000],
  ['uniswap-v3', 'MAGIC/WETH', 3_000, 9_000],
  ['uniswap-v4', 'ARB/USDC', 500, 9_000],
  ['balancer-v2-weighted', 'LINK/WETH', 3_000, 9_000],
  ['dodo-v2-dvm', 'LINK/USDC', 400, 9_000],
]

const s = suite('pools of orphaned blocks')
const stand = await startSwapStand(42161)
const { chainId, chainClient, dexes, builder, rpc } = stand
const manual = { pollMs: 3_600_000, maxAgeMs: 0 }
const sync = createChainSync({ chainClient, dexes, ...manual, seedTokens: seedTokens(chainId) })
await sync.start()
s.after(async () => {
  await sync.close()
  await stand.close()
})

const chain = getChainSpec(chainId)
const artifacts = compileContracts({ cacheDir: cacheDir() })
const deps = { builder, artifacts, weth: getTokenSpec(chain, 'WETH').address }

async function poolsNow(): Promise<ReadonlyMap<string, PoolRecord>> {
  const state = await sync.fresh()
  assert.is(state?.head.number, await headNumber(stand))
  if (!state) throw new Error('the chain was loaded')
  return state.pools
}

for (const spec of opened)
  s(`a pool of ${spec[0]} whose creation is orphaned goes [nodes/orphaned]`, async () => {
    const before = [...(await poolsNow()).keys()].sort()
    const snapshot = await rpc('evm_snapshot')
    await openPool(deps, { chain, spec })
    assert.is((await poolsNow()).size, before.length + 1)
    await revertChain(rpc, snapshot)
    assert.equal([...(await poolsNow()).keys()].sort(), before)
    // Others are in the place of the blocks that made it.
    await rpc('anvil_mine', '0x10')
    assert.equal([...(await poolsNow()).keys()].sort(), before)
  })

s('a pool that was first read at an orphaned block is read again [nodes/orphaned]', async () => {
  const isPair = ({ dex }: { readonly dex: string }) => dex === 'uniswap-v2'
  const target = [...(await poolsNow()).values()].find(isPair)
  if (!target) throw new Error('the world has pairs')
  const pairs = dexes.filter(({ name }) => isPair({ dex: name }))
  const own = createChainSync({ chainClient, dexes: pairs, ...manual, seedTokens: [] })
  try {
    await own.start()
    const snapshot = await rpc('evm_snapshot')
    const limits = await readLimits(stand, target)
    const trade = pickTrade(createRandom(3), { record: target, limits, part: 64n })
    await stand.execute(toTrial(stand, target, trade))
    await own.fresh()
    await own.discover(target.tokens as readonly Address[])
    const orphan = own.current()?.pools.get(target.id)
    assert.ok(orphan && !isSameSwaps(orphan, target))
    await revertChain(rpc, snapshot)
    await rpc('anvil_mine', '0x3')
    const after = (await own.fresh())?.pools.get(target.id)
    assert.ok(after && isSameSwaps(after, await reload(stand, target)))
  } finally {
    await own.close()
  }
})
s.run()
