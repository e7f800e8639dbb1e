/** Thrown in place of a search that is not run; its message is fit for callers. */
export class SearchRefused extends Error {
  override readonly name = 'SearchRefused'
  /** Nobody waits for it any more. */
  readonly isAbandoned: boolean
  constructor({ isAbandoned }: { readonly isAbandoned: boolean }) {
    super(isAbandoned ? 'the caller has left' : 'too many searches are waiting')
    this.isAbandoned = isAbandoned
  }
}

export type Asking = {
  readonly chainId: number
  /** Whether the caller has left; asked once, before a search that had to wait. */
  readonly isGone?: (() => boolean) | undefined
}

/** Runs searches one after the other; between their slices other requests are answered. */
export type SearchQueue = <result>(search: () => Promise<result>, asking: Asking) => Promise<result>

/**
 * Searches of one chain that may wait: about a second of them at the 5 ms that one in twenty takes on
 * 1,000 pools, 13 s should each be as long as the longest (ultra, 50 ms).
 */
const mostWaiting = 256

/**
 * Searches side by side would only slow each other down: all of them are CPU time of this thread. Chains
 * take turns, so that a crowd at one does not hold up the other.
 */
export function createSearchQueue(): SearchQueue {
  const lines = new Map<number, (() => Promise<void>)[]>()
  let isRunning = false

  function takeNext(): (() => Promise<void>) | undefined {
    for (const [chainId, line] of lines) {
      const first = line.shift()
      if (!first) continue
      // Behind the others from now on.
      lines.delete(chainId)
      lines.set(chainId, line)
      return first
    }
    return undefined
  }

  async function runAll(): Promise<void> {
    isRunning = true
    for (let next = takeNext(); next; next = takeNext()) await next()
    isRunning = false
  }

  return (search, { chainId, isGone }) =>
    new Promise((resolve, reject) => {
      const line = lines.get(chainId) ?? []
      lines.set(chainId, line)
      if (line.length >= mostWaiting) return reject(new SearchRefused({ isAbandoned: false }))
      const hasToWait = isRunning
      line.push(async () => {
        if (hasToWait && isGone?.()) return reject(new SearchRefused({ isAbandoned: true }))
        await search().then(resolve, reject)
      })
      if (!isRunning) void runAll()
    })
}

/** What becomes of a request whose search was refused; other errors go on. */
export function toUnavailable(error: unknown): {
  readonly status: 'unavailable'
  readonly reason: string
} {
  if (error instanceof SearchRefused) return { status: 'unavailable', reason: error.message }
  throw error
}

/** Runs a search that several wait for: when who asked for it left, it is that of the next. */
export async function findShared<result>(
  find: () => Promise<result> | result,
  { isGone }: Pick<Asking, 'isGone'>,
): Promise<result> {
  for (;;)
    try {
      return await find()
    } catch (error) {
      if (!(error instanceof SearchRefused && error.isAbandoned) || isGone?.()) throw error
    }
}
