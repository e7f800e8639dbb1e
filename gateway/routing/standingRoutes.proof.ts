/**
 * Answers that stood from block to block, each against a search of the same market: on markets as arbitrage
 * leaves them, at the pace of either chain, and on one in which nobody takes prices back.
 *
 * Usage: `node gateway/routing/standingRoutes.proof.ts [count] [seed] [pools]`
 */
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { paces } from '../bench/quote/generatedChain.ts'
import { proveStanding } from '../bench/quote/proveStanding.ts'

const [count = byLength({ short: 400, long: 10_000 }), seed = 7, pools = 1_000] = process.argv
  .slice(2)
  .map(Number)
const s = suite('routes that stand')

for (const { changedPerBlock, isArbitraged } of [
  { changedPerBlock: paces.fast.changedPerBlock, isArbitraged: true },
  { changedPerBlock: paces.moving.changedPerBlock, isArbitraged: true },
  { changedPerBlock: paces.fast.changedPerBlock, isArbitraged: false },
]) {
  const market = `${changedPerBlock} of ${pools} pools changed${isArbitraged ? '' : ', nobody arbitrages'}`
  s(
    `bring no less than a search would, but for a tenth of a basis point: ${market} [20/standing-ten-thousand]`,
    () => {
      const size = { pools, tokens: pools / 10, seed, changedPerBlock, isArbitraged }
      const { asked, stood, resumed, anew, worstBps, worstSinceBps, wrong, falseGaps } =
        proveStanding(size, {
          count,
          questions: 100,
        })
      reportFigures(`routes that stand, ${market}`, {
        asked,
        stood,
        resumed,
        anew,
        'worst, bps': Number(worstBps.toFixed(3)),
        'of it since the search': Number(worstSinceBps.toFixed(3)),
        'not as the pools swap': wrong,
        'false gaps': falseGaps,
      })
      assert.ok(worstBps <= 0.1 && stood >= count)
      assert.equal([wrong, falseGaps], [0, 0])
    },
  )
}

s.run()
