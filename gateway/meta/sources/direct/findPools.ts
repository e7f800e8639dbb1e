import type { Address, Hex } from 'viem'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import { type BatchCall, decodeResult, readBatch } from '../../provider/readBatch.ts'
import type { DirectDex } from './directSource.ts'

/** How long a pair's list of pools is believed. */
const poolsTtlMs = 60_000
const maxPairs = 20_000

/** Tokens along a path and, between each two, what its pool is found by. */
export type Path<key> = { readonly tokens: readonly Address[]; readonly keys: readonly key[] }

/** How an exchange is asked for the pools of a pair. */
export type PoolFinder<key> = {
  readonly keysOf: (dex: DirectDex) => readonly key[]
  readonly askPool: (
    dex: DirectDex,
    p: { readonly a: Address; readonly b: Address; readonly key: key },
  ) => BatchCall
  /** True when the answer names a pool. May throw on other bytes: that is none. */
  readonly isPool: (data: Hex) => boolean
}

type Pair = readonly [Address, Address]

/** Token paths of one and two hops, the shortest first. */
export function findPaths(
  tokenIn: Address,
  tokenOut: Address,
  hubTokens: readonly Address[],
): readonly (readonly Address[])[] {
  const hubs = hubTokens.filter(
    (hub) => !isSameAddress(hub, tokenIn) && !isSameAddress(hub, tokenOut),
  )
  return [[tokenIn, tokenOut], ...hubs.map((hub) => [tokenIn, hub, tokenOut])]
}

function pairsOf(paths: readonly (readonly Address[])[]): readonly Pair[] {
  return paths.flatMap((tokens) =>
    tokens.slice(1).flatMap((b, at): readonly Pair[] => {
      const a = tokens[at]
      return a ? [[a, b]] : []
    }),
  )
}

/** Lists paths over existing pools; what exists between two tokens is read in one call and kept a while. */
export function createPathLister<key>(
  finder: PoolFinder<key>,
  { now }: { readonly now: () => number },
) {
  const known = new Map<string, { readonly keys: readonly key[]; readonly readAtMs: number }>()
  const idOf = (dex: DirectDex, [a, b]: Pair) =>
    [dex.reader.client.chain.id, dex.factory, ...[a, b].map((t) => t.toLowerCase()).sort()].join()

  async function readPairs(dex: DirectDex, pairs: readonly Pair[], signal: AbortSignal) {
    const oldest = now() - poolsTtlMs
    const missing = pairs.filter(
      (pair) => (known.get(idOf(dex, pair))?.readAtMs ?? -Infinity) <= oldest,
    )
    const all = finder.keysOf(dex)
    const calls = missing.flatMap(([a, b]) => all.map((key) => finder.askPool(dex, { a, b, key })))
    const results = await readBatch(dex.reader, { calls, signal })
    if (known.size > maxPairs) known.clear()
    for (const [index, pair] of missing.entries()) {
      const keys = all.filter(
        (_, at) => decodeResult(results[index * all.length + at], finder.isPool) === true,
      )
      known.set(idOf(dex, pair), { keys, readAtMs: now() })
    }
  }

  return async function listPaths(
    dex: DirectDex,
    {
      tokenPaths,
      signal,
    }: { readonly tokenPaths: readonly (readonly Address[])[]; readonly signal: AbortSignal },
  ): Promise<readonly Path<key>[]> {
    await readPairs(dex, pairsOf(tokenPaths), signal)
    return tokenPaths.flatMap((tokens): readonly Path<key>[] => {
      const choices = pairsOf([tokens]).map((pair) => known.get(idOf(dex, pair))?.keys ?? [])
      const combined = choices.reduce<readonly (readonly key[])[]>(
        (ways, keys) => ways.flatMap((way) => keys.map((key) => [...way, key])),
        [[]],
      )
      return combined.map((keys) => ({ tokens, keys }))
    })
  }
}

/** `token[key]>token`, as `route` shows it. */
export function describePath<key>(
  { tokens, keys }: Path<key>,
  label: (key: key) => string,
): string {
  return tokens
    .map((token, at) => {
      const key = keys[at - 1]
      return key === undefined ? token : `[${label(key)}]>${token}`
    })
    .join('')
}
