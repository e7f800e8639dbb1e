import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'

export type HotQuestion = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly mode?: 'deep' | 'ultra' | undefined
}

/** Questions that come again block after block, by how many ask them. */
export type HotQuestions = {
  /** Somebody asked. What is searched ahead is not told here: demand never feeds itself. */
  note(question: HotQuestion, site: string): void
  /** Other pools from here on: whoever asks again counts again. */
  nextBlock(): void
  /** The hottest first. Each counts as searched in vain until it is asked again. */
  take(): Generator<HotQuestion>
}

type Hot = {
  readonly question: HotQuestion
  /** Who asked it first. */
  readonly site: string
  heat: number
  heatedMs: number
  /** Searched so often since it was last asked. */
  unasked: number
  block: number
  /** Who asked in this block. */
  readonly sites: Set<string>
}

/** Asked in one block only, so far: one that is made up, or anybody's first. */
const mostSeen = 1_024
const mostHot = 256
/** A question that nobody asks any more costs two searches. */
const mostUnasked = 2
const halfLifeMs = 30_000
/** A site counts once a block; so many of them make a question hot enough. */
const mostSites = 16

/**
 * A question is hot once it was asked in two blocks. Where places run out, whoever brought most questions
 * loses the coldest of them: a flood of made-up ones displaces its own.
 */
export function createHotQuestions({ now }: { readonly now: () => number }): HotQuestions {
  const seen = new LRUCache<string, number>({ max: mostSeen })
  const hot = new Map<string, Hot>()
  let block = 0

  const heatOf = ({ heat, heatedMs }: Hot) => heat * 2 ** ((heatedMs - now()) / halfLifeMs)
  const coldest = (some: readonly [string, Hot][]) =>
    some.reduce<[string, Hot] | undefined>(
      (least, one) => (least && heatOf(least[1]) <= heatOf(one[1]) ? least : one),
      undefined,
    )

  function makeRoom(): void {
    const bySite = [...Map.groupBy(hot, ([, { site }]) => site).values()]
    const most = Math.max(...bySite.map(({ length }) => length))
    const goes = coldest(bySite.filter(({ length }) => length === most).flat())
    if (goes) hot.delete(goes[0])
  }

  return {
    note(question, site) {
      const { tokenIn, tokenOut, amountIn, mode } = question
      const key = [tokenIn, tokenOut, amountIn, mode].join(':').toLowerCase()
      const known = hot.get(key)
      if (!known) {
        const first = seen.get(key)
        seen.set(key, first ?? block)
        if (first === undefined || first === block) return
        seen.delete(key)
        const once = { heat: 1, heatedMs: now(), unasked: 0, block, sites: new Set([site]) }
        const kept = { tokenIn, tokenOut, amountIn, mode }
        hot.set(key, { question: kept, site, ...once })
        if (hot.size > mostHot) makeRoom()
        return
      }
      known.unasked = 0
      if (known.block !== block) known.sites.clear()
      known.block = block
      if (known.sites.has(site) || known.sites.size >= mostSites) return
      known.sites.add(site)
      known.heat = heatOf(known) + 1
      known.heatedMs = now()
    },
    nextBlock() {
      block += 1
    },
    *take() {
      const all = [...hot].map(([key, each]) => ({ key, each, heat: heatOf(each) }))
      for (const { key, each } of all.sort((one, other) => other.heat - one.heat)) {
        each.unasked += 1
        if (each.unasked > mostUnasked) hot.delete(key)
        else yield each.question
      }
    },
  }
}
