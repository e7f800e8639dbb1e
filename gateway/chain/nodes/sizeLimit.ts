/** How large a request may be in one respect, as far as refusals have told. */
export type SizeLimit = {
  /** Undefined: nothing was refused, or so long ago that it is tried again. */
  read(): number | undefined
  /** Whether it is what was refused by half, and no number that the node has named. */
  isGuess(): boolean
  /** `size`: what was refused; infinite where that is not known. `named`: the limit by the node's words. */
  refused(what: { readonly size: number; readonly named?: number | undefined }): void
  /** What an earlier run has learned; what this one knows already stands. */
  recall(size: number, how: 'named' | 'guessed'): void
}

/** `times`: how often in a row this very number. */
type Named = { readonly size: number; readonly atMs: number; readonly times: number }
type Guess = { readonly size: number; readonly atMs: number; readonly refusals: number }

/** For so long what was told once stands, and twice as long after each time more. */
const firstCalmMs = 60_000
const longestCalmMs = 3_600_000
const growEveryMs = 10_000
const growth = 1.25
/** Refusals closer together than this are one. */
const oneEventMs = 500

const standsForMs = (times: number) => Math.min(firstCalmMs * 2 ** (times - 1), longestCalmMs)

/**
 * A number that the node has named stands until it names another, or for a while: it may have been a slip, one of
 * many nodes, or a lie, so that it is asked to name it again. One that is guessed grows again after calm, until at
 * `most` it is none: whatever was refused once, by one of many nodes or under a load that has passed, is tried again.
 */
export function createSizeLimit({
  now,
  least,
  most,
}: {
  readonly now: () => number
  readonly least: number
  readonly most: number
}): SizeLimit {
  let named: Named | undefined
  let guess: Guess | undefined

  function guessed(): number {
    if (!guess) return Number.POSITIVE_INFINITY
    const steps = Math.ceil((now() - guess.atMs - standsForMs(guess.refusals)) / growEveryMs)
    const grown = Math.floor(guess.size * growth ** Math.max(0, steps))
    if (grown < most) return grown
    guess = undefined
    return Number.POSITIVE_INFINITY
  }

  const stated = () =>
    named && now() - named.atMs <= standsForMs(named.times) ? named.size : Number.POSITIVE_INFINITY

  const lowest = () => Math.min(stated(), guessed())

  return {
    read: () => (Number.isFinite(lowest()) ? lowest() : undefined),
    isGuess: () => guessed() < stated(),
    refused({ size, named: said }) {
      // A number that would have let it through is not what it was refused for.
      if (said !== undefined && said < size) {
        const stands = Math.max(least, said)
        const before = named?.size === stands ? named : undefined
        const isSame = before !== undefined && now() - before.atMs < oneEventMs
        named = { size: stands, atMs: now(), times: (before?.times ?? 0) + (isSame ? 0 : 1) }
        return
      }
      if (!Number.isFinite(size)) return
      const before = lowest()
      const isSame = guess !== undefined && now() - guess.atMs < oneEventMs
      guess = {
        size: Math.max(least, Math.floor(Math.min(before, size / 2))),
        atMs: now(),
        refusals: (guess?.refusals ?? 0) + (isSame ? 0 : 1),
      }
    },
    recall(size, how) {
      const kept = { size: Math.max(least, Math.floor(size)), atMs: now() }
      if (how === 'named') named ??= { ...kept, times: 1 }
      else guess ??= { ...kept, refusals: 1 }
    },
  }
}
