import { type Address, type Hex, pad } from 'viem'
import { type Dex, firstBlockOf } from '../../chain/dex.ts'
import { familyOf } from '../protocols/families.ts'
import { joinAll } from '../reads/joinAll.ts'
import type { PoolRef, ReadDeps } from '../reads/poolRef.ts'
import { scanLogs } from '../reads/scanLogs.ts'

/** Where a node does not answer for the whole range at once factories are asked, and it is scanned beside. */
const mostRequests = 1
/** Nodes take no more values for a topic than some hundred, nor requests of megabytes. */
export const mostTokens = 400

/**
 * Pools between tokens by their factory's creation events: they also name pools of fee tiers and tick
 * spacings nobody told us of. Empty where the node does not give that many blocks in one answer, or
 * has forgotten them. Of many tokens only the first are looked for.
 */
export async function findCreations(
  deps: ReadDeps & { readonly scan?: { readonly begin: (block: bigint) => void } | undefined },
  {
    dex,
    tokens,
    blockNumber,
  }: {
    readonly dex: Dex
    readonly tokens: readonly Address[]
    readonly blockNumber: bigint
  },
): Promise<PoolRef[]> {
  const fromBlock = firstBlockOf(dex, blockNumber)
  const words: Hex[] = tokens.slice(0, mostTokens).map((token) => pad(token, { size: 32 }))
  const found = await joinAll(
    familyOf(dex)
      .creations.filter(({ hasTokenTopics }) => hasTokenTopics)
      .map(async ({ topic, read }) => {
        const { logs, isWhole } = await scanLogs(deps, {
          address: dex.factory,
          topics: [topic, words, words],
          mostRequests,
          fromBlock,
          toBlock: blockNumber,
        })
        if (!isWhole) deps.scan?.begin(blockNumber)
        return logs.flatMap((log) => {
          const created = read(log)
          return created ? [{ dex, address: created.address }] : []
        })
      }),
  )
  return found.flat()
}
