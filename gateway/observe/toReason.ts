import { maskUrls } from './maskUrls.ts'

/** Why something failed, in one line for people, without URLs. */
export function toReason(error: unknown): string {
  if (!(error instanceof Error)) return maskUrls(String(error))
  const { message, cause } = error
  // `fetch` says no more than that it failed.
  const isOfFetch = error instanceof TypeError && cause instanceof Error
  return maskUrls(isOfFetch ? `${message}: ${sayCause(cause)}` : message)
}

/** Of several addresses that were tried in vain Node tells the code alone. */
function sayCause({ message, code = '' }: NodeJS.ErrnoException): string {
  return (message || code).trim()
}
