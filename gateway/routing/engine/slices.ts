/** A request that needs no search waits no longer than this for all that do. */
const usualMs = 2
/** Where others hold the event loop for longer, they wait half as long as they held it, and so long at most. */
const longestMs = 10

/** Shares the event loop out between searches, which have one slice of each of its turns together, and the rest. */
export type Slices = {
  /** Does work piece by piece in such slices, next to others' in turns; `worked` is told how long each took. */
  run<result>(
    pieces: Iterator<undefined, result>,
    worked?: ((ms: number) => void) | undefined,
  ): Promise<result>
}

export function createSlices({
  now,
  leastMs = usualMs,
  mostMs = longestMs,
}: {
  readonly now: () => number
  readonly leastMs?: number | undefined
  readonly mostMs?: number | undefined
}): Slices {
  /** Whoever had a slice stands behind the others. */
  const waiting: (() => void)[] = []
  let lengthMs = leastMs
  let usedMs = 0
  let leftAtMs = 0
  /** What others took of this turn before its last search. */
  let heldMs = 0
  let isPlanned = false

  const isOver = () => usedMs >= lengthMs
  const wakeNext = () => waiting.shift()?.()

  /** What came since the last slice was others' turn. */
  function begin(): void {
    isPlanned = false
    usedMs = 0
    // Nobody waits in a loop at rest.
    const othersMs = waiting.length > 0 ? heldMs + now() - leftAtMs : 0
    heldMs = 0
    lengthMs = Math.max(leastMs, Math.min(othersMs / 2, mostMs))
    wakeNext()
  }
  function planNext(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(begin)
  }
  function wait(): Promise<void> {
    planNext()
    return new Promise((resolve) => {
      waiting.push(resolve)
    })
  }

  return {
    async run(pieces, worked) {
      for (;;) {
        if (isOver()) await wait()
        const enteredAtMs = now()
        // The first of a turn begins it.
        if (isPlanned) heldMs += enteredAtMs - leftAtMs
        planNext()
        const untilMs = enteredAtMs + lengthMs - usedMs
        try {
          let step = pieces.next()
          while (!step.done && now() < untilMs) step = pieces.next()
          if (step.done) return step.value
        } finally {
          leftAtMs = now()
          const tookMs = leftAtMs - enteredAtMs
          usedMs += tookMs
          if (!isOver()) wakeNext()
          worked?.(tookMs)
        }
      }
    },
  }
}
