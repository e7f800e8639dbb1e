import { setTimeout as wait } from 'node:timers/promises'
import { type Address, concat, type Hex, numberToHex } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * What a gateway's forks ask of a paid node: fresh, after somebody has had 128 contracts simulated that
 * read 96 slots each, and once nobody asks any more. A block every 250 ms. Fails where forks at rest ask
 * anything, or the one who comes then is not answered from the head.
 *
 * Usage: `node gateway/bench/idleCalls.ts [seconds of each measurement, default 15]`.
 */
const seconds = Number(process.argv[2] ?? 15)
const chainId = 8453
const [contracts, slots] = [128, 96]
/** Nobody asks for so long: no head is followed any more. */
const quietMs = 35_000
/** As far behind as it is told to stay. */
const lagBlocks = 1

const world = await startWorldChain({ chainId })
const rpc = createRpc(world.rpcUrl)
const counts = new Map<string, number>()
const simulator = await createSimulator({
  chains: [
    {
      chainId,
      upstreamUrl: world.rpcUrl,
      freshness: { mode: 'interval', everyMs: 1_000, lagBlocks, restAfterMs: 30_000 },
      async spend(purpose, calls) {
        counts.set(purpose, (counts.get(purpose) ?? 0) + calls)
        return true
      },
    },
  ],
})
const mining = setInterval(() => void rpc('anvil_mine', '0x1'), 250)

async function measure(name: string) {
  counts.clear()
  await wait(seconds * 1_000)
  const perSecond = (purpose: string) => (counts.get(purpose) ?? 0) / seconds
  const all = [...counts.values()].reduce((sum, calls) => sum + calls, 0) / seconds
  const row = ['sync', 'simulation', 'warmUp'].map((purpose) => perSecond(purpose).toFixed(1))
  return { all, row: [name, all.toFixed(1), ...row] }
}

const load = (slot: number): Hex => `0x60${numberToHex(slot, { size: 1 }).slice(2)}5450`
const code = concat([...Array.from({ length: slots }, (_, slot) => load(slot)), '0x00'])
const targets = Array.from(
  { length: contracts },
  (_, n): Address => numberToHex(0xdead0000 + n, { size: 20 }),
)
for (const target of targets) await rpc('anvil_setCode', target, code)
const [usdc, weth] = ['USDC', 'WETH'].map((name) => world.manifest.tokens[name]?.address)
if (!usdc || !weth) throw new Error('the world has both')

const fresh = await measure('fresh, nobody asks')
const simulate = (part: readonly Address[]) =>
  simulator.simulateCandidates({
    chainId,
    candidates: part.map((target) => ({
      target,
      data: '0x' as const,
      value: 0n,
      amountIn: 1n,
      spender: target,
      tokenIn: usdc,
      tokenOut: weth,
    })),
  })
for (let from = 0; from < contracts; from += 32) await simulate(targets.slice(from, from + 32))
const during = await measure(`just after ${contracts} anonymous candidates`)
await wait(quietMs)
const after = await measure('nobody asks any more')
const startedAtMs = performance.now()
const head = BigInt(String(await rpc('eth_blockNumber')))
const woken = await simulate(targets.slice(0, 1))
const wokenMs = performance.now() - startedAtMs
clearInterval(mining)
const write = (text: string) => void process.stdout.write(text)
printTable(write, {
  head: ['upstream calls per second', 'all', 'sync', 'simulation', 'warm-up'],
  rows: [fresh.row, during.row, after.row],
})
const ahead = woken.blockNumber - head
write(`the first after rest: ${wokenMs.toFixed(0)} ms, ${ahead} blocks from the head it met\n`)
await simulator.close()
await world.close()
process.exitCode = after.all === 0 && ahead >= -lagBlocks ? 0 : 1
