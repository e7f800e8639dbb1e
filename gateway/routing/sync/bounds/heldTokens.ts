/** Which tokens some pools hold, by small numbers, and how many of the pools hold each. */
export type HeldTokens = {
  /** Of these tokens, how many nobody holds. */
  countNew(tokens: readonly number[]): number
  /** One more pool holds these, each once. */
  add(tokens: readonly number[]): void
  remove(tokens: readonly number[]): void
  clear(): void
  size(): number
}

export function createHeldTokens(): HeldTokens {
  const holders: number[] = []
  let size = 0
  const isNew = (token: number) => !holders[token]
  return {
    countNew: (tokens) => tokens.reduce((count, token) => count + Number(isNew(token)), 0),
    add(tokens) {
      for (const token of tokens) {
        if (isNew(token)) size += 1
        holders[token] = (holders[token] ?? 0) + 1
      }
    },
    remove(tokens) {
      for (const token of tokens) {
        holders[token] = (holders[token] ?? 0) - 1
        if (isNew(token)) size -= 1
      }
    },
    clear() {
      holders.length = 0
      size = 0
    },
    size: () => size,
  }
}
