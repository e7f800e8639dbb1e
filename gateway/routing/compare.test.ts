import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Candidate, CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../simulator/simulatorUnavailable.ts'
import { compare } from './compare.ts'

const s = suite('compare')
const candidate: Candidate = {
  target: zeroAddress,
  data: '0x',
  value: 0n,
  tokenIn: zeroAddress,
  tokenOut: zeroAddress,
  amountIn: 1n,
  spender: undefined,
}
const outage = (cause: 'rpc_error' | 'slot_not_found'): CandidateResult => ({
  status: 'simulation_unavailable',
  reason: 'why',
  cause,
})
const ok = (amountOut: bigint): CandidateResult => ({ status: 'ok', amountOut, gasUsed: 1n })

/** The comparison of candidates a, b… for which the simulator says these results. */
function compareOf(...results: readonly CandidateResult[]) {
  const simulateCandidates: Simulator['simulateCandidates'] = async () => ({
    blockNumber: 9n,
    blockHash: '0x',
    results,
  })
  const candidates = results.map((_, index) => ({
    providerId: 'abcd'.charAt(index),
    quotedOutput: 1n,
    candidate,
  }))
  return compare({ simulator: { simulateCandidates } as Simulator }, { chainId: 1, candidates })
}

s(
  'is unavailable only when the chain answered for no candidate at all [routing/compare-unavailable]',
  async () => {
    const rpc = outage('rpc_error')
    assert.is((await compareOf(rpc, rpc)).status, 'unavailable')
    for (const other of [ok(1n), outage('slot_not_found')])
      assert.is((await compareOf(rpc, other)).status, 'ok')
    const failed: CandidateResult = { status: 'simulation_failed', reason: 'why' }
    assert.is((await compareOf(failed)).status, 'ok')
  },
)
s('names the first of the best, and the block [routing/compare-winner]', async () => {
  const comparison = await compareOf(ok(1n), ok(7n), ok(7n), outage('rpc_error'))
  assert.equal(comparison.status === 'ok' && comparison.winnerProviderId, 'b')
  assert.equal(comparison.status === 'ok' && comparison.blockNumber, 9n)
  const none = await compareOf(outage('slot_not_found'))
  assert.is(none.status === 'ok' && none.winnerProviderId, undefined)
})
s('is unavailable where no fork stands', async () => {
  const simulateCandidates = async () => {
    throw new SimulatorUnavailable({ chainId: 1, reason: 'no fork stands' })
  }
  const simulator = { simulateCandidates } as unknown as Simulator
  const comparison = await compare({ simulator }, { chainId: 1, candidates: [] })
  assert.equal(comparison, { status: 'unavailable' })
})

s('is unavailable without a simulator, and other faults are ours [teeth/compare]', async () => {
  assert.equal(await compare({ simulator: undefined }, { chainId: 1, candidates: [] }), {
    status: 'unavailable',
  })
  const simulateCandidates = () => Promise.reject(new TypeError('ours'))
  const simulator = { simulateCandidates } as unknown as Simulator
  const fault = compare({ simulator }, { chainId: 1, candidates: [] })
  assert.is(await fault.catch((error: Error) => error.message), 'ours')
})
s(
  'tells of each candidate what its provider said and what came of it [teeth/compare]',
  async () => {
    const asked: unknown[] = []
    const simulateCandidates: Simulator['simulateCandidates'] = async ({ candidates, caller }) => {
      asked.push(candidates, caller)
      return { blockNumber: 9n, blockHash: '0x', results: [ok(5n)] }
    }
    const comparison = await compare(
      { simulator: { simulateCandidates } as Simulator },
      {
        chainId: 1,
        caller: 'me',
        candidates: [
          { providerId: 'a', quotedOutput: 6n, candidate },
          { providerId: 'nobody ran it', quotedOutput: 7n, candidate },
        ],
      },
    )
    assert.equal(comparison, {
      status: 'ok',
      blockNumber: 9n,
      winnerProviderId: 'a',
      results: [{ providerId: 'a', quotedOutput: 6n, result: ok(5n) }],
    })
    assert.equal(asked, [[candidate, candidate], 'me'])
  },
)

s.run()
