import type { Chain, Client, Hex, Transport } from 'viem'
import type { PoolLog } from './poolLog.ts'

type Deps = { readonly client: Client<Transport, Chain> }

export type BlockHead = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestampSecs: bigint
}

type RawBlock = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex }

function toHead(block: RawBlock | null): BlockHead | undefined {
  return block
    ? {
        number: BigInt(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        timestampSecs: BigInt(block.timestamp),
      }
    : undefined
}

/** The latest block, or that of a number; undefined where the node has none. */
export async function readHead({ client }: Deps, number?: bigint): Promise<BlockHead | undefined> {
  const tag = number === undefined ? 'latest' : (`0x${number.toString(16)}` as const)
  const block = await client.request({ method: 'eth_getBlockByNumber', params: [tag, false] })
  return toHead(block as RawBlock | null)
}

/** Which logs: everything of these topics, of these addresses where a list is given. */
export type LogFilter = {
  readonly topics: readonly Hex[]
  readonly addresses: readonly Hex[] | undefined
}

/** Logs of one block by its hash: a node that does not have that very block fails instead of guessing. */
export async function readBlockLogs(
  { client }: Deps,
  { blockHash, filter }: { readonly blockHash: Hex; readonly filter: LogFilter },
): Promise<PoolLog[]> {
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [
      {
        blockHash,
        topics: [[...filter.topics]],
        ...(filter.addresses && { address: [...filter.addresses] }),
      },
    ],
  })
  return logs
    .map((log) => ({
      address: log.address.toLowerCase(),
      topics: log.topics,
      data: log.data,
      blockNumber: BigInt(log.blockNumber ?? 0),
      blockHash: String(log.blockHash),
      logIndex: Number(log.logIndex),
    }))
    .sort((one, other) => one.logIndex - other.logIndex)
}
