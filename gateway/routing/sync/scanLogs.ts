import { type Address, type Chain, type Client, type Hex, numberToHex, type Transport } from 'viem'

type Range = { readonly from: bigint; readonly to: bigint }
export type ScannedLog = { readonly topics: readonly Hex[]; readonly data: Hex }

/** Requests that one scan may take of a node. */
const mostRequests = 48
const shortestRange = 500n

/**
 * Events of a contract over many blocks: all in one question where the node allows it, else in halves,
 * the newest first. A node that allows short ranges only gives what the requests reach.
 */
export async function scanLogs(
  { client }: { readonly client: Client<Transport, Chain> },
  {
    address,
    topic,
    fromBlock,
    toBlock,
  }: {
    readonly address: Address
    readonly topic: Hex
    readonly fromBlock: bigint
    readonly toBlock: bigint
  },
): Promise<readonly ScannedLog[]> {
  const found: ScannedLog[] = []
  const waiting: Range[] = fromBlock <= toBlock ? [{ from: fromBlock, to: toBlock }] : []
  for (let request = 0; request < mostRequests; request += 1) {
    const range = waiting.pop()
    if (!range) break
    const logs = await readRange(client, { address, topic, ...range })
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
  { address, topic, from, to }: Range & { readonly address: Address; readonly topic: Hex },
): Promise<readonly ScannedLog[] | undefined> {
  const filter = {
    address,
    topics: [topic],
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
