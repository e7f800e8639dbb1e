/** Resolves after so long; rejects with the signal's reason once that aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, ms)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
  })
}
