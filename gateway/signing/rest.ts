/**
 * Leaves something that failed alone for a while: who asks meanwhile is told so at once, since waiting for it
 * one after the other is how a silent helper holds everybody up.
 */
export function createRest({
  restMs,
  now,
}: {
  readonly restMs: number
  readonly now: () => number
}): <value>(ask: () => Promise<value>) => Promise<value> {
  let restsUntilMs = Number.NEGATIVE_INFINITY
  return async (ask) => {
    if (now() < restsUntilMs) throw new Error('the key service is left alone for some seconds')
    try {
      return await ask()
    } catch (cause) {
      restsUntilMs = now() + restMs
      throw cause
    }
  }
}
