/**
 * Answers that stood from block to block, each against a search of the same market.
 *
 * Usage: `node gateway/routing/standingRoutes.proof.ts [count] [pools that a block changes] [pools]`
 */
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proveStanding } from '../bench/quote/proveStanding.ts'

const [count = byLength({ short: 500, long: 10_000 }), changedPerBlock = 5, pools = 1_000] =
  process.argv.slice(2).map(Number)
const s = suite('routes that stand')

s(`${count} bring no less than a search would, but for a tenth of a basis point`, () => {
  const size = { pools, tokens: pools / 10, seed: 7, changedPerBlock }
  const { asked, stood, worstBps, wrong, falseGaps } = proveStanding(size, {
    count,
    questions: 100,
  })
  reportFigures(`routes that stand, ${changedPerBlock} of ${pools} pools changed`, {
    asked,
    stood,
    'worst, bps': Number(worstBps.toFixed(3)),
    'not as the pools swap': wrong,
    'false gaps': falseGaps,
  })
  assert.ok(worstBps <= 0.1 && stood >= count)
  assert.equal([wrong, falseGaps], [0, 0])
})

s.run()
