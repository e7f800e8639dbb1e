/** How a promise ended, as a value. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown }

export function settle<T>(work: Promise<T>): Promise<Settled<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}
