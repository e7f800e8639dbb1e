/** Tokens that callers asked for lately, the latest last. */
export type AskedTokens = {
  /** Those of them that nobody had asked for. */
  note(tokens: readonly string[]): readonly string[]
  /** Part of the time that a question counts which is left; 0: nobody asked, or long ago. */
  recency(token: string): number
}

const countsForMs = 30 * 60_000
/** Beyond it the ones asked for longest ago are forgotten. */
const mostKnown = 4_096

export function createAskedTokens({ now }: { readonly now: () => number }): AskedTokens {
  const askedAtMs = new Map<string, number>()
  const recency = (token: string) => {
    const atMs = askedAtMs.get(token)
    return atMs === undefined ? 0 : Math.max(0, 1 - (now() - atMs) / countsForMs)
  }

  return {
    note(tokens) {
      const fresh = tokens.filter((token) => recency(token) === 0)
      for (const token of tokens) {
        askedAtMs.delete(token)
        askedAtMs.set(token, now())
      }
      for (const token of askedAtMs.keys()) {
        if (askedAtMs.size <= mostKnown) break
        askedAtMs.delete(token)
      }
      return fresh
    },
    recency,
  }
}
