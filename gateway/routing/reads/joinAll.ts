/**
 * What all of them come to, once none is under way any more: where one fails, whoever begins anew has the rest of the
 * others beside it no more.
 */
export async function joinAll<const works extends readonly Promise<unknown>[]>(
  works: works,
): Promise<{ -readonly [place in keyof works]: Awaited<works[place]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
