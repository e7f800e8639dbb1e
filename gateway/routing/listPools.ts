import { isQuoted } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { ProbeVerdict } from './reads/probePools.ts'
import type { RoutingChain } from './routingChain.ts'
import type { LeftOutPool } from './sync/troubledPools.ts'

export type ListedPool = {
  readonly record: PoolRecord
  readonly tokens: readonly { readonly address: string; readonly symbol: string | undefined }[]
  readonly isQuoted: boolean
  /** What its last try on the chain came to; undefined where there was none. */
  readonly verdict: ProbeVerdict | undefined
}

export type ListedPools = {
  readonly block: bigint
  readonly total: number
  readonly found: number
  /** Those with the most swaps seen, first. */
  readonly pools: readonly ListedPool[]
  readonly leftOut: readonly LeftOutPool[]
}

/** The followed pools that have all words of a search in their names and addresses; undefined: none is loaded. */
export function listPools(
  { sync, probes }: Pick<RoutingChain, 'sync' | 'probes'>,
  { search, limit }: { readonly search: string; readonly limit: number },
): ListedPools | undefined {
  const state = sync.current()
  if (!state) return undefined
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const symbols = sync.tokens()
  const symbolOf = (token: string) => symbols.get(token.toLowerCase())?.symbol
  const hasAll = (texts: readonly (string | undefined)[]) => {
    const text = texts.join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const found = [...state.pools.values()].filter((record) => {
    const { id, address, dex, protocol, tokens } = record
    return hasAll([id, address, dex, protocol, ...tokens, ...tokens.map(symbolOf)])
  })
  const shown = found.toSorted((one, other) => other.swapsSeen - one.swapsSeen).slice(0, limit)
  return {
    block: state.head.number,
    total: state.pools.size,
    found: found.length,
    pools: shown.map((record) => ({
      record,
      tokens: record.tokens.map((address) => ({ address, symbol: symbolOf(address) })),
      isQuoted: isQuoted(record),
      verdict: probes?.verdictOf(record.id),
    })),
    leftOut: sync
      .leftOutPools()
      .filter(({ dex, pool, reason }) => hasAll([dex, pool, reason]))
      .slice(0, limit),
  }
}
