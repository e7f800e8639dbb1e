import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getChainSpec } from '../../../fixtures/world/chains/chains.ts'
import { buildOnce, chainHash } from '../../../fixtures/world/parts/cache.ts'
import { getTokenSpec } from '../../../fixtures/world/parts/chainSpec.ts'
import { compileContracts } from '../../../fixtures/world/parts/compile.ts'
import type { PoolSpec } from '../../../fixtures/world/parts/poolSpec.ts'
import { openPool } from '../../../fixtures/world/pools.ts'
import { dumpState } from '../../../fixtures/world/state.ts'
import { type SwapStand, startSwapStandOn } from '../../routing/testing/swapStand.ts'
import { cacheDir } from '../../runtime/cacheDir.ts'

const chainId = 8453
const depthUsd = 50_000
/** Which exchanges get the further pools, by tier. */
const tiers = [
  ['uniswap-v2', 3_000],
  ['uniswap-v3', 500],
  ['uniswap-v3', 3_000],
  ['uniswap-v3', 10_000],
  ['sushiswap-v2', 3_000],
  ['pancakeswap-v2', 2_500],
] as const

/**
 * The offline chain of Base with further pools of its own exchanges, until it has `pools` of them.
 * Opening them takes a minute; the state is kept beside the world's.
 */
export async function startDenseChain({
  pools,
  onProgress,
}: {
  readonly pools: number
  readonly onProgress: (done: number) => void
}): Promise<SwapStand> {
  const path = join(cacheDir(), 'dense', `${chainHash(getChainSpec(chainId))}-${pools}`)
  const statePath = join(path, 'state.json')
  await buildOnce({ path, isBuilt: () => existsSync(statePath) }, async (dir) => {
    writeFileSync(join(dir, 'state.json'), await buildState({ pools, onProgress }))
  })
  return startSwapStandOn({ chainId, statePath })
}

async function buildState({ pools, onProgress }: Parameters<typeof startDenseChain>[0]) {
  const stand = await startSwapStandOn({ chainId, statePath: undefined })
  const chain = getChainSpec(chainId)
  const artifacts = compileContracts({ cacheDir: cacheDir() })
  const weth = getTokenSpec(chain, 'WETH').address
  const specs = listSpecs(stand).slice(0, pools - stand.manifest.pools.length)
  for (const [index, spec] of specs.entries()) {
    if (index % 100 === 0) onProgress(index)
    await openPool({ builder: stand.builder, artifacts, weth }, { chain, spec })
  }
  const state = await dumpState(stand.rpc, chain)
  await stand.close()
  return state
}

/** Every pair of plain tokens in every tier that the world has not opened. */
function listSpecs({ manifest }: SwapStand): PoolSpec[] {
  const { tokens } = getChainSpec(chainId)
  const plain = tokens.filter(({ kind }) => kind === 'token' || kind === 'weth' || kind === 'fiat')
  const keyOf = (dex: string, tokens: readonly string[], feePips: number) =>
    [dex, ...tokens.map((token) => token.toLowerCase()).sort(), feePips].join()
  const taken = new Set(
    manifest.pools.map(({ dex, tokens: held, feePips }) => keyOf(dex, held, feePips)),
  )
  const specs: PoolSpec[] = []
  for (const [dex, feePips] of tiers)
    for (const [index, one] of plain.entries())
      for (const other of plain.slice(index + 1)) {
        if (!taken.has(keyOf(dex, [one.address, other.address], feePips)))
          specs.push([dex, `${one.symbol}/${other.symbol}`, feePips, depthUsd])
      }
  return specs
}
