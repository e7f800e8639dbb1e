import { type Block, readToldBlock } from '../reads/readHead.ts'
import type { Ancestor } from './findAncestor.ts'

/** Blocks after the ancestor up to the latest, checked to be a chain; undefined when they are not. */
export async function readBlocks(
  deps: Parameters<typeof readToldBlock>[0],
  { after, latest }: { readonly after: Ancestor; readonly latest: Block },
): Promise<Block[] | undefined> {
  const { head } = latest
  const count = Number(head.number - after.number) - 1
  const between = await Promise.all(
    Array.from({ length: Math.max(0, count) }, (_, index) =>
      readToldBlock(deps, after.number + 1n + BigInt(index)),
    ),
  )
  const blocks = [...between, ...(count >= 0 ? [latest] : [])]
  let parent = after.hash
  const chain: Block[] = []
  for (const next of blocks) {
    if (next?.head.parentHash !== parent) return undefined
    chain.push(next)
    parent = next.head.hash
  }
  // Nothing after the ancestor: the chain was rolled back to it.
  return count < 0 && head.hash !== after.hash ? undefined : chain
}
