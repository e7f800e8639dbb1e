import { type Address, parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { getChainSpec } from '../../../../fixtures/world/chains/chains.ts'
import { worldAddress } from '../../../../fixtures/world/parts/builder.ts'
import { getTokenSpec } from '../../../../fixtures/world/parts/chainSpec.ts'
import { compileContracts, findArtifact } from '../../../../fixtures/world/parts/compile.ts'
import type { PoolSpec } from '../../../../fixtures/world/parts/poolSpec.ts'
import { openPool } from '../../../../fixtures/world/pools.ts'
import { cacheDir } from '../../../runtime/cacheDir.ts'
import {
  compareSwaps,
  createTally,
  headNumber,
  loadFamily,
  reload,
} from '../../testing/proveFamily.ts'
import { createRandom } from '../../testing/random.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf } from '../families.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'

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

s('Uniswap v3 has tiers that its factory alone tells of [21/tiers-world]', async () => {
  const dex = dexes.find(({ name }) => name === 'uniswap-v3')
  assert.not.ok(dex?.feesPips.includes(250))
  const abi = parseAbi([
    'function owner() view returns (address)',
    'function enableFeeAmount(uint24 fee, int24 tickSpacing)',
  ])
  const factory = { to: dex?.factory ?? '0x', abi }
  const from = (await builder.read({ ...factory, functionName: 'owner' })) as Address
  const enable = { ...factory, from, functionName: 'enableFeeAmount', args: [250, 5] }
  await builder.write(enable)
  assert.ok(await isFound(['uniswap-v3', 'LINK/USDC', 250, 9_000]))
})

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
  // Nobody can ask for pools of such a one.
  await builder.write({ ...call, args: [-25, 400] })
  assert.ok(await isFound(['aerodrome-slipstream', 'LINK/USDC', 400, 9_000, '25']))
})
s(
  'a fee that the module moves by the clock is the one that the quoter takes [21/slipstream-dynamic]',
  async () => {
    const [record] = (await loadFamily(stand, 'slipstream')) as ConcentratedRecord[]
    const dex = dexes.find(({ name }) => name === record?.dex)
    if (!record || !dex) throw new Error('no Slipstream pool')
    const { abi, bytecode } = findArtifact(deps.artifacts, 'DynamicFeeModule')
    const module = await builder.deployAt({
      address: worldAddress('dynamic fee module'),
      artifact: { abi, bytecode },
      args: [400, 20_000, 10n ** 7n],
    })
    const setModule = parseAbi(['function setSwapFeeModule(address module)'])
    const call = { to: dex.factory, abi: setModule, functionName: 'setSwapFeeModule' }
    await builder.write({ to: module, abi, functionName: 'anchorAt', args: [record.tick + 300] })
    await builder.write({ ...call, args: [module] })
    const fees: number[] = []
    for (let minute = 0; minute < 5; minute += 1) {
      await stand.rpc('evm_increaseTime', 60)
      await stand.rpc('evm_mine')
      const state = (await reload(stand, record)) as ConcentratedRecord
      const blockNumber = await headNumber(stand)
      const fields = await familyOf(dex).refresh?.(chainClient, {
        records: [record],
        dexes,
        blockNumber,
      })
      assert.is(fields?.get(record.id)?.feePips, state.feePips)
      fees.push(state.feePips)
      const tally = createTally()
      const random = createRandom(minute)
      await compareSwaps(stand, { record: state, count: 20, random, tally })
      assert.equal(tally.differences, [])
    }
    // It fell in every minute, by itself.
    assert.equal(
      fees,
      fees.toSorted((one, other) => other - one),
    )
    assert.is(new Set(fees).size, fees.length)
    assert.ok((fees.at(-1) ?? 0) > 400)
  },
)
s.run()
