import type { Chain, Client, Hex, RpcLog, Transport } from 'viem'
import type { PoolLog } from './poolLog.ts'
import type { Crowd } from './readCrowded.ts'

type Deps = { readonly client: Client<Transport, Chain> }

export type BlockHead = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestampSecs: bigint
}

/** The bloom says which logs the block cannot have; not every node gives one. */
export type Block = { readonly head: BlockHead; readonly logsBloom: Hex | undefined }

type RawBlock = {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  logsBloom?: Hex | undefined
}

function toBlock({ number, hash, parentHash, timestamp, logsBloom }: RawBlock): Block {
  const numbers = { number: BigInt(number), timestampSecs: BigInt(timestamp) }
  return { head: { ...numbers, hash, parentHash }, logsBloom }
}

/** The latest block, or that of a number; undefined where the node has none. */
export async function readBlock({ client }: Deps, number?: bigint): Promise<Block | undefined> {
  const tag = number === undefined ? 'latest' : (`0x${number.toString(16)}` as const)
  const block = await client.request({ method: 'eth_getBlockByNumber', params: [tag, false] })
  return block ? toBlock(block as RawBlock) : undefined
}

/** A node of several that lags behind is not the next one that is asked. */
const mostTimes = 4
/** Whoever was waited for so long was asked more than once meanwhile. */
const longMs = 1_000

/** A block that there is, as far as is known: whoever says that there is none is asked again. */
export async function readToldBlock(deps: Deps, number: bigint): Promise<Block | undefined> {
  for (let time = 1; ; time += 1) {
    const sinceMs = performance.now()
    const block = await readBlock(deps, number)
    if (block || time === mostTimes || performance.now() - sinceMs > longMs) return block
  }
}

export async function readHead(deps: Deps, number?: bigint): Promise<BlockHead | undefined> {
  return (await readBlock(deps, number))?.head
}

/** Which logs: everything of these topics, of these addresses where a list is given. */
export type LogFilter = {
  readonly topics: readonly Hex[]
  readonly addresses: readonly Hex[] | undefined
  /** What they name, where that is not all the same. */
  readonly names?: readonly Hex[] | undefined
  /** Whose are asked for where a block has more than a node gives. Default: nobody's. */
  readonly crowd?: Crowd | undefined
}

/** The same in a question's words. */
export const toQuestion = ({ topics, addresses, names }: LogFilter) => ({
  topics: [[...topics], ...(names ? [[...names]] : [])],
  ...(addresses && { address: [...addresses] }),
})

/** Logs of one block by its hash: a node that does not have that very block fails instead of guessing. */
export async function readBlockLogs(
  { client, heard }: Deps & { readonly heard?: ((answer: object) => void) | undefined },
  { blockHash, filter }: { readonly blockHash: Hex; readonly filter: LogFilter },
): Promise<PoolLog[]> {
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [{ blockHash, ...toQuestion(filter) }],
  })
  heard?.(logs)
  return logs.map(toPoolLog).sort((one, other) => one.logIndex - other.logIndex)
}

export function toPoolLog({ address, topics, data, ...at }: RpcLog): PoolLog {
  return {
    address: address.toLowerCase(),
    topics,
    data,
    blockNumber: BigInt(at.blockNumber ?? 0),
    blockHash: String(at.blockHash),
    logIndex: Number(at.logIndex),
  }
}
