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
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange, Refusal } from '../../chain/nodes/refusal.ts'

export type ScannedLog = { readonly topics: readonly Hex[]; readonly data: Hex }
export type Scanned = {
  /** The oldest first. */
  readonly logs: readonly ScannedLog[]
  /** Whether no block of the range was left out. */
  readonly isWhole: boolean
}
type Refused = { readonly refusal: Refusal | undefined }
/** What each topic may be: one value, one of several, anything. */
export type TopicFilter = ReadonlyArray<Hex | readonly Hex[] | null>

/** Requests that one scan may take of a node, unless it is told otherwise. */
const manyRequests = 48

/**
 * Events of contracts over many blocks: all in one question where the node allows it, else in halves,
 * the newest first. A node that allows short ranges only gives what the requests reach.
 */
export async function scanLogs(
  { client }: { readonly client: Client<Transport, Chain> },
  {
    address,
    topics,
    fromBlock,
    toBlock,
    mostRequests = manyRequests,
  }: {
    readonly address: Address | readonly Address[]
    readonly topics: TopicFilter
    readonly fromBlock: bigint
    readonly toBlock: bigint
    readonly mostRequests?: number | undefined
  },
): Promise<Scanned> {
  const found: (readonly ScannedLog[])[] = []
  const waiting: BlockRange[] = fromBlock <= toBlock ? [{ from: fromBlock, to: toBlock }] : []
  let isWhole = true
  for (let request = 0; request < mostRequests; request += 1) {
    const range = waiting.pop()
    if (!range) break
    const read = await readRange(client, { address, topics, ...range })
    if ('logs' in read) {
      found.unshift(read.logs)
      continue
    }
    const parts = narrowRange(range, read.refusal)
    if (parts.length === 0) isWhole = false
    waiting.push(...parts)
  }
  return { logs: found.flat(), isWhole: isWhole && waiting.length === 0 }
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
