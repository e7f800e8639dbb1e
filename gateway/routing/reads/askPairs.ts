import type { Chain, Client, Transport } from 'viem'
import { askInParts } from './askInParts.ts'
import { chunkPairs } from './chunkPairs.ts'

type Sides<item> = { readonly a: readonly item[]; readonly b: readonly item[] }

/**
 * Asks about all pairs of an item of `a` and one of `b`, so many at a time. Pairs whose look-up costs more
 * than it should are asked in ever smaller parts: they alone have no answer.
 */
export async function askPairs<item, answer>(
  deps: { readonly client: Client<Transport, Chain> },
  {
    size,
    blockNumber,
    ask,
    ...sides
  }: Sides<item> & {
    readonly size: number
    readonly blockNumber: bigint
    readonly ask: (part: Sides<item>) => Promise<readonly answer[]>
  },
): Promise<answer[]> {
  const items = chunkPairs(sides, size)
  const answers = await askInParts(deps, {
    items,
    size: 1,
    blockNumber,
    ask: async ([part]) => (part ? [await ask(part)] : []),
  })
  const found = items.map((part, index): Promise<answer[]> | readonly answer[] => {
    const answer = answers[index]
    const pairs = part.a.length * part.b.length
    if (answer || pairs <= 1) return answer ?? []
    return askPairs(deps, { ...part, size: Math.ceil(pairs / 2), blockNumber, ask })
  })
  return (await Promise.all(found)).flat()
}
