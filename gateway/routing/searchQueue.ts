/** Thrown in place of a search that is not run; its message is fit for callers. */
export class SearchRefused extends Error {
  override readonly name = 'SearchRefused'
  /** Nobody waits for it any more. */
  readonly isAbandoned: boolean
  /** Whose search it was. */
  readonly caller: string
  constructor({
    isAbandoned,
    caller = '',
  }: {
    readonly isAbandoned: boolean
    readonly caller?: string | undefined
  }) {
    super(isAbandoned ? 'the caller has left' : 'too many searches are waiting')
    this.isAbandoned = isAbandoned
    this.caller = caller
  }
}

/** Who waits for searches. */
export type Asker = {
  /** Callers take turns. */
  readonly caller?: string | undefined
  /** Whether the caller has left; asked once, before a search that had to wait. */
  readonly isGone?: (() => boolean) | undefined
}

export type Asking = Asker & { readonly chainId: number }

/** Runs searches one after the other; between their slices other requests are answered. */
export type SearchQueue = <result>(search: () => Promise<result>, asking: Asking) => Promise<result>

type Waiter = { readonly start: () => Promise<void>; readonly drop: () => void }
/** By caller, in the order of their turns; none is empty. */
type Lines = Map<string, Waiter[]>

/**
 * Searches of one chain that may wait: about a second of them at the 5 ms that one in twenty takes on
 * 1,000 pools, 13 s should each be as long as the longest (ultra, 50 ms).
 */
const mostWaiting = 256

/**
 * Searches side by side would only slow each other down: all of them are CPU time of this thread. Chains
 * take turns, and at each its callers do: a crowd of one chain or caller stands behind itself. Where too
 * many wait, the newest of the caller with the longest line is refused.
 */
export function createSearchQueue(): SearchQueue {
  const chains = new Map<number, Lines>()
  let isRunning = false

  function takeNext(): Waiter | undefined {
    for (const [chainId, lines] of chains)
      for (const [caller, line] of lines) {
        const first = line.shift()
        // Behind the others from now on.
        chains.delete(chainId)
        lines.delete(caller)
        if (line.length > 0) lines.set(caller, line)
        if (lines.size > 0) chains.set(chainId, lines)
        return first
      }
    return undefined
  }

  async function runAll(): Promise<void> {
    isRunning = true
    for (let next = takeNext(); next; next = takeNext()) await next.start()
    isRunning = false
  }

  return (search, { chainId, caller = '', isGone }) =>
    new Promise((resolve, reject) => {
      const lines = chains.get(chainId) ?? new Map()
      chains.set(chainId, lines)
      const hasToWait = isRunning
      const line = lines.get(caller) ?? []
      lines.set(caller, line)
      line.push({
        start: async () => {
          if (hasToWait && isGone?.())
            return reject(new SearchRefused({ isAbandoned: true, caller }))
          await search().then(resolve, reject)
        },
        drop: () => reject(new SearchRefused({ isAbandoned: false, caller })),
      })
      dropBeyond(mostWaiting, lines)
      if (!isRunning) void runAll()
    })
}

function dropBeyond(most: number, lines: Lines): void {
  const lengths = [...lines.values()].map(({ length }) => length)
  if (lengths.reduce((sum, length) => sum + length, 0) <= most) return
  const longest = Math.max(...lengths)
  // Of equal ones the one whose turn comes last; with one who waits each, who came last.
  const [caller, line] = [...lines].findLast(([, { length }]) => length === longest) ?? []
  line?.pop()?.drop()
  if (caller !== undefined && line?.length === 0) lines.delete(caller)
}

/** What becomes of a request whose search was refused; other errors go on. */
export function toUnavailable(error: unknown): {
  readonly status: 'unavailable'
  readonly reason: string
} {
  if (error instanceof SearchRefused) return { status: 'unavailable', reason: error.message }
  throw error
}

/** Runs a search that several wait for: what fell on who asked for it first is that of the next. */
export async function findShared<result>(
  find: () => Promise<result> | result,
  { caller = '', isGone }: Asker = {},
): Promise<result> {
  for (;;)
    try {
      return await find()
    } catch (error) {
      if (!(error instanceof SearchRefused) || isGone?.()) throw error
      if (!error.isAbandoned && error.caller === caller) throw error
    }
}
