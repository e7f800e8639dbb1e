import { LRUCache } from 'lru-cache'
import { slice } from 'viem'
import type { Candidate } from './buildBundle.ts'

/**
 * Candidates of a kind that lately needed much gas or time. They are run apart from the others at once,
 * so that whoever sends the same bomb again and again slows nobody but himself.
 */
export type Suspects = {
  readonly has: (candidate: Candidate) => boolean
  readonly add: (candidate: Candidate) => void
  /** It ran like an ordinary swap: what it did before may have been a cold or busy machine. Believed once. */
  readonly acquit: (candidate: Candidate) => void
}

const max = 5_000
const keptMs = 300_000

/** What tells candidates of one contract, function and pair apart; undefined where nothing does. */
export type KindOf = (candidate: Candidate) => string | undefined

export function createSuspects(kindOf: KindOf = () => undefined): Suspects {
  const keyOf = (candidate: Candidate) => nameOf(candidate, kindOf(candidate))
  const known = new LRUCache<string, 'charged' | 'acquitted' | 'relapsed'>({ max, ttl: keptMs })
  return {
    has(candidate) {
      const record = known.get(keyOf(candidate))
      return record === 'charged' || record === 'relapsed'
    },
    add(candidate) {
      const key = keyOf(candidate)
      known.set(key, known.has(key) ? 'relapsed' : 'charged')
    },
    acquit(candidate) {
      const key = keyOf(candidate)
      if (known.get(key) === 'charged') known.set(key, 'acquitted')
    },
  }
}

/** With the tokens, lest a hostile token through a common router puts every swap of that router aside. */
function nameOf({ target, tokenIn, tokenOut, data }: Candidate, kind = ''): string {
  const selector = data.length >= 10 ? slice(data, 0, 4) : '0x'
  return `${target} ${selector} ${tokenIn} ${tokenOut} ${kind}`.toLowerCase()
}
