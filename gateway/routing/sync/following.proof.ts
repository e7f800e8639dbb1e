/** Events against fresh reads at length: swaps and changes of pools of every family per chain. */
import { byLength, reportFigures } from '../../../fixtures/proof.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { chainSpecs } from '../../../fixtures/world/chains/chains.ts'
import { proveFollowing } from '../testing/proveFollowing.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'

const count = byLength({ short: 100, long: 1_000 })
const s = suite('events against fresh reads')
for (const { chainId } of chainSpecs)
  s(`what is followed on ${chainId} is what a fresh read gives`, async () => {
    const stand = await startSwapStand(chainId)
    try {
      const tally = await proveFollowing(stand, { count, random: createRandom(chainId) })
      const { swaps, changes, compared, protocols, differences } = tally
      reportFigures(`events against fresh reads on ${chainId}`, {
        swaps,
        changes,
        families: protocols.size,
        'pools compared': compared,
        different: differences.length,
      })
      assert.equal(differences, [])
    } finally {
      await stand.close()
    }
  })
s.run()
