import { type Address, type Hex, isAddress, isHash } from 'viem'
import type { SettlementLimits } from '../access/sale/accessConfig.ts'
import type { CallBudget } from '../chain/callBudget.ts'
import { type CallPrices, readCallPrices } from '../chain/callUnits.ts'
import { type Chain, chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { readNetwork } from '../http/clientIp.ts'
import { isOrigin, readOrigins } from '../http/pages.ts'
import { ProviderSettingsError, readProviderSettings } from '../meta/providerSettings.ts'
import type { ProviderSetting } from '../meta/sources/providers.ts'
import type { StreamCaps } from '../meta/streamSlots.ts'
import type { AdmissionRules } from '../relay/admission.ts'
import type { RelayLimits } from '../relay/limits.ts'
import type { AgentRegistration } from '../routing/registry.ts'
import type { PoolLimits } from '../routing/sync/bounds/standing.ts'
import type { TrustedParts } from '../routing/trust/trust.ts'
import type { RelayerKeySource } from '../signing/openRelayerKey.ts'
import { type KeyConfig, toFormerPepper } from './keyConfig.ts'
import { keyPrefixOf } from './keyPrefix.ts'
import { readHeaders } from './readHeaders.ts'
import { attempt, ConfigError, type Environment, type Reading, read } from './readSettings.ts'
import { readThreads } from './readThreads.ts'
import {
  type ChainSettings,
  chainSettings,
  type ProcessSettings,
  processSettings,
} from './settings.ts'

export { ConfigError, type Environment } from './readSettings.ts'

export type ListenerConfig = {
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
}

export type ChainConfig = {
  readonly chain: Chain
  readonly rpcUrls: readonly string[]
  /** Of a node that pushes heads. */
  readonly wsUrl: string | undefined
  /** Where the chain is a fork: what it was forked from. */
  readonly forkOrigin: { readonly rpcUrl: string; readonly blockNumber: bigint } | undefined
  /** Code with a say in swaps of pools that is believed beside that of the chain's row. */
  readonly trusted: TrustedParts
  readonly executor: Address | undefined
  readonly quotaManager: Address | undefined
  readonly proxyFactory: Address | undefined
  readonly relayer: RelayerKeySource | undefined
  readonly relayLimits: RelayLimits
  /** Caps of x402 settlements, apart from the relay's; undefined: none are settled. */
  readonly settlementLimits: SettlementLimits | undefined
  /** The same caps, for what was signed while they were settled. */
  readonly upkeepLimits: SettlementLimits
  /** What a whole native coin is taken to cost. */
  readonly usdPerNative: number
}

export type Config = KeyConfig & {
  readonly mode: ProcessSettings['FORKYARD_MODE']
  /** How old the state may be that answers come from. */
  readonly freshness: 'head' | 'interval'
  readonly serviceName: string
  /** Where rate limits are shared. */
  readonly redisUrl: string | undefined
  readonly routing: ListenerConfig
  /** ERC-8004 identities of the routing service. */
  readonly agentRegistrations: readonly AgentRegistration[]
  readonly mcpUrl: string | undefined
  /** What each chain's nodes may be asked. */
  readonly callBudget: CallBudget
  readonly callPrices: CallPrices
  readonly meta: ListenerConfig & {
    readonly providers: readonly ProviderSetting[]
    readonly sourcesOff: readonly string[]
    readonly unlistedSources: readonly string[]
    readonly keys: ProcessSettings['META_KEYS']
    readonly streamCaps: StreamCaps
    readonly deadlineMs: number
    readonly patienceMs: number
    readonly sourceTimeoutMs: number
    readonly allowPrivateProviders: boolean
  }
  readonly relay: ListenerConfig & { readonly rules: AdmissionRules }
  readonly ops: ListenerConfig & { readonly network?: string | undefined }
  /** Who gives it reads `/ops/*`; undefined: nobody outside a lab. */
  readonly opsToken?: string | undefined
  /** What requests under way are given when the process is told to stop. */
  readonly shutdownGraceMs: number
  readonly freeQuota: number
  /** What a PostgreSQL may take of its disk; undefined: nobody has said. */
  readonly databaseDiskBytes?: number | undefined
  /** Charges and refunds keep rows of their own for so long; 0: for ever. */
  readonly ledgerDetailDays: number
  readonly poolLimits: PoolLimits
  readonly routingThreads: number
  readonly unknownPoolPatienceMs: number
  readonly rateLimit: { readonly perSecond: number; readonly burst: number }
  readonly ipRateLimit: { readonly perSecond: number; readonly burst: number } | undefined
  readonly trustedProxies: readonly string[]
  /** Of each service, beside proxies and this machine; undefined: no bound. */
  readonly maxConnectionsPerAddress?: number | undefined
  readonly claims: { readonly confirmations: number; readonly finalizedAbove: bigint }
  /** Where simulation forks run in containers; absent: as child processes. */
  readonly simulatordUrl: string | undefined
  /** When simulations take place, where that is not now: a pack's lab may hold its clock. */
  readonly heldTimeMs?: number | undefined
  readonly logLevel: ProcessSettings['LOG_LEVEL']
  readonly accessLog: boolean
  /** Host and port whose certificate is looked at. */
  readonly certificateAt?: string | undefined
  /** Where spans are sent, and of how many requests; undefined: none are made. */
  readonly traces?:
    | {
        readonly url: string
        readonly percent: number
        readonly headers: Readonly<Record<string, string>>
      }
    | undefined
  readonly labManifestPath: string | undefined
  /** Whoever gives it may change the lab. */
  /** Where `/lab/*` reaches the chains. */
  readonly labReachPath: string | undefined
  readonly labToken: string | undefined
  /** Pages that the lab trusts, beside those of this machine. */
  readonly labOrigins: readonly string[]
  readonly chains: readonly ChainConfig[]
}

/** Of calls and units: 0 stands for no bound. */
const boundOf = (most: number) => (most === 0 ? undefined : most)
const unbounded = Number.POSITIVE_INFINITY

const list = (value: string) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
const orUndefined = (value: string) => (value === '' ? undefined : value)
// ajv has checked the pattern of both.
const address = (value: string) => orUndefined(value) as Address | undefined

function toProviders(value: string): readonly ProviderSetting[] {
  try {
    return readProviderSettings(value)
  } catch (cause) {
    if (!(cause instanceof ProviderSettingsError)) throw cause
    throw new ConfigError(`META_PROVIDERS ${cause.message}`, { cause })
  }
}

/** The pattern of the setting was checked: registry, a slash, the agent's id. */
function toRegistration(text: string): AgentRegistration {
  const [agentRegistry = '', agentId = ''] = text.split('/')
  return { agentId: Number(agentId), agentRegistry }
}

function toRelayer(settings: ChainSettings): ChainConfig['relayer'] {
  if (settings.RELAYER_PRIVATE_KEY !== '')
    return { privateKey: settings.RELAYER_PRIVATE_KEY as Hex }
  if (settings.RELAYER_KEY_URL !== '')
    return { keyUrl: settings.RELAYER_KEY_URL, publicKey: settings.RELAYER_PUBLIC_KEY as Hex }
  if (settings.RELAYER_KEYSTORE === '') return undefined
  return {
    keystorePath: settings.RELAYER_KEYSTORE,
    passwordPath: settings.RELAYER_PASSWORD_FILE,
  }
}

function toTrusted(
  chain: Chain,
  { faults }: Reading,
  settings: { readonly TRUSTED_ADDRESSES: string; readonly TRUSTED_CODE_HASHES: string },
): TrustedParts {
  const addresses = list(settings.TRUSTED_ADDRESSES)
  const hashes = list(settings.TRUSTED_CODE_HASHES)
  for (const entry of addresses)
    if (!isAddress(entry))
      faults.push(`${settingName(chain, 'TRUSTED_ADDRESSES')} ${entry} is no address`)
  for (const entry of hashes)
    if (!isHash(entry))
      faults.push(`${settingName(chain, 'TRUSTED_CODE_HASHES')} ${entry} is no hash of 32 bytes`)
  return [...addresses.filter((entry) => isAddress(entry)), ...hashes.filter(isHash)]
}

/** The cheapest first; of one price those that were named first. */
function toRpcUrls(chain: Chain, settings: ChainSettings): readonly string[] {
  const urls = list(settings.RPC_URL)
  const prices = list(settings.RPC_PRICES).map(Number)
  if (prices.length > 0 && prices.length !== urls.length)
    throw new ConfigError(
      `${settingName(chain, 'RPC_PRICES')} must have a number for each of ${settingName(chain, 'RPC_URL')}`,
    )
  const priced = urls.map((url, index) => ({ url, price: prices[index] ?? 0 }))
  return priced.toSorted((one, other) => one.price - other.price).map(({ url }) => url)
}

function toChainConfig(chain: Chain, reading: Reading): ChainConfig {
  const settings = read(reading, { schema: chainSettings, prefix: settingName(chain, '') })
  const upkeepLimits: SettlementLimits = {
    maxFeeWei: BigInt(settings.X402_MAX_FEE_WEI),
    maxPerHour: settings.X402_MAX_SETTLEMENTS_PER_HOUR,
    maxSpendPerHourWei: BigInt(settings.X402_MAX_SPEND_PER_HOUR_WEI),
  }
  return {
    chain,
    rpcUrls: attempt(reading.faults, () => toRpcUrls(chain, settings)) ?? [],
    wsUrl: orUndefined(settings.WS_URL),
    forkOrigin:
      settings.FORK_ORIGIN_URL === ''
        ? undefined
        : {
            rpcUrl: settings.FORK_ORIGIN_URL,
            blockNumber: BigInt(settings.FORK_ORIGIN_BLOCK),
          },
    trusted: toTrusted(chain, reading, settings),
    executor: address(settings.EXECUTOR),
    quotaManager: address(settings.QUOTA_MANAGER),
    proxyFactory: address(settings.PROXY_FACTORY),
    relayer: toRelayer(settings),
    relayLimits: {
      maxRelayFeeWei: BigInt(settings.MAX_RELAY_FEE_WEI),
      minRelayerBalanceWei: BigInt(settings.MIN_RELAYER_BALANCE_WEI),
      pendingWindowMs: settings.PENDING_WINDOW_SECS * 1000,
      maxDeploysPerHour: settings.MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR,
      maxSpendPerHourWei: BigInt(settings.MAX_CHAIN_SPEND_PER_HOUR_WEI),
      gasCap: settings.SPONSORED_GAS_CAP,
    },
    settlementLimits: settings.X402_SETTLE ? upkeepLimits : undefined,
    upkeepLimits,
    usdPerNative: settings.X402_NATIVE_USD,
  }
}

/** What a production process must not start without. */
function findFaults(config: Config): readonly string[] {
  const faults: string[] = []
  if (config.keyPepper.length < 32) faults.push('KEY_PEPPER must have at least 32 characters')
  if (config.opsToken !== undefined && config.opsToken.length < 32)
    faults.push('OPS_TOKEN must have at least 32 characters')
  if (config.chains.length === 0) {
    faults.push(
      `set ${chains.map((chain) => settingName(chain, 'RPC_URL')).join(' or ')}, or run the offline lab: forkyard lab (make lab in a checkout)`,
    )
  }
  for (const entry of config.trustedProxies)
    if (!readNetwork(entry)) faults.push(`TRUSTED_PROXIES ${entry} is no address or network`)
  for (const origin of config.labOrigins)
    if (!isOrigin(origin))
      faults.push(`LAB_ORIGINS ${origin} is no origin, e.g. https://app.example`)
  for (const { chain, relayer } of config.chains) {
    if (relayer && 'passwordPath' in relayer && relayer.passwordPath === '')
      faults.push(
        `${settingName(chain, 'RELAYER_PASSWORD_FILE')} must name the file with the password of ${settingName(chain, 'RELAYER_KEYSTORE')}`,
      )
    if (relayer && 'publicKey' in relayer && relayer.publicKey.length === 0)
      faults.push(
        `${settingName(chain, 'RELAYER_PUBLIC_KEY')} must be the public key of ${settingName(chain, 'RELAYER_KEY_URL')}`,
      )
    if (config.mode === 'live' && relayer && 'privateKey' in relayer)
      faults.push(
        `${settingName(chain, 'RELAYER_PRIVATE_KEY')} is for labs; give ${settingName(chain, 'RELAYER_KEYSTORE')} and ${settingName(chain, 'RELAYER_PASSWORD_FILE')}, or ${settingName(chain, 'RELAYER_KEY_URL')}`,
      )
  }
  if (config.mode === 'live' && config.heldTimeMs !== undefined)
    faults.push('FREEZE_TIME_SECS is for labs: a real chain goes on')
  if (config.mode === 'live' && config.labToken !== undefined)
    faults.push('LAB_TOKEN is for labs: /lab/* changes chains and makes answers fail')
  if (config.mode === 'live' && config.labManifestPath !== undefined)
    faults.push('LAB_MANIFEST is for labs: /ops/* is open to everybody with it')
  return faults
}

/**
 * Reads and checks the whole configuration.
 * @throws ConfigError naming each variable that is wrong or missing
 */
export function readConfig(env: Environment): Config {
  const faults: string[] = []
  const reading = { env, faults }
  const settings = read(reading, { schema: processSettings, prefix: '' })
  const listener = (name: 'ROUTING' | 'META' | 'RELAY'): ListenerConfig => ({
    enabled: settings[`${name}_ENABLED`],
    host: settings[`${name}_HOST`],
    port: settings[`${name}_PORT`],
    publicUrl: orUndefined(settings[`${name}_PUBLIC_URL`]),
  })
  const config: Config = {
    mode: settings.FORKYARD_MODE,
    freshness: settings.FRESHNESS || (settings.FORKYARD_MODE === 'live' ? 'interval' : 'head'),
    serviceName: settings.SERVICE_NAME,
    databasePath: settings.DATABASE_PATH,
    databaseUrl: orUndefined(settings.DATABASE_URL),
    redisUrl: orUndefined(settings.REDIS_URL),
    keyPrefix: keyPrefixOf(settings.FORKYARD_MODE),
    keyPepper: settings.KEY_PEPPER,
    formerPepper: toFormerPepper(settings, faults),
    routing: listener('ROUTING'),
    agentRegistrations: list(settings.AGENT_REGISTRATIONS).map(toRegistration),
    mcpUrl: orUndefined(settings.MCP_URL),
    meta: {
      ...listener('META'),
      providers: attempt(faults, () => toProviders(settings.META_PROVIDERS)) ?? [],
      sourcesOff: list(settings.META_SOURCES_OFF),
      unlistedSources: list(settings.META_UNLISTED_SOURCES),
      keys: settings.META_KEYS,
      streamCaps: {
        total: settings.META_MAX_STREAMS || undefined,
        perAddress: settings.META_MAX_STREAMS_PER_ADDRESS || undefined,
      },
      deadlineMs: settings.META_DEADLINE_MS,
      patienceMs: settings.META_PATIENCE_MS,
      sourceTimeoutMs: settings.META_SOURCE_TIMEOUT_MS,
      allowPrivateProviders: settings.META_ALLOW_PRIVATE_PROVIDERS,
    },
    relay: {
      ...listener('RELAY'),
      rules: {
        maxNewPerNetwork: settings.RELAY_MAX_NEW_PER_NETWORK_HOUR || undefined,
        ownerSignature: settings.RELAY_OWNER_SIGNATURE,
        signedSharePercent: settings.RELAY_SIGNED_SHARE_PERCENT,
      },
    },
    callBudget: {
      perSecond: boundOf(settings.UPSTREAM_CALLS_PER_SECOND),
      unitsPerSecond: boundOf(settings.UPSTREAM_UNITS_PER_SECOND),
      unitsPerMonth: boundOf(settings.UPSTREAM_UNITS_PER_MONTH),
      perSecondOf: {
        simulation: boundOf(settings.UPSTREAM_SIMULATION_PER_SECOND) ?? unbounded,
        meta: boundOf(settings.UPSTREAM_META_PER_SECOND) ?? unbounded,
        warmUp: boundOf(settings.UPSTREAM_WARM_UP_PER_SECOND) ?? unbounded,
      },
    },
    callPrices: readCallPrices(
      settings.UPSTREAM_CALL_UNITS,
      settings.UPSTREAM_USD_PER_MILLION_UNITS,
    ),
    ops: {
      enabled: true,
      host: settings.OPS_HOST,
      port: settings.OPS_PORT,
      publicUrl: undefined,
      network: orUndefined(settings.OPS_NETWORK),
    },
    opsToken: orUndefined(settings.OPS_TOKEN),
    shutdownGraceMs: settings.SHUTDOWN_GRACE_SECS * 1000,
    freeQuota: settings.FREE_QUOTA,
    databaseDiskBytes: settings.DATABASE_DISK_GB * 1e9 || undefined,
    ledgerDetailDays: settings.LEDGER_DETAIL_DAYS,
    poolLimits: {
      floorUsd: settings.POOL_FLOOR_USD,
      mostPools: settings.MAX_POOLS_PER_CHAIN,
      mostTokens: settings.MAX_TOKENS_PER_CHAIN,
    },
    routingThreads: readThreads(settings),
    unknownPoolPatienceMs: settings.UNKNOWN_POOL_PATIENCE_MS,
    rateLimit: { perSecond: settings.RATE_LIMIT_PER_SECOND, burst: settings.RATE_LIMIT_BURST },
    ipRateLimit:
      settings.IP_RATE_LIMIT_PER_SECOND === 0
        ? undefined
        : { perSecond: settings.IP_RATE_LIMIT_PER_SECOND, burst: settings.IP_RATE_LIMIT_BURST },
    trustedProxies: list(settings.TRUSTED_PROXIES),
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS || undefined,
    claims: {
      confirmations: settings.CLAIM_CONFIRMATIONS,
      finalizedAbove: BigInt(settings.CLAIM_FINALIZED_ABOVE || 0),
    },
    simulatordUrl: orUndefined(settings.SIMULATORD_URL),
    heldTimeMs: settings.FREEZE_TIME_SECS * 1000 || undefined,
    logLevel: settings.LOG_LEVEL,
    accessLog: settings.ACCESS_LOG,
    certificateAt: orUndefined(settings.CERTIFICATE_AT),
    traces:
      settings.TRACES_URL === ''
        ? undefined
        : {
            url: settings.TRACES_URL,
            percent: settings.TRACES_PERCENT,
            headers: attempt(faults, () => readHeaders(settings.OTEL_EXPORTER_OTLP_HEADERS)) ?? {},
          },
    labManifestPath: orUndefined(settings.LAB_MANIFEST),
    labReachPath: orUndefined(settings.LAB_REACH) ?? orUndefined(settings.LAB_MANIFEST),
    labToken: orUndefined(settings.LAB_TOKEN),
    labOrigins: readOrigins(settings.LAB_ORIGINS),
    chains: chains
      .map((chain) => toChainConfig(chain, reading))
      .filter((chain) => chain.rpcUrls.length > 0),
  }
  faults.push(...findFaults(config))
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return config
}
