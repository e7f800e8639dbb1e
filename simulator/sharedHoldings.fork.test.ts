import { encodeFunctionData, erc20Abi } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import type { StartFork } from './fork.ts'
import type { Holding } from './holdingsReader.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('what candidates of one request watch')
const world = await startSwapWorld()
const forks = await startTestForks()
const owner = '0x00000000000000000000000000000000000a11ce'
const watched: readonly Holding[] = [world.tokenA, world.tokenB].map((contract) => ({
  contract,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
  loss: 'fall',
  sentence: 'takes something beside the trade',
}))
/** Of reads of the owner's balances, one by one and ahead of the dry run. */
let reads = 0
const startFork: StartFork = async (parameters) => {
  const fork = await forks.startFork(parameters)
  const batch: typeof fork.rpc.batch = (calls, limits) => {
    const datas = new Set(watched.map(({ data }) => data))
    for (const { method, params } of calls)
      if (method === 'eth_call' && datas.has((params[0] as Holding).data)) reads += 1
    return fork.rpc.batch(calls, limits)
  }
  return { ...fork, rpc: { ...fork.rpc, batch } }
}
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
  forks: { ...forks, startFork },
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

s('is read ahead once for all of them [strangers/shared-holdings]', async () => {
  const candidates = [1n, 2n, 3n].map(
    (part): Candidate => ({
      ...world.swapAForB({ amountIn: part * 10n ** 17n }),
      holdings: watched,
    }),
  )
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  assert.equal(
    results.map(({ status }) => status),
    ['ok', 'ok', 'ok'],
  )
  assert.is(reads, watched.length)
})
s.run()
