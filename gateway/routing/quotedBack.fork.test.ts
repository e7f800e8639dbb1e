import { assert, suite } from '../../fixtures/test.ts'
import { listQuestions, proveQuotedBack } from './testing/proveQuotedBack.ts'
import { startRoutingStand } from './testing/routingStand.ts'

/** The short version of `quotedBack.proof.ts`: one question in so many. */
const every = 40
const s = suite('exact outputs of what was quoted')

async function prove(chainId: number, first: number): Promise<void> {
  const stand = await startRoutingStand({ chainId })
  try {
    const questions = listQuestions(stand).filter((_, index) => index % every === first)
    const { asked, quoted, differences } = await proveQuotedBack(stand, questions)
    assert.equal(differences, [])
    assert.ok(asked >= 30 && quoted >= 1, `${asked} asked, ${quoted} through quoters`)
  } finally {
    await stand.close()
  }
}

s('cost no more than the quotes, in tokens and in gas [20/no-dearer]', async () => {
  await prove(8453, 7)
  await prove(42161, 23)
})

s.run()
