import type { PoolLog } from '../reads/poolLog.ts'
import type { BlockHead, LogFilter } from '../reads/readHead.ts'

type HeardBlock = { readonly head: BlockHead; readonly logs: readonly PoolLog[] }

/** Blocks in a row, and the logs of them that were followed. */
export type HeardPart = {
  readonly filter: LogFilter
  readonly blocks: readonly HeardBlock[]
  /** Who told of them; undefined where nobody knows. */
  readonly teller?: object | undefined
}
type Noted = Pick<HeardPart, 'filter'> & {
  readonly blocks: readonly (HeardBlock & Pick<HeardPart, 'teller'>)[]
}

/** Some of the blocks that were followed, whose logs another endpoint is asked for. */
export type HeardBlocks = {
  note(noted: Noted): void
  /**
   * Those that are to be held against the word of one who is able, each in its turn; none while it is not time for
   * more.
   */
  pick<judge extends object>(
    listAble: (part: HeardPart) => readonly judge[],
  ): Picked<judge> | undefined
  /** Of so many pools it told something else, and so many of them were not what the chain has. */
  done(judge: object, found: { readonly contested: number; readonly healed: number }): void
}

type Picked<judge> = { readonly part: HeardPart; readonly judge: judge }

/** One question. */
const mostBlocks = 15
/** Some megabyte of the answer, which the loop reads in one go. */
const mostLogs = 1_000
/** A node that lags knows the newest of them by then. */
const settleMs = 5_000
/** As long as none were found false: then the blocks that come are looked at, too. */
const everyMs = 30_000
/** Whoever contests what is right has us read pools in vain: it alone is asked ever more rarely. */
const longestMs = 3_600_000
const unasked = { vain: 0, askedAtMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY }

export function createHeardBlocks({ now }: { readonly now: () => number }): HeardBlocks {
  let part: HeardPart | undefined
  /** Whoever tells of a part is not asked for it: with the next teller it has come to its end. */
  let isOver = false
  let [begunAtMs, fullAtMs, dueAtMs] = [0, 0, Number.NEGATIVE_INFINITY]
  /** How often in a row each has contested for nothing, when it was asked, and until when it is not. */
  const judges = new WeakMap<object, typeof unasked>()
  const known = (judge: object) => judges.get(judge) ?? unasked

  function isFull({ blocks }: HeardPart): boolean {
    const logs = blocks.reduce((sum, block) => sum + block.logs.length, 0)
    return isOver || blocks.length >= mostBlocks || logs >= mostLogs
  }

  return {
    note({ filter, blocks }) {
      for (const { teller, ...block } of blocks) {
        if (part ? isFull(part) : now() < dueAtMs) return
        const before = part
        if (!before) begunAtMs = now()
        const last = before?.blocks.at(-1)
        const goesOn = before && last?.head.hash === block.head.parentHash
        isOver = Boolean(goesOn && teller && before.teller && teller !== before.teller)
        if (isOver) return
        part = goesOn
          ? { ...before, blocks: [...before.blocks, block], teller: before.teller ?? teller }
          : { filter, blocks: [block], teller }
        fullAtMs = now()
      }
    },
    pick(listAble) {
      if (!part || !isFull(part) || now() - fullAtMs < settleMs) return undefined
      const picked = part
      part = undefined
      isOver = false
      dueAtMs = begunAtMs + everyMs
      const [judge] = listAble(picked)
        .filter((each) => known(each).untilMs <= now())
        .toSorted((one, other) => known(one).askedAtMs - known(other).askedAtMs)
      if (!judge) return undefined
      judges.set(judge, { ...known(judge), askedAtMs: now() })
      return { part: picked, judge }
    },
    done(judge, { contested, healed }) {
      const vain = contested > 0 && healed === 0 ? known(judge).vain + 1 : 0
      const pauseMs = vain > 0 ? Math.min(everyMs * 2 ** vain, longestMs) : 0
      judges.set(judge, { ...known(judge), vain, untilMs: now() + pauseMs })
      if (healed > 0) dueAtMs = now()
    },
  }
}
