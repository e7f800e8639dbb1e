import type { Address } from 'viem'
import { toEngineToken } from './quoteRequest.ts'
import { chunk } from './reads/chunk.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { sampleOf } from './taxBook.ts'

/** Where the state behind a quote came from. */
export type QuoteSource = 'local' | 'path_hint' | 'rpc'

export type PreparedState = {
  readonly state: SyncedState
  /** Tokens of the engine whose pools were read for this very request. */
  readonly read: ReadonlySet<string>
}
export type Prepared =
  | ({ readonly status: 'ok' } & PreparedState)
  | { readonly status: 'unavailable'; readonly reason: string }

/** Unknown tokens of one request that are looked for at once. */
const mostTokens = 16

/** A state that knows all these tokens and their taxes, reading from the chain at once what is missing. */
export async function prepareState(
  chain: RoutingChain,
  tokens: readonly Address[],
): Promise<Prepared> {
  const followed = await chain.sync.fresh()
  if (!followed) return { status: 'unavailable', reason: 'the chain has not been read yet' }
  const wanted = [...new Set(tokens.map((token) => toEngineToken(chain, token) as Address))]
  chain.sync.asked(wanted)
  const found = await discover(chain, { followed, wanted })
  if (found.status === 'unavailable') return found
  const samples = wanted
    .filter((token) => chain.taxes.get(token) === undefined && !isHub(chain, token))
    .flatMap((token) => chain.sync.tokens().get(token) ?? [])
    .map(sampleOf)
  if (samples.length === 0 || !(await chain.taxes.measure(samples))) return found
  return { ...found, state: (await chain.sync.reprice(wanted)) ?? found.state }
}

/** What everything is traded for takes no tax; it is measured, too, but the first quotes do not wait for a fork. */
const isHub = ({ chainClient: { chain } }: RoutingChain, token: string) =>
  chain.hubTokens.some((hub) => hub.toLowerCase() === token)

/** Whoever could not look has no answer: none of the tokens counts as sought then. */
async function discover(
  { sync, sought }: RoutingChain,
  { followed, wanted }: { readonly followed: SyncedState; readonly wanted: readonly Address[] },
): Promise<Prepared> {
  const isKnown = (token: string, { market }: SyncedState) => market.tokenIndex.has(token)
  // A token may have been looked for without what this request would trade it for.
  const others = wanted.filter((token) => isKnown(token, followed))
  const nameLook = (token: string) => [token, ...others].join()
  const unknown = wanted.filter(
    (token) => !isKnown(token, followed) && sought.isDue(nameLook(token)),
  )
  if (unknown.length === 0) return { status: 'ok', state: followed, read: new Set() }
  const unavailable = (reason: string) => ({ status: 'unavailable', reason }) as const
  let state = followed
  // Some at a time: a batch of many leaves places to those of others.
  for (const tokens of chunk(unknown, mostTokens)) {
    const looked = await sync.discover(tokens, others).catch(() => undefined)
    if (!looked) return unavailable('the chain did not answer')
    if (looked.status === 'busy')
      return unavailable('too many new tokens are waiting to be looked for')
    sought.add(tokens.map(nameLook))
    state = looked.state ?? state
  }
  return { status: 'ok', state, read: new Set(unknown.filter((token) => isKnown(token, state))) }
}

/** A chain's clock may run ahead of ours (a lab chain's does when its time is moved). */
export function clockSecs({ head: { timestampSecs } }: Pick<SyncedState, 'head'>): bigint {
  const ours = BigInt(Math.floor(Date.now() / 1000))
  return ours > timestampSecs ? ours : timestampSecs
}

/** Where the state behind a quote of these tokens came from, when nothing was read anew since. */
export function sourceOf(
  chain: RoutingChain,
  { read }: PreparedState,
  tokens: readonly Address[],
): QuoteSource {
  return tokens.some((token) => read.has(toEngineToken(chain, token))) ? 'rpc' : 'local'
}
