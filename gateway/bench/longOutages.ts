import { type Pace, quiet } from '../../fixtures/nodes/mainnet/shares.ts'
import { arbitrum } from '../chain/arbitrum.ts'
import { base } from '../chain/base.ts'
import type { RpcCall } from '../chain/nodes/readReply.ts'
import { printTable } from '../observe/printTable.ts'
import { holdMainnet } from '../routing/testing/mainnet/holdMainnet.ts'
import { collectGarbage } from './collectGarbage.ts'

/**
 * What it takes to catch up after hours and days without a node, on made-up chains of 2,000 pools with the real
 * number of swaps; beside it what reading those pools anew takes. A node that answers at once and gives so many
 * blocks: answers pass through JSON, as those of a real one do.
 *
 * Usage: `node gateway/bench/longOutages.ts [number of the row, default all]`.
 */
const pools = 2_000
const hour = 3_600
const rows = [
  { chain: base, secs: 3 * hour, blockMs: 2_000, every: 1, swaps: [50, 120], most: 10_000 },
  { chain: base, secs: 3 * hour, blockMs: 2_000, every: 1, swaps: [50, 120], most: 10 },
  { chain: arbitrum, secs: 48 * hour, blockMs: 250, every: 20, swaps: [0, 40], most: 10_000 },
  { chain: arbitrum, secs: hour / 2, blockMs: 250, every: 1, swaps: [0, 2], most: 5 },
  { chain: arbitrum, secs: hour, blockMs: 250, every: 1, swaps: [0, 2], most: 10 },
] as const
/** What is held is looked at, all else being collected, once in so many questions. */
const lookEach = 20

async function measure({ chain, secs, blockMs, every, swaps, most }: (typeof rows)[number]) {
  const counts = { calls: 0, questions: 0, bytes: 0 }
  const held = { least: Number.POSITIVE_INFINITY, most: 0, ms: 0 }
  const pace: Pace = { ...quiet, blockMs, swaps, crowdedSwaps: 40, positions: 0.1 }
  function look(): void {
    const sinceMs = performance.now()
    collectGarbage()
    const { heapUsed } = process.memoryUsage()
    held.least = Math.min(held.least, heapUsed)
    held.most = Math.max(held.most, heapUsed)
    held.ms += performance.now() - sinceMs
  }
  const isTooWide = ({ method, params }: RpcCall) => {
    if (method !== 'eth_getLogs') return false
    const [{ fromBlock = '0x0', toBlock = '0x0' }] = params as readonly [Record<string, string>]
    return Number(toBlock) - Number(fromBlock) >= most
  }
  const follower = await holdMainnet(chain, {
    pools,
    pace,
    bend(call, answer) {
      if (isTooWide(call))
        return { error: { code: -32602, message: `eth_getLogs is limited to ${most} block range` } }
      const sent = JSON.stringify(answer)
      counts.calls += 1
      counts.questions += Number(call.method === 'eth_getLogs')
      counts.bytes += sent.length
      if (counts.questions % lookEach === 1) look()
      return JSON.parse(sent)
    },
  })
  const anew = { ...counts }
  const blocks = (secs * 1_000) / blockMs
  for (let left = blocks; left > 0; left -= every) follower.mainnet.leap(every - 1)
  Object.assign(counts, { calls: 0, questions: 0, bytes: 0 })
  Object.assign(held, { least: Number.POSITIVE_INFINITY, most: 0, ms: 0 })
  look()
  held.ms = 0
  const startedAtMs = performance.now()
  await follower.reader.confirm()
  const ms = performance.now() - startedAtMs - held.ms
  const isAtHead = follower.reader.current()?.head.hash === follower.mainnet.head().hash
  const reloads = follower.events.filter(({ event }) => event === 'loaded').length
  follower[Symbol.dispose]()
  const mb = (bytes: number) => (bytes / 1e6).toFixed(0)
  return [
    `${chain.name}, ${secs / hour} h`,
    String(most),
    String(blocks),
    String(counts.questions),
    String(counts.calls - counts.questions),
    mb(counts.bytes),
    (ms / 1_000).toFixed(1),
    mb(held.most - held.least),
    `${anew.calls} / ${mb(anew.bytes)}`,
    isAtHead && reloads === 0 ? 'yes' : `no (${reloads} reloads)`,
  ]
}

const only = process.argv[2]
const table: string[][] = []
for (const row of only === undefined ? rows : [rows[Number(only)] ?? rows[0]])
  table.push(await measure(row))
printTable((text) => process.stdout.write(text), {
  head: [
    'outage',
    'blocks at once',
    'blocks',
    'questions',
    'other calls',
    'MB',
    's',
    'held, MB',
    'anew: calls / MB',
    'at head',
  ],
  rows: table,
})
