import {
  type Chain,
  type Client,
  type Hex,
  numberToHex,
  pad,
  type RpcLog,
  type Transport,
} from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { isOfLength, narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange, Refusal } from '../../chain/nodes/refusal.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { toPoolLog } from '../reads/readHead.ts'
import { mostTokens } from './findCreations.ts'
import type { TokenBook } from './tokenBook.ts'

/** At first, and never more. */
const widestBlocks = 1_000_000n
/** With less a scan of a chain takes months: its factories have been asked instead. */
const leastBlocks = 500n
/** Of another endpoint: one that gives fewer at once would hold up the first one's scan for weeks. */
const leastElsewhere = 10_000n
/** A chain of 400 million blocks takes days so, and no small tier's day. */
const stepMs = 10_000
/** No exchange, no block. */
const neverMade = Number.MAX_SAFE_INTEGER
const [firstPauseMs, longestPauseMs] = [60_000, 3_600_000]
/** Of other endpoints in a row: beyond them the first one's word counts alone. */
const mostRefusals = 3
/** By halves it is seven of the widest to the least; one that has always a block too many is narrowed no further. */
const mostNarrowed = 8

type Step = {
  readonly logs: readonly PoolLog[]
  /** What these tell of is followed: the scan goes on before them. */
  readonly done: () => void
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
  let blocks = widestBlocks
  let dueAtMs = Number.NEGATIVE_INFINITY
  let pauseMs = firstPauseMs
  /** Of another endpoint, since it last told. */
  let [refusals, narrowed] = [0, 0]

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

  /** Nodes limit the range by errors of many kinds: a shorter one tells, where it has so many blocks. */
  function narrow(
    range: BlockRange,
    { refusal, least }: { readonly refusal: Refusal | undefined; readonly least: bigint },
  ): boolean {
    const newest = narrowRange(range, refusal).at(-1)
    if (!newest) return false
    const isNamed = refusal?.kind === 'range_too_wide' && refusal.limit !== undefined
    const fewer = lengthOf(newest)
    const next = isNamed || fewer > least ? fewer : least
    if (next < least || next >= lengthOf(range)) return false
    blocks = next
    return true
  }

  /** What another endpoint tells; undefined where it is asked again: for less, or, which is told, after a rest. */
  async function hear(
    saying: Promise<readonly RpcLog[]>,
    { range, refused }: { readonly range: BlockRange; readonly refused: (error: unknown) => void },
  ): Promise<readonly RpcLog[] | undefined> {
    try {
      const said = await saying
      refusals = 0
      narrowed = 0
      return said
    } catch (error) {
      const refusal = findRefusal(error)
      const isTooMuch = isOfLength(refusal) && narrowed < mostNarrowed
      if (isTooMuch && narrow(range, { refusal, least: leastElsewhere })) {
        narrowed += 1
        return undefined
      }
      if (refusals >= mostRefusals) return []
      refusals += 1
      refused(error)
      rest()
      return undefined
    }
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
      const lowest = left - blocks + 1n
      const range = { from: lowest > first ? lowest : first, to: left }
      const words = tokens
        .addresses()
        .slice(0, mostTokens)
        .map((token): Hex => pad(token, { size: 32 }))
      const question = {
        address: [...new Set(filters.map(({ dex }) => dex.factory))],
        topics: [[...new Set(filters.map(({ topic }) => topic))], words, words],
        fromBlock: numberToHex(range.from),
        toBlock: numberToHex(range.to),
      }
      dueAtMs = now() + stepMs
      try {
        const ask = (whom: typeof client) =>
          whom.request({ method: 'eth_getLogs', params: [question] })
        const answer = await ask(client)
        // A node that has let go of its logs tells of none.
        const [other] = answer.length === 0 ? (others?.(answer) ?? []) : []
        const more = other ? await hear(ask(other.client), { range, refused }) : []
        if (!more) return undefined
        const logs = [...answer, ...more].map(toPoolLog)
        blocks = range.to - range.from + 1n + blocks / 8n
        if (blocks > widestBlocks) blocks = widestBlocks
        pauseMs = firstPauseMs
        return {
          logs,
          done() {
            left = range.from - 1n
          },
        }
      } catch (error) {
        if (!narrow(range, { refusal: findRefusal(error), least: leastBlocks })) rest()
        return undefined
      }
    },
  }
}

const lengthOf = ({ from, to }: BlockRange) => to - from + 1n

function readPlace(place: string) {
  try {
    const { left, names } = JSON.parse(place) as { left: string; names: readonly string[] }
    return { left: BigInt(left), names }
  } catch {
    return undefined
  }
}
