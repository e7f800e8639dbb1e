import { setTimeout as wait } from 'node:timers/promises'
import { type ProfileName, profiles } from '../../fixtures/nodes/profiles/profiles.ts'
import { chains } from '../chain/chains.ts'
import { printTable } from '../observe/printTable.ts'
import { statusOf } from '../routing/testing/mainnet/followMainnets.ts'
import { openRouting } from '../routing/testing/mainnet/openRouting.ts'
import { startMainnet } from '../routing/testing/mainnet/startMainnet.ts'

/**
 * What following asks of a node for each block, and how long after a block it is followed: with blocks looked
 * for when they are due, or with `--four-times` four times a block as before, both chains at once. No socket, no
 * quotes, none of a profile's faults; what it counts as units, where it counts any, else calls.
 *
 * Usage: `node gateway/bench/blockCalls.ts [--four-times] <profile> ...`
 */
const isPaced = !process.argv.includes('--four-times')
const [pools, measuredMs, lookEachMs] = [460, 60_000, 5]
/** Until it knows when blocks come; a small node is loaded for no longer. */
const [settleMs, longestLoadMs] = [20_000, 240_000]
const isName = (value: string): value is ProfileName => Object.hasOwn(profiles, value)

async function measure(profile: ProfileName): Promise<string[][]> {
  const started = await Promise.all(
    chains.map(({ chainId }) => startMainnet({ chainId, profile, pools, faults: [] })),
  )
  for (const { node } of started) node.mend()
  const polled = started.map((chain) => ({ ...chain, node: { ...chain.node, wsUrl: undefined } }))
  const { routing, close } = await openRouting(polled, { observe: () => undefined, isPaced })
  const isLoaded = () =>
    started.every((chain) => {
      const { state, chain: own } = statusOf(routing, chain) ?? {}
      return state !== undefined && own?.sync.loading() === undefined
    })
  const beganMs = performance.now()
  while (!isLoaded() && performance.now() - beganMs < longestLoadMs) await wait(100)
  await wait(settleMs)
  const measured = started.map((chain) => {
    const { mainnet, node } = chain
    const lateMs: number[] = []
    const unseen: { readonly number: number; readonly atMs: number }[] = []
    const first = mainnet.head().number
    let newest = first
    node.resetCounters()
    const looking = setInterval(() => {
      const [head, atMs] = [mainnet.head().number, performance.now()]
      for (; newest < head; newest += 1) unseen.push({ number: newest + 1, atMs })
      const followed = Number(statusOf(routing, chain)?.state?.head.number)
      for (; unseen[0] && unseen[0].number <= followed; unseen.shift())
        lateMs.push(atMs - unseen[0].atMs)
    }, lookEachMs)
    return () => {
      clearInterval(looking)
      const { calls, units } = node.counters()
      const blocks = mainnet.head().number - first
      const sorted = lateMs.toSorted((one, other) => one - other)
      const at = (share: number) => `${Math.round(sorted[Math.floor(share * sorted.length)] ?? 0)}`
      const perBlock = (count: number) => (count / blocks).toFixed(2)
      const { eth_getBlockByNumber: looks = 0, eth_getLogs: logs = 0, ...others } = calls
      const rest = sum(others)
      return [
        profile,
        `${chain.chainId}`,
        isLoaded() ? 'yes' : 'no',
        perBlock(looks + logs + rest),
        perBlock(sum(units)),
        perBlock(looks),
        perBlock(logs),
        perBlock(rest),
        at(0.5),
        at(0.95),
      ]
    }
  })
  await wait(measuredMs)
  const rows = measured.map((read) => read())
  await close()
  return rows
}

const sum = (table: Readonly<Record<string, number>>) =>
  Object.values(table).reduce((total, count) => total + count, 0)

const head = [
  'profile',
  'chain',
  'loaded',
  'calls',
  'units',
  'looks',
  'logs',
  'reads',
  'p50, ms',
  'p95, ms',
]
for (const profile of process.argv.filter(isName))
  printTable((text) => process.stdout.write(text), { head, rows: await measure(profile) })
process.exit()
