import { assert, suite } from '../../../fixtures/test.ts'
import { proveFamily } from '../testing/proveFamily.ts'
import { proveFollowing } from '../testing/proveFollowing.ts'
import { proveRoutes, routeOn } from '../testing/proveRoutes.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'

/** The short version of `families.proof.ts`: every family on one of its chains. */
const protocolsOf = {
  8453: [
    'uniswap_v2',
    'pancake_v3',
    'slipstream',
    'aerodrome_v2',
    'curve_plain',
    'psm3',
    'aave_v3',
  ],
  42161: [
    ...(['uniswap_v3', 'camelot_v2', 'camelot_v3', 'algebra_integral'] as const),
    ...(['curve_stable_ng', 'ramses_v2', 'trident'] as const),
  ],
} as const

const s = suite('families against the chain')
const stands = await Promise.all([8453, 42161].map(startSwapStand))
s.after(async () => {
  await Promise.all(stands.map((stand) => stand.close()))
})

for (const stand of stands)
  for (const protocol of protocolsOf[stand.chainId as keyof typeof protocolsOf])
    s(`${protocol} on ${stand.chainId}: swaps of every size pay what the engine says`, async () => {
      const random = createRandom(1)
      const tally = await proveFamily(stand, { protocol, compare: 120, execute: 12, random })
      assert.equal(tally.differences, [])
      assert.ok(tally.compared >= 120 && tally.executed >= 12)
    })
for (const stand of stands) {
  s(`random traffic on ${stand.chainId}: events lead where a fresh read does`, async () => {
    const tally = await proveFollowing(stand, { count: 24, random: createRandom(2) })
    assert.equal(tally.differences, [])
    assert.ok(tally.swaps > 5 && tally.changes > 5)
  })
  s(`random routes on ${stand.chainId} deliver what was quoted, to the wei`, async () => {
    const routing = await routeOn(stand)
    const tally = await proveRoutes(stand, { routing, count: 30, random: createRandom(3) })
    await routing.close()
    assert.equal(tally.differences, [])
    assert.is(tally.executed, 30)
  })
}
s.run()
