import type { Mainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import type { BookedPool } from '../../../../fixtures/nodes/mainnet/pools/createPoolBook.ts'
import { idOf } from '../../../../fixtures/nodes/mainnet/pools/createPoolBook.ts'
import type { PoolState } from '../../../../fixtures/nodes/mainnet/pools/pool.ts'

/** State of the pool of that id (lower case); undefined where there was none. */
export type StateOf = (id: string) => PoolState | undefined
type Orphaned = {
  /** The newest block that stayed. */
  readonly base: number
  readonly head: number
  /** Of each pool that the orphaned blocks had changed or made: all that it had been. */
  readonly versions: ReadonlyMap<string, BookedPool['versions']>
  readonly made: ReadonlyMap<string, BookedPool>
}

/** A made-up chain that remembers what its orphaned blocks had made of its pools. */
export function createPast(mainnet: Mainnet) {
  const { book } = mainnet
  const orphaned: Orphaned[] = []

  /** As the chain was before the reorganisation of this place, or is, where there was none since. */
  function stateAt(place: number, id: string, block: number): PoolState | undefined {
    const gone = orphaned[place]
    if (!gone) {
      const pool = book.get(id)
      return pool && book.stateAt(pool, block)
    }
    const versions = block > gone.base ? gone.versions.get(id) : undefined
    if (versions) return versions.findLast((version) => version.block <= block)?.state
    return stateAt(place + 1, id, Math.min(block, gone.base))
  }

  /** As it was made, orphaned or not: what of it never changes. */
  function poolOf(id: string): BookedPool | undefined {
    return book.get(id) ?? orphaned.findLast(({ made }) => made.has(id))?.made.get(id)
  }

  return {
    reorgs: () => orphaned.length,
    poolOf,
    async reorg(depth: number): Promise<void> {
      const head = mainnet.head().number
      const base = head - depth
      const changed = book.all.filter(({ versions }) => (versions.at(-1)?.block ?? 0) > base)
      const versions = new Map(changed.map((pool) => [idOf(pool), [...pool.versions]]))
      const made = new Map(
        changed.filter(({ createdBlock }) => createdBlock > base).map((pool) => [idOf(pool), pool]),
      )
      await mainnet.reorg(depth)
      orphaned.push({ base, head, versions, made })
    },
    /** Of every block that ever had this number. */
    statesAt(block: number): readonly StateOf[] {
      const heads = [...orphaned.map(({ head }) => head), mainnet.head().number]
      return heads.flatMap((head, place) =>
        block <= head ? [(id: string) => stateAt(place, id, block)] : [],
      )
    },
  }
}
export type Past = ReturnType<typeof createPast>
