import { assert, suite } from '../../fixtures/test.ts'
import { proveExactOutputs } from './testing/proveExactOutputs.ts'
import { createRandom } from './testing/random.ts'
import { startRoutingStand } from './testing/routingStand.ts'

/** The short version of `exactOutput.proof.ts`. */
const count = 16
const stand = await startRoutingStand({ chainId: 42161 })
const s = suite('exact outputs on chain')
s.after(() => stand.close())

s(
  'deliver at least their targets and spend exactly input_consumed, executed [routing/exact-executed]',
  async () => {
    const tally = await proveExactOutputs(stand, { count, random: createRandom(5) })
    assert.equal(tally.differences, [])
    assert.is(tally.executed, count)
  },
)

s.run()
