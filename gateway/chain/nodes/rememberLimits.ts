import { createHash } from 'node:crypto'
import type { Endpoint } from './endpoint.ts'
import { type NodeLimits, sizeNames } from './limits.ts'

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

/** The rate, and what was guessed, move all the time: two digits of them are enough. */
function toText({ guessed = [], ...limits }: NodeLimits): string {
  const moving = ['callsPerSecond', ...guessed] as const
  const rounded = moving.flatMap((name) => {
    const value = limits[name]
    return value === undefined ? [] : [[name, Number(value.toPrecision(2))] as const]
  })
  return JSON.stringify({
    ...limits,
    ...Object.fromEntries(rounded),
    ...(guessed.length > 0 && { guessed }),
  })
}

const names = [...sizeNames, 'callsPerSecond', 'rateFound', 'namesByNumber'] as const

/** Another version may have written anything. */
function fromText(text: string): NodeLimits {
  try {
    const read = JSON.parse(text) as Readonly<Record<string, unknown>>
    const known = names.flatMap((name) => {
      const value = read[name]
      return typeof value === 'number' && value > 0 ? [[name, value] as const] : []
    })
    const marked: unknown = read['guessed']
    const guessed = sizeNames.filter((name) => Array.isArray(marked) && marked.includes(name))
    return { ...Object.fromEntries(known), guessed }
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
