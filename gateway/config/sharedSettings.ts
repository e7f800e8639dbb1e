import { createHmac } from 'node:crypto'
import { isAddress, isHash } from 'viem'
import { settingName } from '../chain/settingName.ts'
import type { ChainConfig, Config } from './config.ts'

/** Tells peppers apart and says nothing of them. */
const toMark = (pepper: string) =>
  createHmac('sha256', pepper).update('forkyard settings').digest('hex').slice(0, 16)

const pepperSetting = 'KEY_PEPPER'
const untilSetting = 'KEY_PEPPER_FORMER_UNTIL'

/** One budget of an hour, one book of nonces: where a chain has a relayer. */
const relayRows = ({ relayLimits, upkeepLimits, usdPerNative }: ChainConfig) => [
  ['MAX_RELAY_FEE_WEI', relayLimits.maxRelayFeeWei],
  ['MIN_RELAYER_BALANCE_WEI', relayLimits.minRelayerBalanceWei],
  ['PENDING_WINDOW_SECS', relayLimits.pendingWindowMs / 1_000],
  ['MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR', relayLimits.maxDeploysPerHour],
  ['MAX_CHAIN_SPEND_PER_HOUR_WEI', relayLimits.maxSpendPerHourWei],
  ['SPONSORED_GAS_CAP', relayLimits.gasCap],
  ['X402_MAX_FEE_WEI', upkeepLimits.maxFeeWei],
  ['X402_NATIVE_USD', usdPerNative],
  ['X402_MAX_SETTLEMENTS_PER_HOUR', upkeepLimits.maxPerHour],
  ['X402_MAX_SPEND_PER_HOUR_WEI', upkeepLimits.maxSpendPerHourWei],
]

/** In any order. */
const toSet = (values: readonly string[]) => [...values].sort().join(' ')

const chainRows = (settings: ChainConfig) =>
  [
    ['EXECUTOR', settings.executor],
    ['QUOTA_MANAGER', settings.quotaManager],
    ['PROXY_FACTORY', settings.proxyFactory],
    ['TRUSTED_ADDRESSES', toSet(settings.trusted.filter((part) => isAddress(part)))],
    ['TRUSTED_CODE_HASHES', toSet(settings.trusted.filter(isHash))],
    ['X402_SETTLE', settings.settlementLimits !== undefined],
    ...(settings.relayer === undefined ? [] : relayRows(settings)),
  ].map(([name, value]) => [settingName(settings.chain, String(name)), value])

/**
 * Settings by which gateways of one database would contradict each other, by their names; beside them each chain's
 * relayer, whose nonces only gateways with its key look after.
 */
export function listSharedSettings(
  config: Config,
  relayers: ReadonlyMap<number, { readonly address: string }> = new Map(),
): Readonly<Record<string, string>> {
  const { formerPepper, relay, claims, rateLimit, ipRateLimit, poolLimits, meta } = config
  const peppers = [config.keyPepper, ...(formerPepper ? [formerPepper.pepper] : [])]
  const keys = config.chains.flatMap(({ chain }) => {
    const relayer = relayers.get(chain.chainId)
    return relayer ? [[settingName(chain, 'RELAYER'), relayer.address]] : []
  })
  const identities = config.agentRegistrations.map(
    ({ agentRegistry, agentId }) => `${agentRegistry}/${agentId}`,
  )
  const rows = [
    [pepperSetting, peppers.map(toMark).join(' ')],
    ...(formerPepper ? [[untilSetting, new Date(formerPepper.untilMs).toISOString()]] : []),
    ['FORKYARD_MODE', config.mode],
    // By these callers tell answers, and wallets whom they sign in with.
    ['SERVICE_NAME', config.serviceName],
    ['FRESHNESS', config.freshness],
    ['ROUTING_PUBLIC_URL', config.routing.publicUrl],
    ['META_PUBLIC_URL', meta.publicUrl],
    ['RELAY_PUBLIC_URL', relay.publicUrl],
    ['AGENT_REGISTRATIONS', toSet(identities)],
    ['MCP_URL', config.mcpUrl],
    ['FREE_QUOTA', config.freeQuota],
    // One disk has one size.
    ['DATABASE_DISK_GB', (config.databaseDiskBytes ?? 0) / 1e9],
    ['LEDGER_DETAIL_DAYS', config.ledgerDetailDays],
    ['RATE_LIMIT_PER_SECOND', rateLimit.perSecond],
    ['RATE_LIMIT_BURST', rateLimit.burst],
    ['IP_RATE_LIMIT_PER_SECOND', ipRateLimit?.perSecond],
    ['IP_RATE_LIMIT_BURST', ipRateLimit?.burst],
    // Who stands behind an address: limits and hourly caps of networks count by it.
    ['TRUSTED_PROXIES', toSet(config.trustedProxies)],
    ['REDIS_URL', config.redisUrl === undefined ? 'none' : 'given'],
    // Whoever reads a chain for all decides which pools there are.
    ['POOL_FLOOR_USD', poolLimits.floorUsd],
    ['MAX_POOLS_PER_CHAIN', poolLimits.mostPools],
    ['MAX_TOKENS_PER_CHAIN', poolLimits.mostTokens],
    ['META_KEYS', meta.keys],
    ['META_PROVIDERS', toSet(meta.providers.map(({ name }) => name))],
    ['META_SOURCES_OFF', toSet(meta.sourcesOff)],
    ['META_UNLISTED_SOURCES', toSet(meta.unlistedSources)],
    ['CLAIM_CONFIRMATIONS', claims.confirmations],
    ['CLAIM_FINALIZED_ABOVE', claims.finalizedAbove],
    ['RELAY_OWNER_SIGNATURE', relay.rules.ownerSignature],
    ['RELAY_SIGNED_SHARE_PERCENT', relay.rules.signedSharePercent],
    ['RELAY_MAX_NEW_PER_NETWORK_HOUR', relay.rules.maxNewPerNetwork ?? 0],
    ...keys,
    ...config.chains.flatMap(chainRows),
  ]
  return Object.fromEntries(rows.map(([name, value]) => [String(name), String(value ?? '')]))
}

/** Names of what differs; a chain that only one of them serves contradicts nothing. */
export function findDifferences(
  own: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(own).flatMap(([name, value]) => {
    const theirs = other[name]
    if (theirs === undefined || theirs === value) return []
    // In a rotation each has the date of its own former pepper.
    if (name === untilSetting && own[pepperSetting] !== other[pepperSetting]) return []
    return name === pepperSetting && knowEachOther(value, theirs) ? [] : [name]
  })
}

/** In a rotation one of two gateways hashes under what is the other's former pepper. */
function knowEachOther(one: string, other: string): boolean {
  const [ours, theirs] = [one.split(' '), other.split(' ')]
  return theirs.includes(ours[0] ?? '') || ours.includes(theirs[0] ?? '')
}

/** What each gateway bounds by itself: of several, all together let as many times more pass. */
export function listOwnLimits(config: Config) {
  const { redisUrl, rateLimit, ipRateLimit, meta, callBudget } = config
  const { perSecondOf } = callBudget
  const limits = {
    ...(redisUrl === undefined && {
      RATE_LIMIT_PER_SECOND: rateLimit.perSecond,
      RATE_LIMIT_BURST: rateLimit.burst,
      IP_RATE_LIMIT_PER_SECOND: ipRateLimit?.perSecond,
      IP_RATE_LIMIT_BURST: ipRateLimit?.burst,
    }),
    MAX_CONNECTIONS_PER_ADDRESS: config.maxConnectionsPerAddress,
    META_MAX_STREAMS: meta.streamCaps.total,
    META_MAX_STREAMS_PER_ADDRESS: meta.streamCaps.perAddress,
    UPSTREAM_CALLS_PER_SECOND: callBudget.perSecond,
    UPSTREAM_UNITS_PER_SECOND: callBudget.unitsPerSecond,
    UPSTREAM_UNITS_PER_MONTH: callBudget.unitsPerMonth,
    UPSTREAM_SIMULATION_PER_SECOND: perSecondOf.simulation,
    UPSTREAM_META_PER_SECOND: perSecondOf.meta,
    UPSTREAM_WARM_UP_PER_SECOND: perSecondOf.warmUp,
    // A provider counts the calls of all of them.
    ...Object.fromEntries(
      meta.providers.map(({ name, perSecond }) => [`META_PROVIDERS.${name}.perSecond`, perSecond]),
    ),
  }
  return Object.entries(limits).map(([setting, value]) => ({
    setting,
    value: value ?? Number.POSITIVE_INFINITY,
  }))
}
