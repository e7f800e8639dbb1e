import {
  type Address,
  type Chain,
  type Client,
  type Hex,
  isHash,
  isHex,
  numberToHex,
  type Transport,
} from 'viem'
import { isAway } from '../../chain/client.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange, Refusal } from '../../chain/nodes/refusal.ts'
import { inTime } from './inTime.ts'
import { joinAll } from './joinAll.ts'
import { pickEnds } from './pickEnds.ts'
import type { ReadDeps } from './poolRef.ts'

export type ScannedLog = {
  readonly address?: unknown
  readonly topics: readonly Hex[]
  readonly data: Hex
}
export type Scanned = {
  /** The oldest first. */
  readonly logs: readonly ScannedLog[]
  /** Whether no block of the range was left out, nor any of its logs. */
  readonly isWhole: boolean
}
type Refused = { readonly refusal: Refusal | undefined }
/** What each topic may be: one value, one of several, anything. */
export type TopicFilter = ReadonlyArray<Hex | readonly Hex[] | null>

/**
 * Requests that one scan may take of a node, unless it is told otherwise: of one that gives 10,000 blocks at once two
 * seconds to eight of a load, and of what is older than some hours it tells nothing anyway.
 */
const manyRequests = 16
/** Fewer of the newest blocks than this tell next to nothing, and all that come are followed. */
const usualReach = 1_000n
const mostUnderWay = 8
/** Another endpoint that makes them up has no more of them looked into. */
const mostElsewhere = 256

/**
 * Events of contracts over many blocks: all in one question where the node allows it, else in halves,
 * the newest first. A node that allows short ranges only gives what the requests reach, and is asked for
 * none of it where that is hardly anything. Where one tells
 * of none, who may have let go of them, another endpoint is asked, once and for all of the blocks; of
 * many the first and the last count. Neither that nor what it refuses is the whole. Rejects where nobody is there
 * to be asked.
 */
export async function scanLogs(
  { client, others }: Pick<ReadDeps, 'client' | 'others'>,
  {
    address,
    topics,
    fromBlock,
    toBlock,
    mostRequests = manyRequests,
    leastReach = usualReach,
  }: {
    readonly address: Address | readonly Address[]
    readonly topics: TopicFilter
    readonly fromBlock: bigint
    readonly toBlock: bigint
    readonly mostRequests?: number | undefined
    /** Of fewer of the newest blocks none is asked for. */
    readonly leastReach?: bigint | undefined
  },
): Promise<Scanned> {
  const found: { readonly from: bigint; readonly logs: readonly ScannedLog[] }[] = []
  const waiting: BlockRange[] = fromBlock <= toBlock ? [{ from: fromBlock, to: toBlock }] : []
  let isWhole = true
  /** Blocks that the node has said it gives at once. */
  let most: bigint | undefined
  for (let left = mostRequests; left > 0 && waiting.length > 0; ) {
    // What is said of how many may be a guess, until so many are given.
    const count = most && found.length > 0 ? Math.min(left, mostUnderWay) : 1
    const wave = takeNewest(waiting, { most, count })
    left -= wave.length
    const reading = wave.map((range) => readRange(client, { address, topics, ...range }))
    for (const [index, read] of (await joinAll(reading)).entries()) {
      const range = wave[index]
      if (!range) continue
      if ('logs' in read) {
        found.push({ from: range.from, logs: read.logs })
        continue
      }
      if (found.length === 0 && !isWorthwhile(range, { ...read, requests: left, leastReach })) {
        isWhole = false
        left = 0
        break
      }
      const parts = narrowRange(range, read.refusal)
      if (parts.length === 0) isWhole = false
      waiting.push(...parts)
      const newest = parts.at(-1)
      if (newest && read.refusal?.limit !== undefined) most = newest.to - newest.from + 1n
    }
  }
  found.sort((one, other) => (one.from < other.from ? -1 : 1))
  const logs = found.flatMap((one) => one.logs)
  const isRead = isWhole && waiting.length === 0
  const told = found[0]?.logs
  const [other] = told && logs.length === 0 ? (others?.(told) ?? []) : []
  if (!other) return { logs, isWhole: isRead }
  const all = { address, topics, from: fromBlock, to: toBlock }
  const more = await inTime(readRange(other.client, all))
  // Who refuses, or hangs, has not borne out that there are none.
  if (more === 'late' || !('logs' in more)) return { logs, isWhole: false }
  return {
    logs: pickEnds(more.logs, mostElsewhere),
    isWhole: isRead && more.logs.length <= mostElsewhere,
  }
}

/** The newest blocks that wait, in ranges of as many as are given: they wait no more. */
function takeNewest(
  waiting: BlockRange[],
  { most, count }: { readonly most: bigint | undefined; readonly count: number },
): readonly BlockRange[] {
  const wave: BlockRange[] = []
  for (let range = waiting.pop(); range; range = wave.length < count ? waiting.pop() : undefined) {
    const { from, to } = range
    const isLong = most !== undefined && to - from + 1n > most
    const cut = isLong ? to - most + 1n : from
    if (isLong) waiting.push({ from, to: cut - 1n })
    wave.push({ from: cut, to })
  }
  return wave
}

/** Whether the requests that are left reach enough of a range that was refused. */
function isWorthwhile(
  { from, to }: BlockRange,
  {
    refusal,
    requests,
    leastReach,
  }: Refused & { readonly requests: number; readonly leastReach: bigint },
): boolean {
  if (refusal?.kind !== 'range_too_wide' || refusal.limit === undefined) return true
  // Of half of them: what they tell is of little use.
  const reach = BigInt(refusal.limit) * BigInt(requests >> 1)
  return reach >= leastReach || reach > to - from
}

async function readRange(
  client: Client<Transport, Chain>,
  {
    address,
    topics,
    from,
    to,
  }: BlockRange & { readonly address: Address | readonly Address[]; readonly topics: TopicFilter },
): Promise<{ readonly logs: readonly ScannedLog[] } | Refused> {
  const filter = {
    address: typeof address === 'string' ? address : [...address],
    topics: topics.map((topic) =>
      topic === null || typeof topic === 'string' ? topic : [...topic],
    ),
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
  }
  try {
    const logs: unknown = await client.request({ method: 'eth_getLogs', params: [filter] })
    return isListOfLogs(logs) ? { logs } : { refusal: undefined }
  } catch (error) {
    if (isAway(error)) throw error
    // Nodes limit the range by errors of many kinds: a shorter one tells.
    return { refusal: findRefusal(error) }
  }
}

/** Whoever answers may answer anything: one that is no log makes the answer none. */
function isListOfLogs(value: unknown): value is readonly ScannedLog[] {
  return Array.isArray(value) && value.every(isLog)
}

function isLog(value: unknown): value is ScannedLog {
  const { topics, data } = (value ?? {}) as Readonly<Record<string, unknown>>
  return Array.isArray(topics) && topics.every(isTopic) && isHex(data)
}

const isTopic = (value: unknown): value is Hex => typeof value === 'string' && isHash(value)
