import type { Address } from 'viem'
import type { Simulator } from '../../simulator/simulator.ts'
import { isNative } from '../chain/native.ts'
import type { RouteOptions } from './routeOptions.ts'
import type { RoutingChain } from './routingChain.ts'
import type { Asker } from './searchQueue.ts'

export type RoutingMode = 'deep' | 'ultra'

export type QuoteParameters = {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** `auto`: from what the route's pools did lately. */
  readonly slippageBps: number | 'auto'
  /** Receives the output; whoever sends the transaction when absent. */
  readonly taker?: Address | undefined
  readonly allowPartial?: boolean | undefined
  /** Dry-runs the payload before answering. */
  readonly verify?: boolean | undefined
  readonly mode?: RoutingMode | undefined
  readonly options?: RouteOptions | undefined
  /** Until when the payload can be sent, by the chain's clock. */
  readonly deadlineSecs?: bigint | undefined
  /** Most quotes through other pools to answer beside the best. */
  readonly alternatives?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** In whose turn searches run; a signal for every quote would show in the tail of the latency. */
  readonly asker?: Asker | undefined
}

export type QuoteDeps = {
  readonly chains: ReadonlyMap<number, RoutingChain>
  readonly simulator: Simulator | undefined
  /** Monotonic, for deadlines. */
  readonly now: () => number
  /** Beyond this lag a quote is not executable. */
  readonly maxLagMs: number
  /** How long a quote waits for strangers' pools to be tried where it has another route. Default: 250. */
  readonly patienceMs?: number | undefined
}

/** Lower-case address by which the engine knows a token: native counts as its wrapped form. */
export function toEngineToken(chain: RoutingChain, token: Address): string {
  const { wrappedNative } = chain.chainClient.chain
  return (isNative(token) ? wrappedNative : token).toLowerCase()
}

/** Native currency is wrapped by itself and never taxed. */
export function taxOf(chain: RoutingChain, token: Address): number {
  return isNative(token) ? 0 : (chain.taxes.get(token.toLowerCase()) ?? 0)
}

/** True where two spellings name one token. */
export function isSameToken(one: Address, other: Address): boolean {
  if (isNative(one) && isNative(other)) return true
  return one.toLowerCase() === other.toLowerCase()
}
