import { makeQuote, makeRequest, router } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
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

s.run()
