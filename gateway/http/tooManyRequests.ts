import { type HttpError, httpError } from './httpError.ts'

/** A 429 that says, in its header and its body, when the next request is answered. */
export function tooManyRequests(
  retryAfterSecs: number,
  sentence?: string,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return httpError(
    'rateLimited',
    sentence ?? `too many requests; the next one is answered in ${retryAfterSecs} s`,
    {
      headers: { ...headers, 'retry-after': String(retryAfterSecs) },
      extra: { retryAfterSec: retryAfterSecs },
    },
  )
}
