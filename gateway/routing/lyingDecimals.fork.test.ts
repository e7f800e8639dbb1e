import { type Hex, maxUint256 } from 'viem'
import { compileImpostor } from '../../fixtures/chains/compileImpostor.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { worldAddress } from '../../fixtures/world/parts/builder.ts'
import { discoverAll } from './sync/discover.ts'
import { loadPools } from './sync/loadPools.ts'
import { compareSwaps, createTally, headNumber } from './testing/proveFamily.ts'
import { proveRoutes, routeOn } from './testing/proveRoutes.ts'
import { createRandom } from './testing/random.ts'
import { startSwapStand } from './testing/swapStand.ts'

/** One view of the token lies. */
const liar = compileImpostor(
  `if (msg.sig == 0x313ce567) {
      uint256 told = lie;
      if (told == type(uint256).max) revert("no decimals");
      assembly { mstore(0, told) return(0, 32) }
    }`,
  'lie',
)

const lies: Readonly<Record<string, bigint>> = {
  'none at all': 0n,
  'eighteen instead of six': 18n,
  'more than a rate can count': 77n,
  'more than a byte': 1n << 200n,
  'a revert': maxUint256,
}

const s = suite('tokens that lie about their decimals')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const usdc = stand.manifest.tokens['USDC']?.address
if (!usdc) throw new Error('the world has USDC')
const truth = worldAddress('what USDC does')
const code = (await stand.rpc('eth_getCode', usdc, 'latest')) as Hex
await stand.rpc('anvil_setCode', truth, code)
const rebase = stand.manifest.tokens['REBASE']?.address.toLowerCase() ?? ''
const tokens = Object.values(stand.manifest.tokens).map(({ address }) => address)
const { pools } = await discoverAll(
  { ...stand.chainClient, dexes: stand.dexes },
  { tokens, blockNumber: await headNumber(stand) },
)

/** Pools of the liar, as they load now. */
async function loadLiars() {
  const records = await loadPools(stand.chainClient, {
    pools,
    blockNumber: await headNumber(stand),
  })
  return records.filter(
    // The real vault of Balancer v3 stores decimals at registration; the offline one asks each time.
    ({ tokens: held, protocol }) =>
      held.includes(usdc?.toLowerCase() ?? '') &&
      !held.includes(rebase) &&
      !protocol.startsWith('balancer_v3'),
  )
}
const honest = await loadLiars()

async function lie(told: bigint): Promise<void> {
  if (!usdc) throw new Error('nobody to lie')
  await stand.builder.deployAt({ address: usdc, artifact: liar, args: [truth, told] })
}

for (const [name, told] of Object.entries(lies)) {
  s(`${name}: each pool is priced to the wei or left out`, async () => {
    await lie(told)
    const records = await loadLiars()
    const tally = createTally()
    for (const record of records)
      await compareSwaps(stand, { record, count: 6, random: createRandom(4), tally })
    assert.equal(tally.differences, [])
    const missing = honest.filter(({ id }) => !records.some((each) => each.id === id))
    // Only plain Curve pools and PSM3 cannot be asked what they made of their coins' decimals.
    const unasked = ['curve_plain', 'psm3']
    assert.ok(missing.length > 0 && missing.every(({ protocol }) => unasked.includes(protocol)))
    assert.ok(
      tally.compared - tally.refused > 50,
      `${tally.compared} swaps, ${tally.refused} refused`,
    )
  })
}
for (const name of ['none at all', 'a revert'] as const)
  s(`${name}: what is quoted is delivered to the wei [routing/tax-routes]`, async () => {
    await lie(lies[name] ?? 0n)
    const routing = await routeOn(stand)
    const tally = await proveRoutes(stand, { routing, count: 12, random: createRandom(5) })
    await routing.close()
    assert.equal(tally.differences, [])
    assert.is(tally.executed, 12)
  })
s.run()
