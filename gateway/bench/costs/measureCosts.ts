import { spentOn, type Usage, without } from './readUsage.ts'

export type Work = {
  readonly what: string
  /** How often it does what its row is of. */
  readonly count: number
  /** Another row before it, of which so many came with each. */
  readonly less?: readonly [what: string, times: number]
  /** Bytes of an answer, where there is one. */
  readonly run: () => Promise<number | undefined>
}

export type Cost = {
  readonly what: string
  readonly each: Usage
  /** Bytes that are still alive of each when all is done. */
  readonly keptBytes: number
  readonly bytes: number | undefined
}

type Readers = {
  readonly read: () => Promise<Usage>
  readonly readAlive: () => Promise<number>
}

/**
 * What each of `count` takes of its own. All is done twice: what stays is told by full collections, which
 * are work themselves and have code compiled anew, so that times are those of a first pass without them; by the
 * second caches have what they keep.
 */
export async function measureCosts(
  { read, readAlive }: Readers,
  works: readonly Work[],
): Promise<readonly Cost[]> {
  const spent = new Map<string, { readonly each: Usage; readonly bytes: number | undefined }>()
  for (const { what, count, less, run } of works) {
    const before = await read()
    const bytes = await run()
    const all = spentOn(before, await read(), count)
    const part = less && spent.get(less[0])
    spent.set(what, { each: part ? without(all, part.each, less[1]) : all, bytes })
  }
  const kept = new Map<string, number>()
  let alive = await readAlive()
  for (const { what, count, less, run } of works) {
    await run()
    const now = await readAlive()
    const part = less ? (kept.get(less[0]) ?? 0) * less[1] : 0
    kept.set(what, (now - alive) / count - part)
    alive = now
  }
  return [...spent].map(([what, cost]) => ({ what, ...cost, keptBytes: kept.get(what) ?? 0 }))
}
