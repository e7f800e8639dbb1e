import { chunk } from './reads/chunk.ts'
import type { ChainSync } from './sync/chainSync.ts'
import { sampleOf, type TaxBook } from './taxBook.ts'

/** Measures the taxes of what is traded anew, now and then, beside the quotes: none waits for it. */
export type TaxWatch = {
  /** A route was answered through pools of these tokens. */
  traded(tokens: readonly string[]): void
}

/** Dry runs of one request to the simulator. */
const batchSize = 16

export function createTaxWatch({
  taxes,
  sync,
  failed,
}: {
  readonly taxes: Pick<TaxBook, 'isOld' | 'remeasure'>
  readonly sync: Pick<ChainSync, 'tokens' | 'reprice'>
  readonly failed: (error: unknown) => void
}): TaxWatch {
  const due = new Set<string>()
  let isMeasuring = false

  async function measureDue() {
    for (const tokens of chunk([...due], batchSize)) {
      const samples = tokens.flatMap((token) => sync.tokens().get(token) ?? []).map(sampleOf)
      const changed = await taxes.remeasure(samples)
      if (changed.length > 0) await sync.reprice(changed.map((token) => token.toLowerCase()))
    }
  }
  return {
    traded(tokens) {
      if (isMeasuring) return
      for (const token of tokens) if (taxes.isOld(token)) due.add(token)
      if (due.size === 0) return
      isMeasuring = true
      measureDue()
        .catch(failed)
        .finally(() => {
          due.clear()
          isMeasuring = false
        })
    },
  }
}
