/**
 * Random exact-output quotes, executed: each delivers at least its target and spends exactly
 * `input_consumed`.
 *
 * Usage: `node gateway/routing/exactOutput.proof.ts [count] [chain] [seed]`
 */
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proveExactOutputs } from './testing/proveExactOutputs.ts'
import { createRandom } from './testing/random.ts'
import { startRoutingStand } from './testing/routingStand.ts'

const [count = byLength({ short: 50, long: 500 }), chainId = 8453, seed = 1] = process.argv
  .slice(2)
  .map(Number)
const stand = await startRoutingStand({ chainId })
const s = suite('exact outputs, executed')
s.after(() => stand.close())

s(`${count} on ${chainId} deliver their targets`, async () => {
  const tally = await proveExactOutputs(stand, { count, random: createRandom(seed) })
  const { executed, split, native, skipped, differences } = tally
  reportFigures(`exact outputs on ${chainId}, executed`, {
    executed,
    split,
    'with native currency': native,
    'without a route': skipped,
    different: differences.length,
  })
  assert.equal(differences, [])
  assert.is(executed, count)
})

s.run()
