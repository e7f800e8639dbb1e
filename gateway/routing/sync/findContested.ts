import type { Chain, Client, Transport } from 'viem'
import { poolIdOf } from '../protocols/families.ts'
import { hasBlock } from '../reads/listAlone.ts'
import { listContested } from '../reads/mergeLogs.ts'
import { readLogPart } from '../reads/rangeLogs.ts'
import type { HeardPart } from './heardBlocks.ts'

/** Wider questions are asked twice. */
const span = { blocks: 15, most: 15, growth: 1 }

/**
 * Ids of pools of whose logs in these blocks another endpoint tells something else. None where it fails, or has
 * other blocks.
 */
export async function findContested(
  { witness }: { readonly witness: Client<Transport, Chain> },
  { filter, blocks }: HeardPart,
): Promise<readonly string[]> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return []
  const [fromBlock, toBlock] = [first.head.number, last.head.number]
  const asked = { filter: { ...filter, crowd: undefined }, fromBlock, toBlock, span }
  // Asked before its logs: an empty answer says something of whoever has the block by then.
  const isLevel = await hasBlock(witness, last.head)
  // Who fails knows no more than the first one, and who fails on the way is silent of the rest for that.
  const part = await readLogPart({ client: witness }, asked).catch(() => undefined)
  if (part?.last !== toBlock) return []
  const hashes = new Map(blocks.map(({ head: { number, hash } }) => [number, hash]))
  if (!part.logs.every(({ blockNumber, blockHash }) => hashes.get(blockNumber) === blockHash))
    return []
  const emitters = filter.addresses && new Set(filter.addresses.map((own) => own.toLowerCase()))
  const heard = blocks.flatMap(({ logs }) => logs)
  // Pools that came meanwhile were not asked for.
  const ours = heard.filter(({ address }) => emitters?.has(address) ?? true)
  const contested = listContested(ours, part.logs, isLevel ? 'all' : 'reached')
  return [...new Set(contested.map(poolIdOf))]
}
