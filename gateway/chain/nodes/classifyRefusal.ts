import {
  type BlockRange,
  longestPauseMs,
  type Refusal,
  type RefusalKind,
  type SaidNo,
} from './refusal.ts'
import { codes, phrases, statuses } from './refusalTable.ts'

/** The words count first, then the code, then the status. */
export function classifyRefusal(said: SaidNo): Refusal {
  const kind = findKind(said)
  const { message = '' } = said
  const retryAfterMs = said.retryAfterMs ?? readPause(message)
  const advised = readAdvice(message)
  // What would be answered says more than words about it.
  const isTold = advised && kind === 'range_too_wide'
  const limit = isTold ? Number(advised.to - advised.from + 1n) : readLimit(kind, message)
  return {
    kind,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(limit !== undefined && { limit }),
    ...(advised && { advised }),
  }
}

function findKind({ status, code, message }: SaidNo): RefusalKind {
  const byWords = message && phrases.find(([, words]) => words.test(message))
  if (byWords) return byWords[0]
  const byCode = code !== undefined && codes.find(([, numbers]) => numbers.includes(code))
  // A code that says "wrong request" says less than a status that says why.
  if (byCode && byCode[0] !== 'invalid_request') return byCode[0]
  const byStatus = status !== undefined && statuses.find(([, all]) => all.includes(status))
  return (byStatus || byCode || undefined)?.[0] ?? 'failed'
}

/** `10,000`, `2K`, `1.5 M`, `5MB`. */
const count = String.raw`(\d[\d,]*(?:\.\d+)? ?[km]?)(?:i?b)?\b`
const after = (words: string, named = count) => new RegExp(`(?:${words}) ?${named}`, 'i')

/** Where the words name a number. */
const limitWords: ReadonlyMap<RefusalKind, RegExp> = new Map([
  [
    'batch_too_large',
    after(
      String.raw`(?:more than|limit(?:ed)?(?: of| to| is)?|at most|max\w*(?: of| is| size)?):?`,
    ),
  ],
  ['body_too_large', after(String.raw`(?:limit|max\w*)\D{0,12}`)],
  [
    'range_too_wide',
    after(
      [
        'limited to(?: an?| 0 -)?',
        'limit of',
        'up to(?: an?)?',
        'over',
        'greater than',
        'at most',
        'not exceed',
        String.raw`\(\d+ >`,
        'max(?:imum)?(?: allowed)?(?: number of requested blocks| block)?(?: range)?(?: is(?: set to)?| of| =|:)?',
      ].join('|'),
    ),
  ],
  [
    'too_many_results',
    after('limit of|more than|max results|exceeds|cap of|max logs per response is'),
  ],
  [
    'gas_cap',
    after(String.raw`(?:cap|limit|max\w*|allowed)\D{0,12}`, String.raw`([\d,]{5,}|[\d.]+ ?m)\b`),
  ],
])

function readLimit(kind: RefusalKind, message: string): number | undefined {
  const limit = toNumber(limitWords.get(kind)?.exec(message)?.[1])
  return limit !== undefined && Number.isSafeInteger(limit) && limit > 0 ? limit : undefined
}

function toNumber(named: string | undefined): number | undefined {
  if (named === undefined) return undefined
  const thousands = ['k', 'm'].indexOf(named.slice(-1).toLowerCase()) + 1
  return Math.round(Number.parseFloat(named.replaceAll(',', '')) * 1_000 ** thousands)
}

const rangeWords = [/\[(0x[\da-f]{1,16}), ?(0x[\da-f]{1,16})\]/i, /range (\d{1,18})-(\d{1,18})/]

function readAdvice(message: string): BlockRange | undefined {
  const [, from, to] = rangeWords.map((words) => words.exec(message)).find(Boolean) ?? []
  return from && to ? toRange(BigInt(from), BigInt(to)) : undefined
}

/** Some providers advise ranges that end before they begin. */
const toRange = (from: bigint, to: bigint) => (from <= to ? { from, to } : undefined)

function readPause(message: string): number | undefined {
  const secs = /(?:reset|again|retry) (?:in|after) (\d{1,4}) ?s/i.exec(message)?.[1]
  return secs === undefined ? undefined : Math.min(Number(secs) * 1_000, longestPauseMs)
}
