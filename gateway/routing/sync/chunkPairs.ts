import { chunk } from './chunk.ts'

/** All pairs of an item of `a` and one of `b`, in groups of at most `size` pairs. */
export function chunkPairs<item>(
  { a, b }: { readonly a: readonly item[]; readonly b: readonly item[] },
  size: number,
): { readonly a: item[]; readonly b: item[] }[] {
  return chunk(b, Math.max(1, size)).flatMap((columns) =>
    chunk(a, Math.max(1, Math.floor(size / columns.length))).map((rows) => ({
      ...{ a: rows, b: columns },
    })),
  )
}
