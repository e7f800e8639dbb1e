import type { BlockRange, Refusal, RefusalKind, SaidNo } from './refusal.ts'
import { codes, phrases, statuses } from './refusalTable.ts'

/** The words count first, then the code, then the status. */
export function classifyRefusal(said: SaidNo): Refusal {
  const kind = findKind(said)
  const { message = '' } = said
  const retryAfterMs = said.retryAfterMs ?? readPause(message)
  const limit = readLimit(kind, message)
  const advised = readAdvice(message)
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

const toNumber = (digits: string | undefined) =>
  digits === undefined ? undefined : Number(digits.replaceAll(',', ''))

/** Where the words name a number. */
const limitWords: ReadonlyMap<RefusalKind, RegExp> = new Map([
  [
    'batch_too_large',
    /(?:more than|limit(?:ed)?(?: of| to| is)?|at most|max\w*(?: of| is| size)?):? ?([\d,]+)/i,
  ],
  ['body_too_large', /(?:limit|max\w*)\D{0,12}([\d,]+)/i],
  [
    'range_too_wide',
    /(?:limited to(?: a)?|limit of|up to(?: a)?|max(?:imum)? block range(?: of)?:?|over|greater than|at most) ?([\d,]+)/i,
  ],
  ['too_many_results', /(?:limit of|more than|max results|exceeds) ([\d,]+)/i],
  ['gas_cap', /(?:cap|limit|max\w*|allowed)\D{0,12}([\d,]{5,})/i],
])

function readLimit(kind: RefusalKind, message: string): number | undefined {
  const limit = toNumber(limitWords.get(kind)?.exec(message)?.[1])
  return limit !== undefined && Number.isSafeInteger(limit) && limit > 0 ? limit : undefined
}

function readAdvice(message: string): BlockRange | undefined {
  const [, hexFrom, hexTo] = /\[(0x[\da-f]{1,16}), ?(0x[\da-f]{1,16})\]/i.exec(message) ?? []
  if (hexFrom && hexTo) return toRange(BigInt(hexFrom), BigInt(hexTo))
  const [, from, to] = /range (\d{1,18})-(\d{1,18})/.exec(message) ?? []
  return from && to ? toRange(BigInt(from), BigInt(to)) : undefined
}

/** Some providers advise ranges that end before they begin. */
const toRange = (from: bigint, to: bigint) => (from <= to ? { from, to } : undefined)

function readPause(message: string): number | undefined {
  const secs = /(?:reset|again|retry) (?:in|after) (\d{1,4}) ?s/i.exec(message)?.[1]
  return secs === undefined ? undefined : Number(secs) * 1_000
}
