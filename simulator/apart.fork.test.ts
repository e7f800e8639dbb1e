import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('candidates that are set apart')
const world = await startSwapWorld()
const forks = await startTestForks()
const isSlow = ({ niceness = 0 }: { readonly niceness?: number | undefined }) => niceness > 0
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
  forks: {
    ...forks,
    // It starts again and again, and is never there.
    startFork: (parameters) =>
      isSlow(parameters) ? Promise.reject(new Error('it is ended')) : forks.startFork(parameters),
  },
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

const honest = world.swapAForB()
/** Loops until its gas is gone. */
const bomb: Candidate = { ...honest, target: '0x00000000000000000000000000000000000b0b00' }
await world.chain.request('anvil_setCode', [bomb.target, '0x5b5f56'])
const simulate = async (candidates: readonly Candidate[]) =>
  (await simulator.simulateCandidates({ chainId: 8453, candidates })).results

s(
  'are unavailable by themselves while their fork restarts, whoever else asks [strangers/apart]',
  async () => {
    for (let round = 0; round < 3; round += 1) {
      const [hostile, other] = await simulate([bomb, honest])
      assert.is(other?.status, 'ok')
      assert.is(hostile?.status, 'simulation_unavailable')
      // Their own trouble: no outage of the chain, which would refuse the request as a whole.
      assert.is(hostile?.status === 'simulation_unavailable' && hostile.cause, 'set_apart')
    }
    const alone = await simulate([bomb, bomb])
    assert.equal(
      alone.map((result) => result.status === 'simulation_unavailable' && result.cause),
      ['set_apart', 'set_apart'],
    )
  },
)

s(
  'a token whose balanceOf answers more than a word is a token like others [strangers/long-balance]',
  async () => {
    // As the token answers, and a second word behind it.
    const code = String(await world.chain.request('eth_getCode', [world.tokenB, 'latest']))
    const behind = '0x00000000000000000000000000000000000b0b01'
    await world.chain.request('anvil_setCode', [behind, code])
    const talkative = [
      '365f5f37', // memory = calldata
      '5f5f365f', // answer's size and place, calldata's size and place
      `73${behind.slice(2)}`,
      '5af4', // DELEGATECALL
      '3d5f5f3e', // memory = answer
      '602957', // to the end where it worked
      '3d5ffd', // REVERT
      '5b6020', // end: 32 bytes more than it was
      '3d015ff3', // RETURN
    ].join('')
    await world.chain.request('anvil_setCode', [world.tokenB, `0x${talkative}`])
    try {
      const [result] = await simulate([honest])
      assert.is(result?.status, 'ok')
    } finally {
      await world.chain.request('anvil_setCode', [world.tokenB, code])
    }
  },
)
s.run()
