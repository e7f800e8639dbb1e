import { setTimeout as wait } from 'node:timers/promises'
import { type Address, concat, type Hex, numberToHex } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * What an idle gateway's forks ask of a paid node: fresh, and after somebody has had 128 contracts
 * simulated that read 96 slots each. A block every 250 ms. Fails above 1.1 times.
 *
 * Usage: `node gateway/bench/idleCalls.ts [seconds of each measurement, default 15]`.
 */
const seconds = Number(process.argv[2] ?? 15)
const chainId = 8453
const [contracts, slots] = [128, 96]
/** Nobody asks for so long: nothing is fetched ahead any more. */
const quietMs = 35_000
const mostTimes = 1.1

const world = await startWorldChain({ chainId })
const rpc = createRpc(world.rpcUrl)
const counts = new Map<string, number>()
const simulator = await createSimulator({
  chains: [
    {
      chainId,
      upstreamUrl: world.rpcUrl,
      freshness: { mode: 'interval', everyMs: 1_000, lagBlocks: 1 },
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
for (let from = 0; from < contracts; from += 32) {
  const candidates = targets.slice(from, from + 32).map((target) => ({
    target,
    data: '0x' as const,
    value: 0n,
    amountIn: 1n,
    spender: target,
    tokenIn: usdc,
    tokenOut: weth,
  }))
  await simulator.simulateCandidates({ chainId, candidates })
}
const during = await measure(`just after ${contracts} anonymous candidates`)
await wait(quietMs)
const after = await measure('nobody asks any more')
clearInterval(mining)
const times = after.all / fresh.all
const write = (text: string) => void process.stdout.write(text)
printTable(write, {
  head: ['upstream calls per second', 'all', 'sync', 'simulation', 'warm-up'],
  rows: [fresh.row, during.row, after.row],
})
write(`after : fresh = ${times.toFixed(2)}\n`)
await simulator.close()
await world.close()
process.exitCode = times <= mostTimes ? 0 : 1
