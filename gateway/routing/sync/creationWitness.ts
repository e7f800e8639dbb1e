import type { RpcLog } from 'viem'
import type { Witness } from '../../chain/client.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { isOfLength } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange, Refusal } from '../../chain/nodes/refusal.ts'
import { pickEnds } from '../reads/pickEnds.ts'
import { createRangeWidth } from './rangeWidth.ts'

/** One that gives fewer at once would hold up the first one's scan for weeks. */
const leastBlocks = 10_000n
/** In a row: beyond them the first one's word counts alone. */
const mostRefusals = 3
/** By halves it is seven of the widest to the least; one that has always a block too many is narrowed no further. */
const mostNarrowed = 8
/** Of one range: whoever makes them up has no more pools read for it. */
const mostTold = 256
const tooMany: Refusal = { kind: 'too_many_results' }
/** In all, beside as many that were pools: each is read, and now and then again. */
const mostVain = 1_024

type Question = {
  readonly ask: (whom: Witness['client'], range: BlockRange) => Promise<readonly RpcLog[]>
  /** Those that have not told of these blocks. */
  readonly others: readonly Pick<Witness, 'client'>[]
  /** In which the first tells of none. */
  readonly range: BlockRange
  /** Told where one that was to bear that out does not. */
  readonly refused: (error: unknown) => void
}
/** Of the newest blocks of the range, or of all. */
type Word = {
  readonly range: BlockRange
  readonly logs: readonly RpcLog[]
  /** Whose it is, where another than the first was asked. */
  readonly by?: Witness['client']
}
/** `narrower`, `later`: it is asked again, for less or, which is told, after a rest. */
type Heard = Word | 'narrower' | 'later'

/** What creations came to that were told of, and not known before. */
export type Came = { readonly pools: number; readonly vain: number }

/** Another endpoint than the first, of creations of which that one tells nothing: it may have let go of its logs. */
export function createCreationWitness() {
  const width = createRangeWidth({ least: leastBlocks })
  /** Since it last told. */
  let [refusals, narrowed] = [0, 0]
  /** Of each, the creations that came to nothing, less those that were of pools. */
  const vains = new WeakMap<Witness['client'], number>()
  const vainOf = (client: Witness['client']) => vains.get(client) ?? 0

  function narrow(range: BlockRange, refusal: Refusal | undefined): boolean {
    if (narrowed >= mostNarrowed || !width.refused(range, refusal)) return false
    narrowed += 1
    return true
  }

  return {
    async hear({ ask, others, range: whole, refused }: Question): Promise<Heard> {
      const client = others.find((other) => vainOf(other.client) < mostVain)?.client
      if (!client) return { range: whole, logs: [] }
      const range = width.cut(whole)
      try {
        const logs = await ask(client, range)
        // All at once, one that refuses three times of four would have each range wait for minutes.
        refusals = Math.max(0, refusals - 1)
        const isTooMuch = logs.length > mostTold
        if (isTooMuch && narrow(range, tooMany)) return 'narrower'
        if (isTooMuch)
          refused(new Error(`another endpoint tells of ${logs.length} creations at once`))
        narrowed = 0
        width.gave(range)
        return { range, logs: pickEnds(logs, mostTold), by: client }
      } catch (error) {
        const refusal = findRefusal(error)
        if (isOfLength(refusal) && narrow(range, refusal)) return 'narrower'
        if (refusals >= mostRefusals) return { range: whole, logs: [] }
        refusals += 1
        refused(error)
        return 'later'
      }
    },
    /** Whoever tells of too many that are none is not asked again. */
    weigh(
      client: Witness['client'],
      { came, refused }: Pick<Question, 'refused'> & { readonly came: Came },
    ): void {
      const before = vainOf(client)
      const after = Math.max(0, before + came.vain - came.pools)
      vains.set(client, after)
      if (before < mostVain && after >= mostVain)
        refused(new Error(`another endpoint told of ${after} creations that are none`))
    },
  }
}
