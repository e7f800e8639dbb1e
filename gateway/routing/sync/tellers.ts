import type { ChainClient } from '../../chain/client.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'

/** Who told of these blocks; undefined where nobody knows. */
export type ToldRange = BlockRange & { readonly teller: object | undefined }

/** Notes which endpoint tells of which blocks. */
export function createTellers(tellerOf: ChainClient['tellerOf']) {
  const told: ToldRange[] = []
  return {
    told,
    heard(answer: object, { from, to }: BlockRange): void {
      told.push({ from, to, teller: tellerOf?.(answer) })
    },
  }
}

export const tellerAt = (told: readonly ToldRange[], block: bigint): object | undefined =>
  told.find(({ from, to }) => from <= block && block <= to)?.teller

/** The oldest of these blocks, as far as one endpoint told of them. */
export function firstRun(told: readonly ToldRange[], { from, to }: BlockRange): ToldRange {
  const teller = tellerAt(told, from)
  const last = told
    .filter((range) => range.from > from && range.teller !== teller)
    .reduce((least, range) => (range.from <= least ? range.from - 1n : least), to)
  return { from, to: last, teller }
}
