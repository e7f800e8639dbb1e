/**
 * Shares one running call among all who ask for the same key while it runs. Nothing is kept after it
 * ends, so no answer is older than the call that brought it.
 */
export function createCoalesce<value>() {
  const running = new Map<string, Promise<value>>()
  return (key: string, call: () => Promise<value>): Promise<value> => {
    const shared = running.get(key)
    if (shared) return shared
    const own = call().finally(() => running.delete(key))
    running.set(key, own)
    return own
  }
}
