import { BlockNotFoundError } from 'viem'
import { getBlock } from 'viem/actions'
import type { AccessChain } from './accessConfig.ts'

/** Number of the newest final block; -1 where a chain has none yet, as a local one that just started. */
export async function readFinalNumber({ client }: AccessChain): Promise<bigint> {
  try {
    return (await getBlock(client, { blockTag: 'finalized' })).number
  } catch (error) {
    if (error instanceof BlockNotFoundError) return -1n
    throw error
  }
}
