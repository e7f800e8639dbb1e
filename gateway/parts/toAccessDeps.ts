import type { AccessDeps } from '../access/sale/accessConfig.ts'
import { amountPerQuote } from '../access/sale/amountPerQuote.ts'
import { createSettlementSigner } from '../access/x402/settlementSigner.ts'
import type { ChainClient } from '../chain/client.ts'
import type { ChainConfig, Config } from '../config/config.ts'
import type { Log } from '../observe/log.ts'
import { steadyNow } from '../signing/bookClock.ts'
import type { DigestKey } from '../signing/digestKey.ts'
import { createFillSigner } from '../signing/fillSigner.ts'
import type { Store } from '../store/ports.ts'
import { baseUrl } from './baseUrl.ts'

/** Quotes in one x402 top-up. */
const packQuotes = 1_000

/** Quota contracts of the chains where quota is sold; x402 payments are settled where a relayer key is. */
function toQuotaContracts({ chains, claims }: Config, keys: ReadonlyMap<number, DigestKey>) {
  return chains.flatMap((config) => {
    const { chain, quotaManager: address, settlementLimits: limits } = config
    if (!address) return []
    const { chainId, usdc: token } = chain
    const key = keys.get(chainId)
    const contract = {
      chainId,
      address,
      token,
      confirmations: claims.confirmations,
      finalizedFrom: claims.finalizedAbove,
    }
    if (!key) return [contract]
    const place = { chainId, token: token.address, payTo: address }
    const maxStuckFeeWei = findStuckCeiling(config)
    const signer = createSettlementSigner({ ...place, maxFeeWei: maxStuckFeeWei, key })
    const kept = {
      ...contract,
      upkeep: { signer, limits: { ...config.upkeepLimits, maxStuckFeeWei } },
      ...(config.proxyFactory ? {} : { filler: createFillSigner({ chainId, key }) }),
    }
    const { usdPerNative } = config
    return [
      limits
        ? { ...kept, settlement: { signer, limits: { ...limits, usdPerNative, maxStuckFeeWei } } }
        : kept,
    ]
  })
}

/** One key's transactions are mined in their order: the dearest of them says what the first may cost. */
function findStuckCeiling({ proxyFactory, relayLimits, upkeepLimits }: ChainConfig): bigint {
  const { maxFeeWei } = upkeepLimits
  const { maxRelayFeeWei } = relayLimits
  return proxyFactory && maxRelayFeeWei > maxFeeWei ? maxRelayFeeWei : maxFeeWei
}

/** What access needs, from the settings. */
export function toAccessDeps(
  config: Config,
  {
    store,
    clients,
    keys,
    log,
    buckets,
    observeCharge,
  }: Pick<AccessDeps, 'buckets' | 'observeCharge'> & {
    store: Store
    clients: readonly ChainClient[]
    keys: ReadonlyMap<number, DigestKey>
    log: Log
  },
): AccessDeps {
  const toLimit = (limit: { perSecond: number; burst: number }) => ({
    unitsPerSec: limit.perSecond,
    burst: limit.burst,
  })
  return {
    store,
    chains: clients.map((client) => ({ ...client, keyless: client.as('meta').client })),
    config: {
      keyPrefix: config.keyPrefix,
      pepper: config.keyPepper,
      formerPepper: config.formerPepper,
      publicUrl: baseUrl(config.routing),
      serviceName: config.serviceName,
      freeQuota: config.freeQuota,
      amountPerQuote,
      packQuotes,
      keyLimit: toLimit(config.rateLimit),
      ipLimit: config.ipRateLimit && toLimit(config.ipRateLimit),
      isLoopbackLimited: config.mode === 'live',
      contracts: toQuotaContracts(config, keys),
    },
    now: Date.now,
    bookNow: steadyNow,
    log,
    buckets,
    observeCharge,
  }
}
