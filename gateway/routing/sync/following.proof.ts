/** Events against fresh reads at length: 1,000 swaps and changes of pools of every family per chain. */
import { assert, suite } from '../../../fixtures/test.ts'
import { proveFollowing } from '../testing/proveFollowing.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'

const s = suite('events against fresh reads')
for (const chainId of [8453, 42161])
  s(`what is followed on ${chainId} is what a fresh read gives`, async () => {
    const stand = await startSwapStand(chainId)
    try {
      const tally = await proveFollowing(stand, { count: 1_000, random: createRandom(chainId) })
      const { swaps, changes, compared, protocols, differences } = tally
      process.stdout.write(
        `\n${chainId}: ${swaps} swaps, ${changes} changes of ${protocols.size} families, ${compared} pools compared, ${differences.length} different\n`,
      )
      assert.equal(differences, [])
    } finally {
      await stand.close()
    }
  })
s.run()
