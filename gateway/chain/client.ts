import {
  type Client,
  createClient,
  custom,
  defineChain,
  RpcRequestError,
  type Transport,
  type Chain as ViemChain,
} from 'viem'
import { getChainId } from 'viem/actions'
import type { Chain } from './chains.ts'
import { checkRpcUrl } from './checkRpcUrl.ts'
import { createFailover, type Failover } from './failover.ts'

/** viem wraps what a transport throws. */
export function isCausedBy(
  error: unknown,
  kind: typeof ChainUnavailable | typeof WrongChain,
): boolean {
  if (error instanceof kind) return true
  return error instanceof Error && error.cause !== undefined && isCausedBy(error.cause, kind)
}

/** Thrown when no upstream of a chain answers. */
export class ChainUnavailable extends Error {
  readonly chainId: number
  constructor(chainId: number, reasons: readonly string[]) {
    super(`chain ${chainId} is unreachable (${reasons.join(', ')})`)
    this.name = 'ChainUnavailable'
    this.chainId = chainId
  }
}

/** Thrown when an upstream serves another chain than configured. */
export class WrongChain extends Error {
  constructor({ expected, actual }: { readonly expected: number; readonly actual: number }) {
    super(`the RPC endpoint configured for chain ${expected} serves chain ${actual}`)
    this.name = 'WrongChain'
  }
}

export type ChainClient = {
  readonly chainId: number
  readonly chain: Chain
  /** For functions of `viem/actions`. Calls of one turn of the event loop travel in one batch. */
  readonly client: Client<Transport, ViemChain>
  /** Throws `WrongChain` unless the upstreams that answer serve this chain. */
  checkChainId(): Promise<void>
  /** What an upstream serves instead of this chain; it is asked for nothing else as long as it does. */
  otherChain(): number | undefined
  close(): void
}

/** A chain as viem takes it, without URLs: requests go through a transport of ours. */
export function toViemChain(chain: Chain): ViemChain {
  return defineChain({
    id: chain.chainId,
    name: chain.name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    // viem only needs the field; requests go through our own transport.
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: chain.multicall3 } },
  })
}

/** The name under which upstreams appear in errors, in place of a URL. */
const upstreamName = 'http://upstream'

function createRequest(chainId: number, failover: Failover) {
  return async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    const outcome = await failover.call({ method, params })
    if (outcome.status === 'unreachable') {
      const actual = failover.otherChain()
      if (actual !== undefined && outcome.reasons.includes('other_chain'))
        throw new WrongChain({ expected: chainId, actual })
      throw new ChainUnavailable(chainId, outcome.reasons)
    }
    if ('result' in outcome.answer) return outcome.answer.result
    throw new RpcRequestError({
      body: { method },
      error: outcome.answer.error,
      url: upstreamName,
    })
  }
}

/**
 * A client over one or more upstream URLs of one chain, tried in order: an upstream that fails or
 * answers 429 is left alone for a while. `timeoutMs` bounds each attempt.
 */
export function createChainClient({
  chain,
  rpcUrls,
  trust = 'blind',
  timeoutMs = 5_000,
  maxResponseBytes = 64 * 1024 * 1024,
}: {
  readonly chain: Chain
  readonly rpcUrls: readonly string[]
  /** `shown`: each upstream says which chain it serves before it is asked anything else. */
  readonly trust?: 'blind' | 'shown' | undefined
  readonly timeoutMs?: number | undefined
  readonly maxResponseBytes?: number | undefined
}): ChainClient {
  for (const url of rpcUrls) checkRpcUrl(url)
  const expected = trust === 'shown' ? chain.chainId : undefined
  const failover = createFailover({ chainId: expected, rpcUrls, timeoutMs, maxResponseBytes })
  const client: Client<Transport, ViemChain> = createClient({
    chain: toViemChain(chain),
    transport: custom(
      { request: createRequest(chain.chainId, failover) },
      { key: 'upstreams', name: `${chain.name} upstreams`, retryCount: 0 },
    ),
    pollingInterval: Math.max(50, Math.min(chain.blockTimeMs / 4, 500)),
    cacheTime: 0,
  })
  return {
    chainId: chain.chainId,
    chain,
    client,
    async checkChainId() {
      const answered = await getChainId(client)
      const actual = failover.otherChain() ?? answered
      if (actual !== chain.chainId) throw new WrongChain({ expected: chain.chainId, actual })
    },
    otherChain: failover.otherChain,
    close: failover.close,
  }
}
