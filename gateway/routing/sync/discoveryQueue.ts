import type { Address } from 'viem'

/** Looked for in one go: about one call to each factory. */
const mostAtOnce = 16
/** Four goes, of two or three round trips each: whoever comes after them comes again later. */
const mostWaiting = 64

/** Tokens to look for, and those that they may have pools with, beside the usual ones. */
export type Sought = { readonly tokens: readonly Address[]; readonly beside: readonly Address[] }

type Batch = {
  readonly tokens: Set<Address>
  readonly beside: Set<Address>
  readonly ended: PromiseWithResolvers<void>
}

/**
 * Tokens that wait until their pools are looked for, those of many callers in one go. `inTurn` runs one
 * thing after the other; between two goes it has room for whatever else waits there.
 */
export function createDiscoveryQueue({
  inTurn,
  look,
}: {
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  readonly look: (sought: Sought) => Promise<void>
}): (sought: Sought) => Promise<void> | 'busy' {
  const batches: Batch[] = []
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (batches.length > 0)
      await inTurn(async () => {
        // Not before its turn: until then others join.
        const batch = batches.shift()
        if (!batch) return
        const sought = { tokens: [...batch.tokens], beside: [...batch.beside] }
        await look(sought).then(batch.ended.resolve, batch.ended.reject)
      })
    isRunning = false
  }

  return ({ tokens, beside }) => {
    const same = batches.find(
      (batch) =>
        tokens.every((token) => batch.tokens.has(token)) &&
        beside.every((token) => batch.beside.has(token)),
    )
    if (same) return same.ended.promise
    const waiting = batches.reduce((sum, batch) => sum + batch.tokens.size, 0)
    if (waiting + tokens.length > mostWaiting) return 'busy'
    const last = batches.at(-1)
    const isRoomy =
      last &&
      last.tokens.size + tokens.length <= mostAtOnce &&
      last.beside.size + beside.length <= mostAtOnce
    const batch = isRoomy ? last : createBatch()
    if (!isRoomy) batches.push(batch)
    for (const token of tokens) batch.tokens.add(token)
    for (const token of beside) batch.beside.add(token)
    void run()
    return batch.ended.promise
  }
}

const createBatch = (): Batch => ({
  tokens: new Set(),
  beside: new Set(),
  ended: Promise.withResolvers(),
})
