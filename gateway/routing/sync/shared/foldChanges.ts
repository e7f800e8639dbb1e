import type { PoolRecord } from '../../protocols/poolRecord.ts'
import type { TokenInfo } from '../../reads/readTokens.ts'
import { applyPoolChange, type FeedChange } from './feedCodec.ts'

/** What changes leave of some pools and tokens: those that differ, and those that went. */
export function foldPools(
  pools: ReadonlyMap<string, PoolRecord>,
  {
    changes,
    dexes,
  }: { readonly changes: readonly FeedChange[]; readonly dexes: ReadonlySet<string> },
) {
  const changed = new Map<string, PoolRecord>()
  const gone = new Set<string>()
  for (const change of changes) {
    for (const id of change.gone.pools) {
      changed.delete(id)
      gone.add(id)
    }
    for (const news of change.pools) {
      const before = gone.has(news.id) ? undefined : pools.get(news.id)
      const after = applyPoolChange(changed.get(news.id) ?? before, news)
      if (!after || !dexes.has(after.dex)) continue
      changed.set(news.id, after)
      gone.delete(news.id)
    }
  }
  return { changed, gone }
}

/** What changes leave of the tokens. */
export function foldTokens(
  tokens: ReadonlyMap<string, TokenInfo>,
  changes: readonly FeedChange[],
): ReadonlyMap<string, TokenInfo> {
  const isQuiet = ({ tokens: news, gone }: FeedChange) => news.length + gone.tokens.length === 0
  if (changes.every(isQuiet)) return tokens
  const next = new Map(tokens)
  for (const { tokens: news, gone } of changes) {
    for (const token of gone.tokens) next.delete(token)
    for (const token of news) next.set(token.address.toLowerCase(), token)
  }
  return next
}
