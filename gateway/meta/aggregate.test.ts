import {
  answerQuote,
  bareChain,
  listRouter,
  makeRequest,
  scriptSource,
} from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { CandidateResult } from '../../simulator/simulator.ts'
import { aggregate } from './aggregate.ts'
import type { CalldataPolicy } from './calldata/checkQuote.ts'
import type { SourceWorth } from './sourceWorth.ts'

const s = suite('meta/aggregate')
/** Whoever has not answered when there is enough to answer with is overdue. */
const impatient: SourceWorth = {
  of: () => ({
    has: () => false,
    usualMs: (source) => (source === 'slow' ? 0 : undefined),
    isSilent: () => false,
    leave: () => undefined,
    arrived: () => undefined,
    note: () => undefined,
    close: () => undefined,
  }),
}
const delivers: CandidateResult = { status: 'ok', amountOut: 1_000n, gasUsed: 1n }
const falls: CandidateResult = { status: 'simulation_failed', reason: 'STF' }

async function waitTurns(turns: number): Promise<void> {
  for (let left = turns; left > 0; left -= 1) await new Promise(setImmediate)
}

/** Our own search answers at once, and its quote falls in its dry run; `slow` answers many turns of the loop later. */
async function ask(policy: CalldataPolicy, dryRun = false) {
  const sources = [
    scriptSource({
      name: 'routing',
      answer: answerQuote({ provider: 'routing', isReference: true }),
    }),
    scriptSource({
      name: 'slow',
      async answer() {
        await waitTurns(200)
        return answerQuote({ provider: 'slow' })
      },
    }),
  ]
  const { best, entries } = await aggregate(
    {
      ...bareChain,
      now: () => 0,
      onFault: ({ error }) => assert.unreachable(String(error)),
      sourcesFor: () => sources,
      targets: listRouter(sources),
      deadlineMs: 60_000,
      patienceMs: 60_000,
      worth: impatient,
      priceGas: async () => undefined,
      findProxy: async () => undefined,
      dryRunOf: () => async () => ({
        blockNumber: 7n,
        blockHash: '0x07',
        results: [falls, delivers],
      }),
    },
    {
      request: { source: makeRequest(), policy, dryRun, proxy: undefined },
      signal: new AbortController().signal,
    },
  )
  return {
    best: best?.quote.provider,
    leftBehind: entries.flatMap((entry) => (entry.isLeftBehind ? entry.provider : [])),
  }
}

s(
  'cuts nobody short where every quote has to be proved: what is in hand may fall [strangers/meta-usual-strict]',
  async () => {
    assert.equal(await ask('standard'), { best: 'routing', leftBehind: ['slow'] })
    assert.equal(await ask('strict'), { best: 'slow', leftBehind: [] })
  },
)
s('nor where every quote is dry-run [17/usual-dry-run]', async () => {
  assert.equal(await ask('standard', true), { best: 'slow', leftBehind: [] })
})
s.run()
