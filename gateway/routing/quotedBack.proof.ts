/**
 * The outputs of quotes, asked for: all pairs of a world at five sizes. Each costs no more than the quote
 * does, in tokens and in gas.
 *
 * Usage: `node gateway/routing/quotedBack.proof.ts [chain]`
 */
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { listQuestions, proveQuotedBack } from './testing/proveQuotedBack.ts'
import { startRoutingStand } from './testing/routingStand.ts'

const every = byLength({ short: 20, long: 1 })
const s = suite('exact outputs of what was quoted')

for (const chainId of [8453, 42161])
  s(`on ${chainId} cost no more than the quotes`, async () => {
    const stand = await startRoutingStand({ chainId })
    const questions = listQuestions(stand).filter((_, index) => index % every === 0)
    const { differences, ...figures } = await proveQuotedBack(stand, questions)
    await stand.close()
    reportFigures(`exact outputs of what was quoted on ${chainId}`, {
      ...figures,
      different: differences.length,
    })
    assert.equal(differences, [])
  })

s.run()
