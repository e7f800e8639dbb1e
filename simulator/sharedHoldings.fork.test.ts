import { encodeFunctionData, erc20Abi } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import type { Holding } from './holdingsReader.ts'
import { startWatchedSimulator } from './testing/watchedSimulator.ts'

const s = suite('what candidates of one request watch')
const owner = '0x00000000000000000000000000000000000a11ce'
const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
/** Of reads of the owner's balances, one by one and ahead of the dry run. */
let reads = 0
const { world, simulator, close } = await startWatchedSimulator((calls) => {
  for (const { method, params } of calls)
    if (method === 'eth_call' && (params[0] as Holding).data === data) reads += 1
})
s.after(close)
const watched: readonly Holding[] = [world.tokenA, world.tokenB].map((contract) => ({
  contract,
  data,
  loss: 'fall',
  sentence: 'takes something beside the trade',
}))

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
