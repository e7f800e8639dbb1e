/** Whoever waits for the first state of a chain; each no longer than `longestMs`. */
export function createStartWaiters({ longestMs }: { readonly longestMs: number }) {
  const waiting = new Set<(error?: unknown) => void>()

  return {
    wait(): Promise<void> {
      return new Promise((resolve, reject) => {
        const end = (error?: unknown) => {
          clearTimeout(patience)
          waiting.delete(end)
          if (error === undefined) resolve()
          else reject(error)
        }
        const patience = setTimeout(() => end(new Error('nobody reads the chain')), longestMs)
        waiting.add(end)
      })
    },
    /** There is a state, or a reason why there is none. */
    end(error?: unknown): void {
      for (const end of [...waiting]) end(error)
    },
  }
}
