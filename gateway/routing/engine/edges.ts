import type { EnginePool } from '../protocols/maths/enginePool.ts'

/** One direction of one pool: tokens by their index in the market, and by their index in the pool. */
export type Edge = { pool: number; from: number; to: number; i: number; j: number }

/** Edges as columns, sorted by (from, to). */
export type Edges = {
  readonly pool: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  /** A byte each: see `mostTokens`. */
  readonly i: Uint8Array
  readonly j: Uint8Array
}

export function toColumns(edges: readonly Edge[]): Edges {
  return {
    pool: Int32Array.from(edges, ({ pool }) => pool),
    from: Int32Array.from(edges, ({ from }) => from),
    to: Int32Array.from(edges, ({ to }) => to),
    i: Uint8Array.from(edges, ({ i }) => i),
    j: Uint8Array.from(edges, ({ j }) => j),
  }
}

/** Of a pool that can be gone through; the largest pools of any exchange have 50. */
export const mostTokens = 256

/** Both directions of every two tokens of each pool, sorted by (from, to). */
export function listEdges(
  pools: readonly EnginePool[],
  tokenIndex: Pick<ReadonlyMap<string, number>, 'get'>,
): Edge[] {
  const edges: Edge[] = []
  for (const [pool, { tokens }] of pools.entries()) {
    if (tokens.length > mostTokens) continue
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
  }
  return edges.sort((one, other) => one.from - other.from || one.to - other.to)
}

/** So many edges that stood side by side, and still do. */
export type Run = { readonly before: number; readonly after: number; readonly count: number }

type Merged = {
  readonly edges: Edges
  readonly runs: readonly Run[]
}

/**
 * Old edges in their order without those that go, each new one behind those of its pair. It costs what comes
 * and goes, and a copy of the rest.
 */
export function mergeEdges(
  old: Edges,
  {
    gone,
    came,
  }: {
    /** Where those stand that go, rising. */
    readonly gone: readonly number[]
    /** Sorted by (from, to). */
    readonly came: readonly Edge[]
  },
): Merged {
  const runs: Run[] = []
  const places: number[] = []
  let [before, after] = [0, 0]
  const keepUntil = (end: number) => {
    if (end > before) runs.push({ before, after, count: end - before })
    after += end - before
    before = end
  }
  let next = 0
  const insertUntil = (end: number) => {
    for (let edge = came[next]; edge; edge = came[next]) {
      const place = placeBehind(old, edge)
      if (place > end) break
      keepUntil(place)
      places.push(after)
      after += 1
      next += 1
    }
  }
  for (const edge of gone) {
    insertUntil(edge)
    keepUntil(edge)
    before = edge + 1
  }
  insertUntil(old.pool.length)
  keepUntil(old.pool.length)
  const fill = <column extends Uint8Array | Int32Array>(whole: column, key: keyof Edge) => {
    for (const [index, edge] of came.entries()) whole[places[index] as number] = edge[key]
    return whole
  }
  const numbers = (key: 'pool' | 'from' | 'to') =>
    fill(copyRuns(new Int32Array(after), old[key], runs), key)
  const bytes = (key: 'i' | 'j') => fill(copyRuns(new Uint8Array(after), old[key], runs), key)
  const [pool, from, to] = [numbers('pool'), numbers('from'), numbers('to')]
  return { edges: { pool, from, to, i: bytes('i'), j: bytes('j') }, runs }
}

/** Of `width` numbers an edge. */
export function copyRuns<column extends Uint8Array | Int32Array | Float64Array>(
  into: column,
  from: column,
  runs: readonly Run[],
  width = 1,
): column {
  for (const { before, after, count } of runs)
    into.set(from.subarray(width * before, width * (before + count)), width * after)
  return into
}

/** Behind all edges of its pair, and of those before. */
function placeBehind({ from, to }: Edges, edge: Edge): number {
  let [low, high] = [0, from.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const order = (from[middle] as number) - edge.from || (to[middle] as number) - edge.to
    if (order <= 0) low = middle + 1
    else high = middle
  }
  return low
}
