import { type Address, createClient, encodeFunctionData, erc20Abi, http, parseAbi } from 'viem'
import { simulateCalls } from 'viem/actions'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSlotResolver } from '../../simulator/balanceSlot/resolveBalanceSlot.ts'
import { buildBundle, type Candidate } from '../../simulator/buildBundle.ts'
import { createStartFork } from '../../simulator/fork.ts'
import { createForkGuard } from '../../simulator/forkGuard.ts'
import { fundTaker } from '../../simulator/fundTaker.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { startFaultProxy } from '../../simulator/testing/faultProxy.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * Dry runs of k candidates: ours, next to one bare JSON-RPC batch of the same `eth_simulateV1` calls,
 * and next to one viem call per candidate in turn, as peers do it. All in one run, rounds interleaved,
 * on forks of the same block. Then the first eight after a new block, 30 ms away from the chain.
 *
 * Usage: `npm run -s bench:simulate -- [rounds, default 150]`.
 */
const rounds = Number(process.argv[2] ?? 150)
const chainId = 8453
const latencyMs = 30

const swapAbi = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256)',
])

const world = await startWorldChain({ chainId })
const { manifest } = world
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
const taker = simulator.simulatedTaker(chainId)
const v3 = manifest.dexes.find(({ protocol }) => protocol === 'uniswap_v3')
const pools = manifest.pools.filter(({ dex }) => dex === v3?.name)
const decimalsOf = (token: Address) =>
  Object.values(manifest.tokens).find(({ address }) => address === token)?.decimals ?? 18

/** A swap through the real Uniswap v3 router, of another pool or amount for each index. */
function candidateOf(index: number): Candidate {
  const pool = pools[index % pools.length]
  const router = v3?.router
  if (!pool || !router) throw new Error('the world has no Uniswap v3 pool')
  const [tokenIn, tokenOut] = pool.tokens
  const amountIn = 10n ** BigInt(decimalsOf(tokenIn)) / 100n + BigInt(index)
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
  return { target: router, data, value: 0n, tokenIn, tokenOut, amountIn, spender: router }
}

const guard = createForkGuard()
const startFork = createStartFork({ guard })
const blockNumber = simulator.status(chainId).blockNumber ?? 0n
const fork = await startFork({ chainId, upstreamUrl: world.rpcUrl, blockNumber })
const slots = createSlotResolver({}, { chainId })
const timeSecs = BigInt(Math.floor(Date.now() / 1000)) + 10n

async function bundlesOf(candidates: readonly Candidate[]) {
  return Promise.all(
    candidates.map(async (candidate) => {
      const deps = {
        rpc: fork.rpc,
        timeoutMs: 10_000,
        blockNumber,
        slots,
        findWhales: async () => [],
      }
      const funding = await fundTaker(deps, { candidate, taker, timeSecs })
      if (funding.status === 'refused') throw new Error('a candidate can not be funded')
      const gasCap = 4_000_000n
      const parts = { candidate, taker, holders: [taker], gasCap, timeSecs, baseOverrides: {} }
      return buildBundle({ ...parts, funding: funding.overrides })
    }),
  )
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

async function simulateAll(candidates: readonly Candidate[]) {
  const { results } = await simulator.simulateCandidates({ chainId, candidates })
  const failed = results.find(({ status }) => status !== 'ok')
  if (failed) throw new Error(`a candidate failed: ${JSON.stringify(failed)}`)
}

/**
 * The peers' way: one `simulateCalls` of viem per candidate, in turn, each against `latest`:
 * approve, balance, the swap, balance, decoded by ABI. The balance slot is given to them.
 */
const viemFork = createClient({ transport: http(fork.url) })
type Hexed = `0x${string}`
type RawOverrides = Record<
  string,
  { code?: Hexed; balance?: Hexed; stateDiff?: Record<Hexed, Hexed> }
>

function toPeerCall({ candidate, params }: { candidate: Candidate; params: readonly unknown[] }) {
  const [{ blockStateCalls }] = params as [
    { blockStateCalls: readonly { stateOverrides: RawOverrides }[] },
  ]
  const { target, data, value, tokenIn, tokenOut, amountIn, spender = target } = candidate
  const stateOverrides = Object.entries(blockStateCalls[0]?.stateOverrides ?? {}).map(
    ([address, { code, balance, stateDiff }]) => ({
      address: address as Address,
      ...(code ? { code } : {}),
      ...(balance ? { balance: BigInt(balance) } : {}),
      ...(stateDiff
        ? {
            stateDiff: Object.entries(stateDiff).map(([slot, word]) => ({
              slot: slot as Hexed,
              value: word,
            })),
          }
        : {}),
    }),
  )
  const erc20 = (to: Address) => ({ to, abi: erc20Abi })
  const balance = { ...erc20(tokenOut), functionName: 'balanceOf', args: [taker] } as const
  const approval = {
    ...erc20(tokenIn),
    functionName: 'approve',
    args: [spender, amountIn],
  } as const
  const calls = [approval, balance, { to: target, data, value }, balance] as const
  return { account: taker, calls, stateOverrides }
}

const rows: string[][] = []
const ms = (value: number) => `${value.toFixed(1)} ms`
for (const k of [1, 8, 32]) {
  const candidates = Array.from({ length: k }, (_, index) => candidateOf(index))
  const bundles = await bundlesOf(candidates)
  const calls = bundles.map(({ rpcCall }) => rpcCall)
  const peerCalls = calls.map(({ params }, index) =>
    toPeerCall({ candidate: candidateOf(index), params }),
  )
  const ways = {
    ours: () => simulateAll(candidates),
    batch: () => fork.rpc.batch(calls, { timeoutMs: 20_000 }),
    peers: async () => {
      for (const call of peerCalls) await simulateCalls(viemFork, call)
    },
  }
  const samples = { ours: [] as number[], batch: [] as number[], peers: [] as number[] }
  for (const way of Object.values(ways)) for (let i = 0; i < 10; i += 1) await way()
  for (let round = 0; round < rounds / (k === 32 ? 3 : 1); round += 1)
    for (const [name, way] of Object.entries(ways))
      samples[name as keyof typeof samples].push(await timed(way))
  const of = (name: keyof typeof samples) =>
    [percentile(samples[name], 0.5), percentile(samples[name], 0.95)] as const
  const [ours, batch, peers] = [of('ours'), of('batch'), of('peers')]
  rows.push([
    String(k),
    `${ms(ours[0])} / ${ms(ours[1])}`,
    `${ms(batch[0])} / ${ms(batch[1])}`,
    `${ms(peers[0])} / ${ms(peers[1])}`,
    `${(ours[0] / batch[0]).toFixed(2)}x`,
    `${(peers[0] / ours[0]).toFixed(2)}x`,
  ])
}
await simulator.close()

/** The first eight candidates after a new block, with and without what the fork before had to fetch. */
async function measureFirst({ isWarmed }: { isWarmed: boolean }): Promise<number> {
  const proxy = await startFaultProxy({ target: world.rpcUrl })
  proxy.set({ delayMs: latencyMs })
  const far = await createSimulator({
    chains: [
      {
        chainId,
        upstreamUrl: proxy.url,
        freshness: { mode: 'interval', everyMs: 100 },
        // As the gateway has its registry: tokens that only a caller names are never warmed.
        knownTokens: Object.values(manifest.tokens).map(({ address }) => address),
      },
    ],
  })
  const candidates = Array.from({ length: 8 }, (_, index) => candidateOf(index))
  const run = () => far.simulateCandidates({ chainId, candidates })
  if (isWarmed) {
    await run()
    await fetch(world.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
    })
    const before = far.status(chainId).blockNumber
    while (far.status(chainId).blockNumber === before)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const elapsed = await timed(run)
  await far.close()
  await proxy.close()
  return elapsed
}
const cold: number[] = []
const warmed: number[] = []
for (let round = 0; round < 5; round += 1) {
  cold.push(await measureFirst({ isWarmed: false }))
  warmed.push(await measureFirst({ isWarmed: true }))
}
await fork.kill()
guard.close()
await world.close()

const write = (text: string) => process.stdout.write(text)
printTable(write, {
  head: [
    'k',
    'ours p50 / p95',
    'one bare batch',
    'viem, one by one',
    'ours : batch',
    'peers : ours',
  ],
  rows,
})
printTable(write, {
  head: [`first 8 after a new block, chain ${latencyMs} ms away`, 'p50', 'best', 'worst'],
  rows: [
    ['cold fork', cold],
    ['fork warmed with the hot set', warmed],
  ].map(([name, samples]) => {
    const list = samples as number[]
    return [String(name), ms(percentile(list, 0.5)), ms(Math.min(...list)), ms(Math.max(...list))]
  }),
})
