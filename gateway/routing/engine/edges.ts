import type { EnginePool } from '../protocols/maths/enginePool.ts'

/** One direction of one pool: tokens by their index in the market, and by their index in the pool. */
export type Edge = { pool: number; from: number; to: number; i: number; j: number }

/** Edges as columns, sorted by (from, to). */
export type Edges = Readonly<Record<keyof Edge, Int32Array>>

export function toColumns(edges: readonly Edge[]): Edges {
  const pick = (key: keyof Edge) => Int32Array.from(edges, (edge) => edge[key])
  return { pool: pick('pool'), from: pick('from'), to: pick('to'), i: pick('i'), j: pick('j') }
}

/** Both directions of every two tokens of each pool, sorted by (from, to). */
export function listEdges(
  pools: readonly EnginePool[],
  tokenIndex: Pick<ReadonlyMap<string, number>, 'get'>,
): Edge[] {
  const edges: Edge[] = []
  for (const [pool, { tokens }] of pools.entries())
    for (const [i, tokenIn] of tokens.entries())
      for (const [j, tokenOut] of tokens.entries())
        if (tokenIn !== tokenOut)
          edges.push({
            pool,
            from: tokenIndex.get(tokenIn) ?? 0,
            to: tokenIndex.get(tokenOut) ?? 0,
            i,
            j,
          })
  return edges.sort((one, other) => one.from - other.from || one.to - other.to)
}

/** Old edges in their order, each new one behind those of its pair; `before` is where each one stood. */
export function mergeEdges(
  old: Edges,
  { place, came }: { readonly place: Int32Array; readonly came: readonly Edge[] },
): { readonly edges: Edges; readonly before: Int32Array } {
  const edgeCount = old.pool.length
  const most = edgeCount + came.length
  const column = () => new Int32Array(most)
  const [pool, from, to, i, j] = [column(), column(), column(), column(), column()]
  const before = column().fill(-1)
  let at = 0
  let next = 0
  for (let edge = 0; edge <= edgeCount; edge++) {
    // Behind the last one there is room for all the rest.
    const ownFrom = edge < edgeCount ? (old.from[edge] as number) : Number.POSITIVE_INFINITY
    const ownTo = edge < edgeCount ? (old.to[edge] as number) : Number.POSITIVE_INFINITY
    for (let one = came[next]; one; one = came[next]) {
      if (one.from > ownFrom || (one.from === ownFrom && one.to >= ownTo)) break
      pool[at] = one.pool
      from[at] = one.from
      to[at] = one.to
      i[at] = one.i
      j[at] = one.j
      at += 1
      next += 1
    }
    const ownPool = edge < edgeCount ? (place[old.pool[edge] as number] as number) : -1
    if (ownPool < 0) continue
    pool[at] = ownPool
    from[at] = ownFrom
    to[at] = ownTo
    i[at] = old.i[edge] as number
    j[at] = old.j[edge] as number
    before[at] = edge
    at += 1
  }
  const cut = (whole: Int32Array) => whole.subarray(0, at)
  const edges = { pool: cut(pool), from: cut(from), to: cut(to), i: cut(i), j: cut(j) }
  return { edges, before: cut(before) }
}
