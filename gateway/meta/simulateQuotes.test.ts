import { makeQuote, makeRequest, router, taker, usdc, weth } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Candidate, CandidateResult } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import type { SourceQuote } from './provider/source.ts'
import { type DryRun, simulateQuotes } from './simulateQuotes.ts'

const s = suite('meta/simulateQuotes')
const proxy = { address: router, sinceBlock: 1n }

async function simulate(
  dryRun: DryRun,
  change: Partial<SourceQuote> = {},
  signal = new AbortController().signal,
) {
  const faults: unknown[] = []
  const { simulations } = await simulateQuotes(
    { dryRunOf: () => dryRun, onFault: ({ error }) => void faults.push(error) },
    { quotes: [makeQuote(change)], request: makeRequest(), proxy, nowMs: 0, signal },
  )
  return { status: simulations[0]?.status, faults: faults.length }
}
const rejects = (error: Error) => (): Promise<never> => Promise.reject(error)

s('reports a bug as a fault, an outage and a client that left as none', async () => {
  const bug = rejects(new TypeError('x is undefined'))
  const outage = rejects(new SimulatorUnavailable({ chainId: 8453, reason: 'no fork stands' }))
  assert.equal(await simulate(bug), { status: 'rpcError', faults: 1 })
  assert.equal(await simulate(outage), { status: 'rpcError', faults: 0 })
  assert.equal(await simulate(bug, {}, AbortSignal.abort()), { status: 'rpcError', faults: 0 })
})

s('answers also for a payload that cannot be written', async () => {
  const never = rejects(new Error('must not be asked'))
  const { status, faults } = await simulate(never, { maxAmountIn: 2n ** 256n })
  assert.equal({ status, faults }, { status: 'rpcError', faults: 1 })
})

/** What a simulator is asked for a quote, and what becomes of its answer. */
async function ask(
  change: Partial<SourceQuote>,
  results: readonly CandidateResult[] = [],
  through?: typeof proxy,
) {
  let asked: Parameters<DryRun>[0] | undefined
  const dryRun: DryRun = async (given) => {
    asked = given
    return { blockNumber: 7n, blockHash: '0x07', results }
  }
  const { simulations } = await simulateQuotes(
    { dryRunOf: () => dryRun, onFault: ({ error }) => assert.unreachable(String(error)) },
    {
      quotes: [makeQuote(change)],
      request: makeRequest({ sender: weth }),
      proxy: through,
      nowMs: 0,
      signal: new AbortController().signal,
    },
  )
  const [first] = asked?.candidates ?? []
  const { holdings: _, ...candidate }: Partial<Candidate> = first ?? {}
  return { candidate, minBlock: asked?.minBlock, simulation: simulations[0] }
}

s(
  'sends from the sender what a quote names, or from its owner by a proxy [teeth/candidates]',
  async () => {
    const common = {
      tokenIn: usdc,
      tokenOut: weth,
      amountIn: 1_000_000n,
      recipient: taker,
      value: 0n,
    }
    const plain = { ...common, taker: weth, target: router, data: '0x12345678aa', spender: router }
    const direct = await ask({})
    assert.equal([direct.candidate, direct.minBlock], [plain, undefined])
    // Who would take it all takes more than is sold.
    const unproved = { ...plain, heldAmount: 2_000_000n, keepsWealth: true }
    assert.equal((await ask({ mustBeProved: true })).candidate, unproved)
    const at = '0x4444444444444444444444444444444444444444' as const
    const through = { address: at, sinceBlock: 5n }
    const { candidate, minBlock } = await ask({}, [], through)
    const { data = '0x', ...rest } = candidate
    assert.equal([rest, minBlock], [{ ...common, taker, target: at, spender: at }, 5n])
    assert.ok(data.length > plain.data.length)
    const unspent = await ask({ approveTarget: undefined }, [], through)
    assert.is(unspent.candidate.spender, undefined)
  },
)

for (const [what, results, simulation] of [
  [
    'delivered',
    [{ status: 'ok', amountOut: 995n, gasUsed: 5n }],
    {
      status: 'success',
      actualOutput: 995n,
      accuracyBps: 9_950,
      gasUsed: 5n,
      blockNumber: 7n,
    },
  ],
  [
    'took beside the trade',
    [{ status: 'ok', amountOut: 995n, gasUsed: 5n, sideEffect: 'takes a token' }],
    { status: 'reverted', error: 'takes a token', blockNumber: 7n },
  ],
  [
    'reverted with',
    [{ status: 'simulation_failed', reason: 'STF' }],
    { status: 'reverted', error: 'STF', blockNumber: 7n },
  ],
  [
    'could not be given',
    [{ status: 'simulation_unavailable', cause: 'slot_not_found', reason: 'no slot' }],
    { status: 'slotNotFound', error: 'no slot', blockNumber: 7n },
  ],
  [
    'could not be read for',
    [{ status: 'simulation_unavailable', cause: 'rpc_error', reason: 'away' }],
    { status: 'rpcError', error: 'away', blockNumber: 7n },
  ],
  ['has no result for', [], { status: 'rpcError', error: 'the simulator gave no result' }],
] as const)
  s(`says what a payload ${what} [teeth/dry-run-said]`, async () => {
    assert.equal((await ask({}, results)).simulation, simulation)
  })

s(
  'says so where there is no simulator, and asks none for nothing [teeth/dry-run-none]',
  async () => {
    const run = (quotes: readonly SourceQuote[]) =>
      simulateQuotes(
        { dryRunOf: () => undefined, onFault: () => assert.unreachable() },
        {
          quotes,
          request: makeRequest(),
          proxy: undefined,
          nowMs: 0,
          signal: new AbortController().signal,
        },
      )
    assert.equal(await run([]), { simulations: [], blockNumber: undefined })
    assert.equal(await run([makeQuote()]), {
      simulations: [{ status: 'notConfigured', error: 'this chain has no simulator' }],
      blockNumber: undefined,
    })
  },
)
s.run()
