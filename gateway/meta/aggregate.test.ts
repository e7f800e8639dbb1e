import { mock } from 'node:test'
import {
  answerQuote,
  bareChain,
  listRouter,
  makeRequest,
  scriptSource,
  taker,
} from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { CandidateResult } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { type AggregateDeps, aggregate } from './aggregate.ts'
import type { CalldataPolicy } from './calldata/checkQuote.ts'
import { fail, type SourceOutcome } from './provider/source.ts'
import type { SourceWorth } from './sourceWorth.ts'

const s = suite('meta/aggregate')
/** Whoever has not answered when there is enough to answer with is overdue. */
const impatientWith = (overdue: string, note: () => void): SourceWorth => ({
  of: () => ({
    has: () => false,
    usualMs: (source) => (source === overdue ? 0 : undefined),
    isSilent: () => false,
    leave: () => undefined,
    arrived: () => undefined,
    note,
    close: () => undefined,
  }),
})
const delivers = { status: 'ok', amountOut: 1_000n, gasUsed: 1n } as const
const falls: CandidateResult = { status: 'simulation_failed', reason: 'STF' }

async function waitTurns(turns: number): Promise<void> {
  for (let left = turns; left > 0; left -= 1) await new Promise(setImmediate)
}

/** Some answer at once, `slow` many turns of the loop later; `results` are of their dry runs in that order. */
async function askFully(
  policy: CalldataPolicy,
  {
    dryRun = false,
    quick = ['routing'],
    results = [falls, delivers],
    slowTurns = 200,
    runTurns = 0,
    awayFor = 0,
    overdue = 'slow',
    slowAnswer = answerQuote({ provider: 'slow' }),
    findProxy,
    takeTurn,
    ran = () => undefined,
    signal = new AbortController().signal,
  }: {
    readonly dryRun?: boolean
    readonly quick?: readonly string[]
    readonly results?: readonly CandidateResult[]
    readonly slowTurns?: number
    /** Of each dry run. */
    readonly runTurns?: number
    /** Dry runs that no simulator makes. */
    readonly awayFor?: number
    readonly overdue?: string
    readonly slowAnswer?: SourceOutcome
    /** Of a proxy, which is asked for where this is named. */
    readonly findProxy?: AggregateDeps['findProxy']
    readonly takeTurn?: AggregateDeps['takeTurn']
    /** Called when dry runs are made. */
    readonly ran?: () => void
    readonly signal?: AbortSignal
  } = {},
) {
  let noted = 0
  const note = () => {
    noted += 1
  }
  /** How many were dry-run together. */
  const runs: number[] = []
  const sources = [
    ...quick.map((name) =>
      scriptSource({
        name,
        answer: answerQuote({ provider: name, isReference: name === 'routing' }),
      }),
    ),
    scriptSource({
      name: 'slow',
      async answer() {
        await waitTurns(slowTurns)
        return slowAnswer
      },
    }),
  ]
  const answer = await aggregate(
    {
      ...bareChain,
      now: () => 0,
      onFault: ({ error }) => assert.unreachable(String(error)),
      sourcesFor: () => sources,
      targets: listRouter(sources),
      deadlineMs: 60_000,
      patienceMs: 60_000,
      worth: impatientWith(overdue, note),
      priceGas: async () => undefined,
      findProxy: findProxy ?? (async () => undefined),
      takeTurn,
      dryRunOf:
        () =>
        async ({ candidates }) => {
          runs.push(candidates.length)
          await waitTurns(runTurns)
          ran()
          if (runs.length <= awayFor)
            throw new SimulatorUnavailable({ chainId: 8453, reason: 'no fork stands' })
          return { blockNumber: 7n, blockHash: '0x07', results }
        },
    },
    {
      request: { source: makeRequest(), policy, dryRun, proxy: findProxy && taker },
      signal,
    },
  )
  return { answer, runs, noted }
}

async function ask(...asked: Parameters<typeof askFully>) {
  const { answer, runs } = await askFully(...asked)
  return {
    best: answer.best?.quote.provider,
    leftBehind: answer.entries.flatMap((entry) => (entry.isLeftBehind ? entry.provider : [])),
    runs,
  }
}

s(
  'cuts nobody short for what falls where every quote has to be proved [strangers/meta-usual-strict]',
  async () => {
    assert.equal(await ask('standard'), { best: 'routing', leftBehind: ['slow'], runs: [] })
    assert.equal(await ask('strict'), { best: 'slow', leftBehind: [], runs: [1, 2] })
  },
)
s('nor where every quote is dry-run [17/usual-dry-run]', async () => {
  const waited = { best: 'slow', leftBehind: [], runs: [1, 2] }
  assert.equal(await ask('standard', { dryRun: true }), waited)
})
s(
  'cuts short for what has passed its dry run, which is made once, whoever is overdue [17/usual-held]',
  async () => {
    const cut = { best: 'routing', leftBehind: ['slow'], runs: [1] }
    for (const policy of ['standard', 'strict'] as const)
      assert.equal(await ask(policy, { dryRun: true, results: [delivers] }), cut)
  },
)
s('for our own quote that has passed, or for two others [17/usual-held-two]', async () => {
  const quick = ['one', 'other']
  const askTwo = (results: readonly CandidateResult[]) =>
    ask('standard', { dryRun: true, quick, results })
  assert.equal(await askTwo([delivers, delivers]), { best: 'one', leftBehind: ['slow'], runs: [2] })
  const waited = { best: 'one', leftBehind: [], runs: [2, 3] }
  assert.equal(await askTwo([delivers, falls, delivers]), waited)
})
s('dry-runs whoever answers meanwhile beside the others [17/usual-meanwhile]', async () => {
  const more: CandidateResult = { ...delivers, amountOut: 1_001n }
  const results = [delivers, more]
  const asked = await ask('standard', { dryRun: true, results, slowTurns: 50, runTurns: 400 })
  assert.equal(asked, { best: 'slow', leftBehind: [], runs: [1, 2] })
})
s('dry-runs once where nobody is overdue who has not answered [17/usual-answered]', async () => {
  const results = [delivers, delivers]
  const { runs } = await ask('standard', { dryRun: true, overdue: 'routing', results })
  assert.equal(runs, [2])
})
s('takes nothing for passed that no dry run has decided [17/usual-undecided]', async () => {
  const undecided = { status: 'simulation_unavailable', cause: 'rpc_error', reason: '' } as const
  const results = [delivers, undecided, delivers]
  const asked = await ask('standard', { dryRun: true, quick: ['one', 'other'], results })
  assert.equal(asked, { best: 'one', leftBehind: [], runs: [2, 3] })
})
s('dry-runs again in the end what no simulator had run [17/usual-away]', async () => {
  const slowAnswer = fail('no_route', 'no pool')
  const asked = await ask('strict', { awayFor: 1, results: [delivers], slowAnswer })
  assert.equal(asked, { best: 'routing', leftBehind: [], runs: [1, 1] })
})
s(
  'hears of a proxy that cannot be read while sources are waited for [17/usual-proxy]',
  async () => {
    const findProxy = () => Promise.reject(new Error('the node is away'))
    const fault = await ask('standard', { quick: [], findProxy }).catch(String)
    assert.is(fault, 'Error: the node is away')
  },
)

s(
  'looks for a proxy once its turn has come, and for nobody who has left [attack/turn-proxy]',
  async () => {
    let looks = 0
    const findProxy = async () => {
      looks += 1
      return undefined
    }
    const turn = Promise.withResolvers<void>()
    const given = { findProxy, slowTurns: 0, overdue: 'nobody' }
    const asking = askFully('standard', { ...given, takeTurn: () => turn.promise })
    await waitTurns(3)
    assert.is(looks, 0)
    turn.resolve()
    await asking
    assert.is(looks, 1)
    const left = new AbortController()
    const { signal } = left
    await askFully('standard', { ...given, signal, takeTurn: async () => left.abort() })
    assert.is(looks, 1)
  },
)

s(
  'says how many were dry-run, at which block and for how long [teeth/aggregate-runs]',
  async () => {
    let nowMs = 5_000
    const reading = mock.method(performance, 'now', () => nowMs).mock
    const askAll = async (dryRun: boolean) => {
      const { answer } = await askFully('standard', {
        dryRun,
        results: [delivers, falls],
        slowTurns: 0,
        overdue: 'nobody',
        ran() {
          nowMs += 40
        },
      })
      return { ...answer.simulation, tookMs: answer.elapsedMs, asked: answer.dispatched }
    }
    try {
      assert.equal(await askAll(true), {
        winner: 'routing',
        simulated: 2,
        elapsedMs: 40,
        blockNumber: 7n,
        tookMs: 40,
        asked: 2,
      })
      assert.equal(await askAll(false), {
        winner: undefined,
        simulated: 0,
        elapsedMs: 0,
        blockNumber: undefined,
        tookMs: 0,
        asked: 2,
      })
    } finally {
      reading.restore()
    }
  },
)
s('learns nothing of an answer whose caller has left [teeth/aggregate-left]', async () => {
  const quick = { slowTurns: 0, overdue: 'nobody' }
  assert.is((await askFully('standard', quick)).noted, 1)
  assert.is((await askFully('standard', { ...quick, signal: AbortSignal.abort() })).noted, 0)
})
s.run()
