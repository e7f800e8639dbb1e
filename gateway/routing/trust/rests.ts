/** Pools that are left alone for a while, each time for longer. */
export type Rests = {
  add(ids: readonly string[]): void
  ids(): readonly string[]
  /** Another number after each change. */
  version(): number
}

type Rest = { readonly count: number; readonly untilMs: number }

const firstMs = 60_000
const growth = 4
const longestMs = 6 * 3_600_000
/** Who was quiet for so long begins anew. */
const forgottenMs = 24 * 3_600_000
const mostKept = 10_000

export function createRests({ now }: { readonly now: () => number }): Rests {
  const rests = new Map<string, Rest>()
  let version = 0
  let resting: readonly string[] = []
  let nextMs = Number.POSITIVE_INFINITY

  function look() {
    const atMs = now()
    resting = [...rests].flatMap(([id, { untilMs }]) => (untilMs > atMs ? [id] : []))
    nextMs = Math.min(
      Number.POSITIVE_INFINITY,
      ...resting.map((id) => rests.get(id)?.untilMs ?? Number.POSITIVE_INFINITY),
    )
    version += 1
  }

  return {
    add(ids) {
      const atMs = now()
      if (ids.length === 0) return
      if (rests.size + ids.length > mostKept) forget(rests, atMs)
      for (const id of ids) {
        const last = rests.get(id)
        const count = last && atMs - last.untilMs < forgottenMs ? last.count + 1 : 0
        const lengthMs = Math.min(longestMs, firstMs * growth ** count)
        rests.set(id, { count, untilMs: atMs + lengthMs })
      }
      look()
    },
    ids() {
      if (now() >= nextMs) look()
      return resting
    },
    version() {
      if (now() >= nextMs) look()
      return version
    },
  }
}

/** Those that rest no more; all, where that does not help. */
function forget(rests: Map<string, Rest>, atMs: number) {
  for (const [id, { untilMs }] of rests) if (untilMs <= atMs) rests.delete(id)
  if (rests.size >= mostKept) rests.clear()
}
