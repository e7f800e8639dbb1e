import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { waitFor } from './testing/waitFor.ts'
import { startWatchedSimulator } from './testing/watchedSimulator.ts'

const s = suite('suspects on forks')
const target = '0x00000000000000000000000000000000000b0b00'
/** The forks that were to run the target's code: everybody's, or the one for suspects. */
const ranOn: ('everybody' | 'suspects')[] = []
const { world, simulator, close } = await startWatchedSimulator((calls, { niceness = 0 }) => {
  const runs = calls.filter(({ method }) => method === 'eth_simulateV1')
  if (JSON.stringify(runs).includes(target)) ranOn.push(niceness > 0 ? 'suspects' : 'everybody')
})
s.after(close)

const honest = world.swapAForB()
const suspectOf = (amountIn: bigint): Candidate => ({
  ...world.swapAForB({ amountIn }),
  target,
  spender: target,
})
const suspect = suspectOf(10n ** 18n)
const setCode = (code: unknown) => world.chain.request('anvil_setCode', [target, code])
/** What became of the candidates, and where the suspect ran. */
async function simulate(candidates: readonly Candidate[]) {
  ranOn.length = 0
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  return { statuses: results.map(({ status }) => status), ran: new Set(ranOn) }
}

s(
  'run apart from the second request on, in any amount, and with everybody again once they ran like a swap [strangers/second-request]',
  async () => {
    // JUMPDEST PUSH0 JUMP: until the gas is gone.
    await setCode('0x5b5f56')
    const first = await simulate([suspect, honest])
    assert.ok(first.ran.has('everybody'))
    assert.is.not(first.statuses[0], 'ok')
    for (const amountIn of [1_000n, 2_000n]) {
      const again = await simulate([suspectOf(amountIn), honest])
      assert.equal(again.ran, new Set(['suspects']))
      assert.is.not(again.statuses[0], 'ok')
      assert.is(again.statuses[1], 'ok')
    }
    // The same address swaps now.
    await setCode(await world.chain.request('eth_getCode', [world.router, 'latest']))
    const minBlock = await world.swapForReal(1_000n)
    await waitFor('the fork follows', () => simulator.status(8453).blockNumber === minBlock, {
      deadlineMs: 60_000,
    })
    assert.equal((await simulate([suspect])).ran, new Set(['suspects']))
    await waitFor(
      'it is believed',
      async () => {
        const { statuses, ran } = await simulate([suspect])
        return statuses[0] === 'ok' && ran.has('everybody') && !ran.has('suspects')
      },
      { deadlineMs: 60_000 },
    )
  },
)
s.run()
