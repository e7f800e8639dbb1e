import type { Address } from 'viem'

/** Looked for in one go: about one call to each factory. */
const mostAtOnce = 16
/** Four goes, of two or three round trips each: whoever comes after them comes again later. */
const mostWaiting = 64

type Batch = { readonly tokens: Set<Address>; readonly ended: PromiseWithResolvers<void> }

/**
 * Tokens that wait until their pools are looked for, those of many callers in one go. `inTurn` runs one
 * thing after the other; between two goes it has room for whatever else waits there.
 */
export function createDiscoveryQueue({
  inTurn,
  look,
}: {
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  readonly look: (tokens: readonly Address[]) => Promise<void>
}): (tokens: readonly Address[]) => Promise<void> | 'busy' {
  const batches: Batch[] = []
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (batches.length > 0)
      await inTurn(async () => {
        // Not before its turn: until then others join.
        const batch = batches.shift()
        if (batch) await look([...batch.tokens]).then(batch.ended.resolve, batch.ended.reject)
      })
    isRunning = false
  }

  return (tokens) => {
    const same = batches.find((batch) => tokens.every((token) => batch.tokens.has(token)))
    if (same) return same.ended.promise
    const waiting = batches.reduce((sum, batch) => sum + batch.tokens.size, 0)
    if (waiting + tokens.length > mostWaiting) return 'busy'
    const last = batches.at(-1)
    const isRoomy = last && last.tokens.size + tokens.length <= mostAtOnce
    const batch = isRoomy
      ? last
      : { tokens: new Set<Address>(), ended: Promise.withResolvers<void>() }
    if (!isRoomy) batches.push(batch)
    for (const token of tokens) batch.tokens.add(token)
    void run()
    return batch.ended.promise
  }
}
