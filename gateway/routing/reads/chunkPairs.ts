import { chunk } from './chunk.ts'

/**
 * All pairs of an item of `a` and one of `b`, in groups of at most `size` pairs: as square as they can be,
 * since a group is as long to write down as its two sides together.
 */
export function chunkPairs<item>(
  { a, b }: { readonly a: readonly item[]; readonly b: readonly item[] },
  size: number,
): { readonly a: item[]; readonly b: item[] }[] {
  const side = Math.max(1, Math.floor(Math.sqrt(size)))
  const most = Math.max(side, Math.floor(size / b.length))
  // Parts of one length, not many and a rest.
  const rows = Math.max(1, Math.ceil(a.length / Math.ceil(a.length / most)))
  const columns = Math.max(1, Math.floor(size / rows))
  return chunk(a, rows).flatMap((part) => chunk(b, columns).map((other) => ({ a: part, b: other })))
}
