import { type Address, type Chain, type Client, type Hex, numberToHex, type Transport } from 'viem'

type Range = { readonly from: bigint; readonly to: bigint }
export type ScannedLog = { readonly topics: readonly Hex[]; readonly data: Hex }
/** What each topic may be: one value, one of several. */
export type TopicFilter = ReadonlyArray<Hex | readonly Hex[]>

/** Requests that one scan may take of a node, unless it is told otherwise. */
const manyRequests = 48
const shortestRange = 500n

/**
 * Events of a contract over many blocks: all in one question where the node allows it, else in halves,
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
    readonly address: Address
    readonly topics: TopicFilter
    readonly fromBlock: bigint
    readonly toBlock: bigint
    readonly mostRequests?: number | undefined
  },
): Promise<readonly ScannedLog[]> {
  const found: ScannedLog[] = []
  const waiting: Range[] = fromBlock <= toBlock ? [{ from: fromBlock, to: toBlock }] : []
  for (let request = 0; request < mostRequests; request += 1) {
    const range = waiting.pop()
    if (!range) break
    const logs = await readRange(client, { address, topics, ...range })
    if (logs) found.push(...logs)
    else if (range.to - range.from >= shortestRange) {
      const middle = (range.from + range.to) >> 1n
      waiting.push({ from: range.from, to: middle }, { from: middle + 1n, to: range.to })
    }
  }
  return found
}

async function readRange(
  client: Client<Transport, Chain>,
  {
    address,
    topics,
    from,
    to,
  }: Range & { readonly address: Address; readonly topics: TopicFilter },
): Promise<readonly ScannedLog[] | undefined> {
  const filter = {
    address,
    topics: topics.map((topic) => (typeof topic === 'string' ? topic : [...topic])),
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
  }
  try {
    return await client.request({ method: 'eth_getLogs', params: [filter] })
  } catch {
    // Nodes limit the range by errors of many kinds: a shorter one tells.
    return undefined
  }
}
