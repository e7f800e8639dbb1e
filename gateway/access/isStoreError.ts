/** A refusal of the disk or the database (full, read-only, locked), not a mistake of ours. */
export function isStoreError(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return (
    typeof code === 'string' &&
    /^(SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN)|STORE_UNAVAILABLE)/.test(code)
  )
}
