import { setTimeout as wait } from 'node:timers/promises'
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import type { Candidate } from '../../simulator/buildBundle.ts'
import type { Freshness } from '../../simulator/freshness.ts'
import { createProcessForks } from '../../simulator/processForks.ts'
import { processTable } from '../../simulator/processTable.ts'
import { createSimulator } from '../../simulator/simulator.ts'

/**
 * What forks hold in memory, by number of chains: at rest, after a thousand dry runs of each chain, and after more.
 * All forks that live at once are counted; the offline world does not move, so that none is replaced. Then the same
 * world with a block as often as the real chains have one, followed as in production, by dry runs a second.
 *
 * Usage: `npm run -s bench:forks -- [dry runs, default 10000] [seconds of each rate, default 60]`.
 */
const most = Number(process.argv[2] ?? 10_000)
const rateSecs = Number(process.argv[3] ?? 60)
const batch = 8
const swapAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256)',
])

const chainIds = [8453, 42161]
/** Of each of them. */
const blockMs = [2_000, 250]
const asInProduction: Freshness = {
  mode: 'interval',
  everyMs: 1_000,
  lagBlocks: 1,
  restAfterMs: 30_000,
}
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
async function openForks(count: number, freshness?: Freshness) {
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
  const simulator = await createSimulator({
    chains: served.map(({ world, chainId }) => ({ chainId, upstreamUrl: world.rpcUrl, freshness })),
    forks,
  })
  return {
    served,
    /** How many of so many dry runs were answered. */
    async dryRun({ world, chainId }: (typeof served)[number], from: number, size = batch) {
      const taker = simulator.simulatedTaker(chainId)
      const at = Array.from({ length: size }, (_, index) => from + index)
      const candidates = at.map((index) => candidateOf(world, taker, index))
      const { results } = await simulator.simulateCandidates({ chainId, candidates })
      return results.filter(({ status }) => status === 'ok').length
    },
    /** What each fork holds, in bytes. */
    held: () => [...pids].map((pid) => processTable.readMemoryBytes(pid) ?? 0),
    close: simulator.close,
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

async function measure(count: number): Promise<void> {
  const { served, dryRun, held, close } = await openForks(count)
  function note(dryRuns: number) {
    const bytes = held()
    tell(count, dryRuns, bytes.length, toMiB(Math.max(...bytes)), toMiB(sum(bytes)))
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
  await close()
}

/** As often as the real chain has a block, until it is ended. */
function keepMining({ rpcUrl }: World, everyMs: number) {
  const rpc = createRpc(rpcUrl)
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(() => rpc('evm_mine'))
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await last
  }
}

/** The most that was held at once while so many dry runs a second of each chain were asked for. */
async function measureRate(
  { served, dryRun, held }: Awaited<ReturnType<typeof openForks>>,
  perSecond: number,
): Promise<void> {
  let peak = { forks: 0, largest: 0, whole: 0 }
  const look = () => {
    const bytes = held()
    peak = {
      forks: Math.max(peak.forks, bytes.length),
      largest: Math.max(peak.largest, ...bytes),
      whole: Math.max(peak.whole, sum(bytes)),
    }
  }
  const looking = setInterval(look, 100)
  const asking: Promise<number>[] = []
  let asked = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < rateSecs * 1_000) {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond
    for (; asked < due; asked += 1)
      for (const chain of served) asking.push(dryRun(chain, asked, 1).catch(() => 0))
    await wait(5)
  }
  const answered = sum(await Promise.all(asking))
  clearInterval(looking)
  look()
  const { forks, largest, whole } = peak
  const share = asking.length === 0 ? '' : `${answered} of ${asking.length}`
  tell(served.length, perSecond, forks, toMiB(largest), toMiB(whole), share)
}

tell('chains', 'dry runs of each', 'forks', 'the largest, MiB', 'together, MiB')
await measure(1)
await measure(2)
const head = ['chains that move', 'dry runs/s of each', 'forks at most', 'the largest, MiB']
tell(...head, 'together, MiB', 'answered')
const mining = worlds.map((world, at) => keepMining(world, blockMs[at] ?? 0))
for (const count of [1, 2]) {
  const opened = await openForks(count, asInProduction)
  for (const perSecond of [0, 5, 25, 100]) await measureRate(opened, perSecond)
  await opened.close()
}
for (const end of mining) await end()
for (const world of worlds) await world.close()
