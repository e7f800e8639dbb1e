import { createHash } from 'node:crypto'
import type { Endpoint } from './endpoint.ts'
import type { NodeLimits } from './limits.ts'

/** Where limits are kept between runs, by names that hold nothing of a URL. */
export type LimitBook = {
  read(endpoint: string, learnedSinceMs: number): Promise<string | undefined>
  write(
    endpoint: string,
    learned: { readonly limits: string; readonly atMs: number },
  ): Promise<void>
}

const saveEveryMs = 30_000
/** Plans change: what was refused so long ago is tried again. */
const believedForMs = 7 * 24 * 3_600_000

/** The rate moves all the time: two digits of it are enough. */
function toText({ callsPerSecond, ...sizes }: NodeLimits): string {
  const rate =
    callsPerSecond === undefined ? {} : { callsPerSecond: Number(callsPerSecond.toPrecision(2)) }
  return JSON.stringify({ ...sizes, ...rate })
}

const names = [
  'batchCalls',
  'bodyBytes',
  'callGas',
  'logBlocks',
  'callsPerSecond',
  'namesByNumber',
] as const

/** Another version may have written anything. */
function fromText(text: string): NodeLimits {
  try {
    const read = JSON.parse(text) as Readonly<Record<string, unknown>>
    const known = names.flatMap((name) => {
      const value = read[name]
      return typeof value === 'number' && value > 0 ? [[name, value] as const] : []
    })
    return Object.fromEntries(known)
  } catch {
    return {}
  }
}

/** Begins with what was learned in earlier runs, and keeps what is learned in this one. */
export async function rememberLimits(
  endpoints: readonly Pick<Endpoint, 'url' | 'limits'>[],
  { book, now = Date.now }: { readonly book: LimitBook; readonly now?: (() => number) | undefined },
): Promise<{ close(): Promise<void> }> {
  const kept = endpoints.map(({ url, limits }) => ({
    name: createHash('sha256').update(url).digest('hex').slice(0, 32),
    limits,
    saved: '{}',
  }))

  async function save(): Promise<void> {
    for (const each of kept) {
      const limits = toText(each.limits.read())
      if (limits === each.saved) continue
      // The database is its owner's trouble; the next attempt tries again.
      const isSaved = await book.write(each.name, { limits, atMs: now() }).then(
        () => true,
        () => false,
      )
      if (isSaved) each.saved = limits
    }
  }

  for (const each of kept) {
    const text = await book.read(each.name, now() - believedForMs).catch(() => undefined)
    if (text === undefined) continue
    each.saved = text
    each.limits.recall(fromText(text))
  }
  const saving = setInterval(() => void save(), saveEveryMs).unref()
  return {
    async close() {
      clearInterval(saving)
      await save()
    },
  }
}
