import type { Address } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import type { Log } from '../http/serviceOptions.ts'
import type { DeployedProxy } from './simulateQuotes.ts'

type FindProxyDeps = {
  readonly clientOf: (chainId: number) => ChainClient | undefined
  readonly log: Log
}

const maxKnown = 10_000

/**
 * Whether a proxy is deployed, and since which block at the latest: a fork that is older would not
 * know it yet. Remembered, because code at an address never goes away again.
 */
export function createFindProxy({ clientOf, log }: FindProxyDeps) {
  const known = new Map<string, DeployedProxy>()
  return async function findProxy({
    chainId,
    address,
    signal,
  }: {
    readonly chainId: number
    readonly address: Address
    readonly signal: AbortSignal
  }): Promise<DeployedProxy | undefined> {
    const key = `${chainId}:${address}`
    const hit = known.get(key)
    if (hit) return hit
    const client = clientOf(chainId)?.client
    if (!client) return undefined
    try {
      const [code, block] = await Promise.all([
        client.request({ method: 'eth_getCode', params: [address, 'latest'] }, { signal }),
        client.request({ method: 'eth_blockNumber' }, { signal }),
      ])
      if (code === undefined || code === '0x') return undefined
      const found = { address, sinceBlock: BigInt(block) }
      if (known.size >= maxKnown) known.clear()
      known.set(key, found)
      return found
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, chainId }, 'could not read the code of a proxy')
      return undefined
    }
  }
}
