import { type Address, isAddress } from 'viem'
import type { Sought } from '../discoveryQueue.ts'

/** What gateways tell each other of a chain's feed, beside what stands in it. */
export type FeedMessage =
  /** Something was written. */
  | { readonly kind: 'wrote' }
  /** Please look for the pools of these tokens. */
  | {
      readonly kind: 'wanted'
      readonly tokens: readonly Address[]
      /** What they may have pools with, beside the usual ones. */
      readonly beside: readonly Address[]
    }
  /** Callers asked for these tokens. */
  | { readonly kind: 'asked'; readonly tokens: readonly Address[] }
  /** Their pools are in the feed at this number, as far as there are any. */
  | { readonly kind: 'looked'; readonly tokens: readonly Address[]; readonly seq: number }

/** Whatever else is said there, by another version or another program, is news to look up. */
export function readMessage(payload: string): FeedMessage {
  try {
    const message = JSON.parse(payload) as Partial<Record<'tokens' | 'beside' | 'seq', unknown>> &
      Partial<Pick<FeedMessage, 'kind'>>
    const { kind, tokens, beside, seq } = message
    if (!areAddresses(tokens)) return { kind: 'wrote' }
    // A gateway of an earlier version names none.
    if (kind === 'wanted') return { kind, tokens, beside: areAddresses(beside) ? beside : [] }
    if (kind === 'asked') return { kind, tokens }
    if (kind === 'looked' && typeof seq === 'number') return { kind, tokens, seq }
  } catch {
    // No JSON: not ours.
  }
  return { kind: 'wrote' }
}

function areAddresses(tokens: unknown): tokens is readonly Address[] {
  return Array.isArray(tokens) && tokens.every((token) => isAddress(token, { strict: false }))
}

/** A message has room for 8,000 bytes. */
const mostTokens = 100
const mostBeside = 16
const askAgainMs = 500
/** Questions under way; whoever comes after them comes again later. */
const mostWaiting = 64
/** A quote waits no longer for pools that another gateway looks for. */
const longestWaitMs = 3_000

type Waiting = {
  readonly tokens: readonly Address[]
  readonly done: (seq: number | undefined) => void
}

/** Where a follower asks the elected gateway for pools of tokens nobody has asked for before. */
export function createDiscoveryDesk({ tell }: { readonly tell: (message: FeedMessage) => void }) {
  const waiting = new Set<Waiting>()

  return {
    /** The feed's number that has their pools; undefined when nobody answers in time. */
    ask(wanted: Sought): Promise<number | undefined> {
      if (waiting.size >= mostWaiting) return Promise.resolve(undefined)
      const tokens = wanted.tokens.slice(0, mostTokens)
      const beside = wanted.beside.slice(0, mostBeside)
      const message: FeedMessage = { kind: 'wanted', tokens, beside }
      return new Promise((resolve) => {
        const done = (seq: number | undefined) => {
          clearInterval(asking)
          clearTimeout(patience)
          waiting.delete(entry)
          resolve(seq)
        }
        const entry: Waiting = { tokens, done }
        waiting.add(entry)
        // Who is asked may change, or not be there yet.
        const asking = setInterval(() => tell(message), askAgainMs)
        const patience = setTimeout(() => done(undefined), longestWaitMs)
        tell(message)
      })
    },
    answered({ tokens, seq }: { readonly tokens: readonly Address[]; readonly seq: number }) {
      for (const { tokens: wanted, done } of [...waiting])
        if (wanted.every((token) => tokens.includes(token))) done(seq)
    },
    close() {
      for (const { done } of [...waiting]) done(undefined)
    },
  }
}
