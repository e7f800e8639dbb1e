/**
 * Shares one call among all who ask while another one runs: it begins when that has ended, so that what it tells
 * is no older than anybody's question.
 */
export function createShareNext<answer>(ask: () => Promise<answer>): () => Promise<answer> {
  let running: Promise<unknown> | undefined
  let next: Promise<answer> | undefined
  function begin(): Promise<answer> {
    next = undefined
    const begun = ask()
    const ended = begun.then(
      () => undefined,
      () => undefined,
    )
    running = ended
    void ended.then(() => {
      if (running === ended) running = undefined
    })
    return begun
  }
  return () => {
    if (!running) return begin()
    next ??= running.then(begin)
    return next
  }
}
