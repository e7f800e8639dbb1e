/** Thrown by a reader whose answer is longer than it may be. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
}

/** Of all that may be read; whoever has read more of an answer reads on alone. */
const shortPart = 8

/**
 * Reads bodies as text up to a number of bytes each. Long ones are read one after the other: all that are
 * under way hold little more than one of them.
 */
export function createCappedReader(maxBytes: number) {
  let lastLong: Promise<void> = Promise.resolve()

  /** Resolves to what lets the next one in. */
  async function takeTurn(): Promise<() => void> {
    const before = lastLong
    const { promise, resolve } = Promise.withResolvers<void>()
    lastLong = promise
    await before
    return resolve
  }

  return async (body: AsyncIterable<Uint8Array>, longest = maxBytes): Promise<string> => {
    const most = Math.min(longest, maxBytes)
    const chunks: Uint8Array[] = []
    let size = 0
    let leave: (() => void) | undefined
    try {
      for await (const chunk of body) {
        size += chunk.byteLength
        // Leaving the loop destroys the stream: the rest is never read.
        if (size > most) throw new TooLong()
        chunks.push(chunk)
        if (size > maxBytes / shortPart) leave ??= await takeTurn()
      }
      return Buffer.concat(chunks).toString('utf8')
    } finally {
      leave?.()
    }
  }
}
