import { parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { getChainSpec } from '../../../../fixtures/world/chains/chains.ts'
import { cacheDir } from '../../../../fixtures/world/parts/cacheDir.ts'
import { getTokenSpec } from '../../../../fixtures/world/parts/chainSpec.ts'
import { compileContracts } from '../../../../fixtures/world/parts/compile.ts'
import type { PoolSpec } from '../../../../fixtures/world/parts/poolSpec.ts'
import { openPool } from '../../../../fixtures/world/pools.ts'
import { headNumber } from '../../testing/proveFamily.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf } from '../families.ts'

const s = suite('tiers of concentrated pools')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { builder, chainClient, dexes } = stand
const chain = getChainSpec(8453)
const weth = getTokenSpec(chain, 'WETH').address
const deps = { builder, artifacts: compileContracts({ cacheDir: cacheDir() }), weth }

/** Opens the pool, and asks the factory as for a token that nobody knew. */
async function isFound(spec: PoolSpec): Promise<boolean> {
  const dex = dexes.find(({ name }) => name === spec[0])
  if (!dex) throw new Error(`the world has ${spec[0]}`)
  const pool = await openPool(deps, { chain, spec })
  const [a, b] = pool.tokens
  const question = { dex, a: [a], b: [b], blockNumber: await headNumber(stand) }
  const found = await familyOf(dex).find(chainClient, question)
  return found.some(({ id, address }) => (pool.id ?? pool.address) === (id ?? address))
}

for (const feePips of [200, 300, 400])
  s(`Uniswap v3 and v4 have one of ${feePips} pips on Base [21/tiers]`, async () => {
    assert.ok(await isFound(['uniswap-v3', 'LINK/USDC', feePips, 9_000]))
    assert.ok(await isFound(['uniswap-v4', 'LINK/USDC', feePips, 9_000]))
  })

s('Slipstream has spacings that its factory alone tells of [21/spacings]', async () => {
  assert.ok(await isFound(['aerodrome-slipstream', 'LINK/USDC', 500, 9_000, '10']))
  const dex = dexes.find(({ name }) => name === 'aerodrome-slipstream')
  assert.not.ok(dex?.poolKeys?.includes(25))
  const abi = parseAbi(['function enableTickSpacing(int24 tickSpacing, uint24 fee)'])
  const call = { to: dex?.factory ?? '0x', abi, functionName: 'enableTickSpacing' }
  await builder.write({ ...call, args: [25, 400] })
  assert.ok(await isFound(['aerodrome-slipstream', 'LINK/USDC', 400, 9_000, '25']))
})
s.run()
