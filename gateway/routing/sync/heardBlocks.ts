import type { PoolLog } from '../reads/poolLog.ts'
import type { BlockHead, LogFilter } from '../reads/readHead.ts'

/** Blocks in a row, and the logs of them that were followed. */
export type HeardPart = {
  readonly filter: LogFilter
  readonly blocks: readonly { readonly head: BlockHead; readonly logs: readonly PoolLog[] }[]
}

/** Some of the blocks that were followed, whose logs another endpoint is asked for. */
export type HeardBlocks = {
  note(part: HeardPart): void
  /** Those that are to be held against another's word; none while it is not time for more. */
  pick(): HeardPart | undefined
  /** Of so many pools another was told, and so many of them were not what the chain has. */
  done(found: { readonly contested: number; readonly healed: number }): void
}

/** One question. */
const mostBlocks = 15
/** Some megabyte of the answer, which the loop reads in one go. */
const mostLogs = 1_000
/** A node that lags knows the newest of them by then. */
const settleMs = 5_000
/** As long as none were found false: then the blocks that come are looked at, too. */
const everyMs = 30_000
/** Whoever contests what is right has us read pools in vain. */
const longestMs = 3_600_000
/** Each endpoint has its turn: what another does not contest makes up for a part of what was in vain. */
const madeUp = 0.25

export function createHeardBlocks({ now }: { readonly now: () => number }): HeardBlocks {
  let part: HeardPart | undefined
  let [begunAtMs, fullAtMs, dueAtMs] = [0, 0, Number.NEGATIVE_INFINITY]
  /** Parts that were contested for nothing, less what was made up for since. */
  let vain = 0

  function isFull({ blocks }: HeardPart): boolean {
    const logs = blocks.reduce((sum, block) => sum + block.logs.length, 0)
    return blocks.length >= mostBlocks || logs >= mostLogs
  }

  return {
    note({ filter, blocks }) {
      for (const block of blocks) {
        if (part ? isFull(part) : now() < dueAtMs) return
        const before = part
        if (!before) begunAtMs = now()
        const last = before?.blocks.at(-1)
        part =
          before && last?.head.hash === block.head.parentHash
            ? { ...before, blocks: [...before.blocks, block] }
            : { filter, blocks: [block] }
        fullAtMs = now()
      }
    },
    pick() {
      if (!part || !isFull(part) || now() - fullAtMs < settleMs) return undefined
      const picked = part
      part = undefined
      dueAtMs = begunAtMs + everyMs
      return picked
    },
    done({ contested, healed }) {
      const isVain = contested > 0 && healed === 0
      vain = healed > 0 ? 0 : Math.max(0, vain + (isVain ? 1 : -madeUp))
      if (healed > 0) dueAtMs = now()
      else if (isVain) dueAtMs = now() + Math.min(everyMs * 2 ** vain, longestMs)
    },
  }
}
