import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { startWorldChain } from '../../fixtures/world.ts'
import type { Candidate } from '../../simulator/buildBundle.ts'
import { createProcessForks } from '../../simulator/processForks.ts'
import { processTable } from '../../simulator/processTable.ts'
import { createSimulator } from '../../simulator/simulator.ts'

/**
 * What forks hold in memory, by number of chains: at rest, after a thousand dry runs of each chain, and after more.
 * All forks that live at once are counted; the offline world does not move, so that none is replaced.
 *
 * Usage: `npm run -s bench:forks -- [dry runs, default 10000]`.
 */
const most = Number(process.argv[2] ?? 10_000)
const batch = 8
const swapAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256)',
])

const chainIds = [8453, 42161]
const worlds = await Promise.all(chainIds.map((chainId) => startWorldChain({ chainId })))
type World = (typeof worlds)[number]

/** A swap through the real Uniswap v3 router, of another pool or amount for each index. */
function candidateOf({ manifest }: World, taker: Address, index: number): Candidate {
  const v3 = manifest.dexes.find(({ protocol }) => protocol === 'uniswap_v3')
  const pools = manifest.pools.filter(({ dex }) => dex === v3?.name)
  const pool = pools[index % pools.length]
  if (!pool || !v3?.router) throw new Error('the world has no Uniswap v3 pool')
  const [tokenIn, tokenOut] = pool.tokens
  const { decimals = 18 } =
    Object.values(manifest.tokens).find(({ address }) => address === tokenIn) ?? {}
  const amountIn = 10n ** BigInt(decimals) / 100n + BigInt(index)
  const params = {
    tokenIn,
    tokenOut,
    fee: pool.feePips,
    recipient: taker,
    amountIn,
    amountOutMinimum: 0n,
    sqrtPriceLimitX96: 0n,
  }
  const data = encodeFunctionData({ abi: swapAbi, args: [params] })
  return { target: v3.router, data, value: 0n, tokenIn, tokenOut, amountIn, spender: v3.router }
}

const toMiB = (bytes: number) => (bytes / 2 ** 20).toFixed(0)

/** Says a row as soon as it is known: the whole takes minutes. */
const tell = (...cells: readonly (string | number)[]) =>
  void process.stdout.write(`| ${cells.join(' | ')} |\n`)

/** Of one simulator that serves so many of the chains. */
async function measure(count: number): Promise<void> {
  const processes = createProcessForks()
  const pids = new Set<number>()
  const forks = {
    ...processes,
    startFork: async (parameters: Parameters<typeof processes.startFork>[0]) => {
      const fork = await processes.startFork(parameters)
      pids.add(fork.pid)
      void fork.exited.then(() => pids.delete(fork.pid))
      return fork
    },
  }
  const served = worlds.slice(0, count).map((world, at) => ({
    world,
    chainId: chainIds[at] ?? 0,
  }))
  const chains = served.map(({ world, chainId }) => ({ chainId, upstreamUrl: world.rpcUrl }))
  const simulator = await createSimulator({ chains, forks })
  async function dryRun({ world, chainId }: (typeof served)[number], from: number) {
    const taker = simulator.simulatedTaker(chainId)
    const at = Array.from({ length: batch }, (_, index) => from + index)
    const candidates = at.map((index) => candidateOf(world, taker, index))
    const { results } = await simulator.simulateCandidates({ chainId, candidates })
    return results.filter(({ status }) => status === 'ok').length
  }
  function note(dryRuns: number) {
    const held = [...pids].map((pid) => processTable.readMemoryBytes(pid) ?? 0)
    const whole = held.reduce((sum, bytes) => sum + bytes, 0)
    tell(count, dryRuns, held.length, toMiB(Math.max(...held)), toMiB(whole))
  }
  note(0)
  let [asked, done] = [0, 0]
  for (const goal of [1_000, most]) {
    while (done < goal) {
      const answered = await Promise.all(served.map((chain) => dryRun(chain, asked)))
      asked += batch
      // One that came too late, on a busy machine, is none.
      done += Math.min(...answered)
    }
    note(done)
  }
  await simulator.close()
}

tell('chains', 'dry runs of each', 'forks', 'the largest, MiB', 'together, MiB')
await measure(1)
await measure(2)
for (const world of worlds) await world.close()
