import { hash } from 'node:crypto'
import type { Hex } from 'viem'
import type { Quote } from './finishQuote.ts'
import type { QuoteParameters } from './quoteRequest.ts'
import { nameOptions } from './routeOptions.ts'

export type KeptQuote = {
  readonly hash: Hex
  readonly askedAtMs: number
  readonly parameters: QuoteParameters
  /** What gas was taken to cost. */
  readonly gasPriceWei: bigint
  /** Without its payload, the greater part of it, and without alternatives, which explain nothing. */
  readonly quote: Quote
}

/** Quotes of the last minutes, for whoever asked for them to ask why. */
export type QuoteBook = {
  keep(caller: string, kept: Omit<KeptQuote, 'hash' | 'askedAtMs'>): Hex
  find(caller: string, hash: string): KeptQuote | undefined
}

export const keptMs = 600_000
/** A caller's oldest go first, so that who asks for thousands forgets his own; and those of who has most. */
export const mostOfCaller = 128
export const mostKept = 2_048

/** `now` in milliseconds since 1970. */
export function createQuoteBook({
  now = Date.now,
}: {
  readonly now?: () => number
} = {}): QuoteBook {
  /** The oldest first. */
  const kept = new Map<string, KeptQuote>()
  const keysOf = new Map<string, Set<string>>()

  function drop(caller: string, key: string) {
    kept.delete(key)
    const keys = keysOf.get(caller)
    keys?.delete(key)
    if (keys?.size === 0) keysOf.delete(caller)
  }

  function makeRoom(caller: string) {
    const own = keysOf.get(caller)
    const [oldest] = own && own.size >= mostOfCaller ? own : []
    if (oldest !== undefined) drop(caller, oldest)
    for (const [key, { askedAtMs }] of kept) {
      if (now() - askedAtMs < keptMs) break
      drop(callerIn(key), key)
    }
    if (kept.size >= mostKept) dropOfBusiest()
  }

  function dropOfBusiest() {
    let most: readonly [caller: string, keys: ReadonlySet<string>] | undefined
    for (const entry of keysOf) if (!most || entry[1].size > most[1].size) most = entry
    const [oldest] = most?.[1] ?? []
    if (most && oldest !== undefined) drop(most[0], oldest)
  }

  return {
    keep(caller, facts) {
      const askedAtMs = now()
      const name = hashQuote(caller, { ...facts, askedAtMs })
      const key = toKey(caller, name)
      drop(caller, key)
      makeRoom(caller)
      const quote = { ...facts.quote, execution: undefined, alternatives: undefined }
      kept.set(key, { ...facts, hash: name, askedAtMs, quote })
      keysOf.set(caller, (keysOf.get(caller) ?? new Set()).add(key))
      return name
    },
    find(caller, name) {
      const found = kept.get(toKey(caller, name.toLowerCase()))
      return found && now() - found.askedAtMs < keptMs ? found : undefined
    },
  }
}

const hashLength = 66
const toKey = (caller: string, name: string) => name + caller
const callerIn = (key: string) => key.slice(hashLength)

/** The same question, answered the same on the same block in the same second, is the same quote. */
function hashQuote(
  caller: string,
  { parameters, quote, askedAtMs }: Omit<KeptQuote, 'hash' | 'gasPriceWei'>,
): Hex {
  const { chainId, tokenIn, tokenOut, amountIn, taker, slippageBps, options } = parameters
  const asked = [chainId, tokenIn, tokenOut, amountIn, taker, slippageBps, nameOptions(options)]
  const { amountOut, minAmountOut, lastSyncBlock, readiness } = quote
  const answered = [amountOut, minAmountOut, lastSyncBlock, readiness]
  const second = Math.floor(askedAtMs / 1000)
  return `0x${hash('sha256', [caller, ...asked, ...answered, second].join())}`
}
