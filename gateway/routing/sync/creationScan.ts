import { type Chain, type Client, type Hex, numberToHex, pad, type Transport } from 'viem'
import { type ChainClient, isAway } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { toPoolLog } from '../reads/readHead.ts'
import { type Came, createCreationWitness } from './creationWitness.ts'
import { mostTokens } from './findCreations.ts'
import { createRangeWidth } from './rangeWidth.ts'
import type { TokenBook } from './tokenBook.ts'

/** With less a scan of a chain takes months: its factories have been asked instead. */
const leastBlocks = 500n
/** A chain of 400 million blocks takes days so, and no small tier's day. */
const stepMs = 10_000
/** No exchange, no block. */
const neverMade = Number.MAX_SAFE_INTEGER
const [firstPauseMs, longestPauseMs] = [60_000, 3_600_000]

type Step = {
  readonly logs: readonly PoolLog[]
  /** What these tell of is followed, as far as it is there: the scan goes on before them. */
  readonly done: (came?: Came) => void
}

export type CreationScan = ReturnType<typeof createCreationScan>

/**
 * The creation events of all blocks, the newest first, for nodes that do not give them at once: a request
 * now and then. Where it stands is kept with the pools, so that the next process goes on there, or the next
 * gateway that is elected.
 */
export function createCreationScan({
  dexes,
  tokens,
  now,
}: {
  readonly dexes: readonly Dex[]
  readonly tokens: Pick<TokenBook, 'addresses'>
  readonly now: () => number
}) {
  const names = dexes.map(({ name }) => name).sort()
  /** The newest block that was not looked at yet; undefined where nobody asked for it. */
  let left: bigint | undefined
  let dueAtMs = Number.NEGATIVE_INFINITY
  let pauseMs = firstPauseMs
  const width = createRangeWidth({ least: leastBlocks })
  const witness = createCreationWitness()

  const filters = dexes.flatMap((dex) =>
    familyOf(dex)
      .creations.filter(({ hasTokenTopics }) => hasTokenTopics)
      .map(({ topic }) => ({ dex, topic })),
  )
  const first = BigInt(
    Math.min(...filters.map(({ dex: { deployBlock } }) => deployBlock), neverMade),
  )

  function rest(): void {
    dueAtMs = now() + pauseMs
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }

  return {
    /** Those that count as missing, too: an event of theirs shows that they are there. */
    dexes,
    /** A node did not give the events of all blocks until this one. */
    begin(block: bigint): void {
      left ??= block
    },
    isDue: () => left !== undefined && left >= first && now() >= dueAtMs,
    /** For the store; undefined where there is nothing to keep. */
    place: () => (left === undefined ? undefined : JSON.stringify({ left: String(left), names })),
    /** Goes on where an earlier process was; anew where it had other exchanges. */
    resume(place: string): void {
      const kept = readPlace(place)
      if (kept?.names.join() === names.join()) left = kept.left
    },
    /** The events of some blocks more; undefined while the node gives none. */
    async step({
      client,
      others,
      refused = () => undefined,
    }: {
      readonly client: Client<Transport, Chain>
      readonly others?: ChainClient['others']
      /** Told where an endpoint that was to bear out that there are none does not. */
      readonly refused?: ((error: unknown) => void) | undefined
    }): Promise<Step | undefined> {
      if (left === undefined) return undefined
      const range = width.cut({ from: first, to: left })
      const words = tokens
        .addresses()
        .slice(0, mostTokens)
        .map((token): Hex => pad(token, { size: 32 }))
      const question = {
        address: [...new Set(filters.map(({ dex }) => dex.factory))],
        topics: [[...new Set(filters.map(({ topic }) => topic))], words, words],
      }
      const ask = (whom: typeof client, { from, to }: BlockRange) => {
        const at = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
        return whom.request({ method: 'eth_getLogs', params: [{ ...question, ...at }] })
      }
      dueAtMs = now() + stepMs
      try {
        const answer = await ask(client, range)
        width.gave(range)
        // A node that has let go of its logs tells of none.
        const asked = answer.length === 0 ? (others?.(answer) ?? []) : []
        const more = await witness.hear({ ask, others: asked, range, refused })
        if (more === 'later') rest()
        if (typeof more === 'string') return undefined
        const logs = [...answer, ...more.logs].map(toPoolLog)
        pauseMs = firstPauseMs
        return {
          logs,
          done(came = { pools: 0, vain: 0 }) {
            left = more.range.from - 1n
            if (more.by) witness.weigh(more.by, { came, refused })
          },
        }
      } catch (error) {
        if (isAway(error) || !width.refused(range, findRefusal(error))) rest()
        return undefined
      }
    },
  }
}

function readPlace(place: string) {
  try {
    const { left, names } = JSON.parse(place) as { left: string; names: readonly string[] }
    return { left: BigInt(left), names }
  } catch {
    return undefined
  }
}
