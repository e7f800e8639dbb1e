import type { Hex } from 'viem'
import type { ReadFailure } from './poolRef.ts'

const wordChars = 64
const selectorChars = 10

/**
 * Which of some pools failing questions were about: the contract that was asked, or else the first of
 * their names in the question. Names behind it may be anybody's: a pool holds what its maker likes.
 */
export function noteFailures(ids: ReadonlySet<string>) {
  const failed = new Map<string, ReadFailure>()

  function* namesIn(target: string, data: Hex): Generator<string> {
    yield target.toLowerCase()
    for (let at = selectorChars; at < data.length; at += wordChars) {
      const word = data.slice(at, at + wordChars).toLowerCase()
      // An address, an id of a pool that begins with its address, or an id of its own kind.
      yield `0x${word.slice(-40)}`
      yield `0x${word.slice(0, 40)}`
      yield `0x${word}`
    }
  }

  return {
    failed,
    note({ target, data }: { target: string; data: Hex }, failure: ReadFailure): void {
      for (const name of namesIn(target, data)) {
        if (!ids.has(name)) continue
        // What a pool lacks, or is not yet, says less than a view that burns all it is given.
        const known = failed.get(name)
        const isGrave = failure !== 'reverted' && failure !== 'unopened'
        if (isGrave || known === undefined || known === 'reverted') failed.set(name, failure)
        return
      }
    },
  }
}
