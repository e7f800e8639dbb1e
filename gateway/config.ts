import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Static } from 'typebox'
import type { Address, Hex } from 'viem'
import type { SettlementLimits } from './access/accessConfig.ts'
import { type Chain, chains } from './chain/chains.ts'
import { readNetwork } from './http/clientIp.ts'
import { ProviderSettingsError, readProviderSettings } from './meta/providerSettings.ts'
import type { ProviderSetting } from './meta/providers.ts'
import type { RelayLimits } from './relay/limits.ts'
import type { AgentRegistration } from './routing/wire/agentRegistration.ts'
import {
  type ChainSettings,
  chainSettings,
  type ProcessSettings,
  processSettings,
} from './settings.ts'
import type { RelayerKeySource } from './signing/openRelayerKey.ts'

export type ListenerConfig = {
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
}

export type ChainConfig = {
  readonly chain: Chain
  readonly rpcUrls: readonly string[]
  /** Where the chain is a fork: what it was forked from. */
  readonly forkOrigin: { readonly rpcUrl: string; readonly blockNumber: bigint } | undefined
  readonly executor: Address | undefined
  readonly quotaManager: Address | undefined
  readonly proxyFactory: Address | undefined
  readonly relayer: RelayerKeySource | undefined
  readonly relayLimits: RelayLimits
  /** Caps of x402 settlements, apart from the relay's; undefined: none are settled. */
  readonly settlementLimits: SettlementLimits | undefined
}

export type Config = {
  readonly mode: ProcessSettings['FORKYARD_MODE']
  readonly serviceName: string
  readonly databasePath: string
  readonly databaseUrl: string | undefined
  /** Where rate limits are shared. */
  readonly redisUrl: string | undefined
  /** Start of every API key: a lab's keys are told apart at sight. */
  readonly keyPrefix: string
  readonly keyPepper: string
  readonly routing: ListenerConfig
  /** ERC-8004 identities of the routing service. */
  readonly agentRegistrations: readonly AgentRegistration[]
  readonly meta: ListenerConfig & {
    readonly providers: readonly ProviderSetting[]
    readonly sourcesOff: readonly string[]
    readonly deadlineMs: number
    readonly patienceMs: number
    readonly sourceTimeoutMs: number
    readonly allowPrivateProviders: boolean
  }
  readonly relay: ListenerConfig
  readonly ops: ListenerConfig & { readonly network?: string | undefined }
  readonly freeQuota: number
  readonly rateLimit: { readonly perSecond: number; readonly burst: number }
  readonly ipRateLimit: { readonly perSecond: number; readonly burst: number } | undefined
  readonly trustedProxies: readonly string[]
  readonly claims: { readonly confirmations: number; readonly finalizedAbove: bigint }
  /** Where simulation forks run in containers; absent: as child processes. */
  readonly simulatordUrl: string | undefined
  readonly logLevel: ProcessSettings['LOG_LEVEL']
  readonly labManifestPath: string | undefined
  readonly chains: readonly ChainConfig[]
}

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

const ajv = new Ajv2020({ coerceTypes: true, useDefaults: true, allErrors: true })

/** Reads the named variables, or the files that `NAME_FILE` points to. */
export function pickSettings(names: readonly string[], prefix: string, env: Environment) {
  const values: Record<string, string> = {}
  for (const name of names) {
    const value = env[prefix + name]
    const path = env[`${prefix}${name}_FILE`]
    if (value) values[name] = value
    else if (path && !names.includes(`${name}_FILE`)) values[name] = readSecret(prefix + name, path)
  }
  return values
}

function readSecret(name: string, path: string) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`${name}_FILE: cannot read ${path}`, { cause })
  }
}

function read<schema extends typeof processSettings | typeof chainSettings>(
  schema: schema,
  prefix: string,
  env: Environment,
): Static<schema> {
  const values: unknown = pickSettings(Object.keys(schema.properties), prefix, env)
  const validate = ajv.compile<Static<schema>>(schema)
  if (validate(values)) return values
  const faults = validate.errors?.map(
    (error) => `${prefix}${error.instancePath.slice(1)} ${error.message}`,
  )
  throw new ConfigError(faults?.join('; '))
}

export const keyPrefixOf = (mode: ProcessSettings['FORKYARD_MODE']) =>
  mode === 'live' ? 'fy_live' : 'fy_lab'

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

function toChainConfig(chain: Chain, env: Environment): ChainConfig {
  const settings = read(chainSettings, `${chain.envPrefix}_`, env)
  return {
    chain,
    rpcUrls: list(settings.RPC_URL),
    forkOrigin:
      settings.FORK_ORIGIN_URL === ''
        ? undefined
        : {
            rpcUrl: settings.FORK_ORIGIN_URL,
            blockNumber: BigInt(settings.FORK_ORIGIN_BLOCK),
          },
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
    settlementLimits: settings.X402_SETTLE
      ? {
          maxFeeWei: BigInt(settings.X402_MAX_FEE_WEI),
          maxPerHour: settings.X402_MAX_SETTLEMENTS_PER_HOUR,
          maxSpendPerHourWei: BigInt(settings.X402_MAX_SPEND_PER_HOUR_WEI),
        }
      : undefined,
  }
}

/** What a production process must not start without. */
function refuse(config: Config): readonly string[] {
  const faults: string[] = []
  if (config.keyPepper.length < 32) faults.push('KEY_PEPPER must have at least 32 characters')
  if (config.chains.length === 0) {
    faults.push(
      `set ${chains.map((chain) => `${chain.envPrefix}_RPC_URL`).join(' or ')}, or run the offline lab with make lab`,
    )
  }
  for (const entry of config.trustedProxies)
    if (!readNetwork(entry)) faults.push(`TRUSTED_PROXIES ${entry} is no address or network`)
  for (const { chain, relayer } of config.chains) {
    if (relayer && 'passwordPath' in relayer && relayer.passwordPath === '')
      faults.push(
        `${chain.envPrefix}_RELAYER_PASSWORD_FILE must name the file with the password of ${chain.envPrefix}_RELAYER_KEYSTORE`,
      )
    if (relayer && 'publicKey' in relayer && relayer.publicKey.length === 0)
      faults.push(
        `${chain.envPrefix}_RELAYER_PUBLIC_KEY must be the public key of ${chain.envPrefix}_RELAYER_KEY_URL`,
      )
    if (config.mode === 'live' && relayer && 'privateKey' in relayer)
      faults.push(
        `${chain.envPrefix}_RELAYER_PRIVATE_KEY is for labs; give ${chain.envPrefix}_RELAYER_KEYSTORE and ${chain.envPrefix}_RELAYER_PASSWORD_FILE, or ${chain.envPrefix}_RELAYER_KEY_URL`,
      )
  }
  return faults
}

/**
 * Reads and checks the whole configuration.
 * @throws ConfigError naming each variable that is wrong or missing
 */
export function readConfig(env: Environment): Config {
  const settings = read(processSettings, '', env)
  const listener = (name: 'ROUTING' | 'META' | 'RELAY'): ListenerConfig => ({
    enabled: settings[`${name}_ENABLED`],
    host: settings[`${name}_HOST`],
    port: settings[`${name}_PORT`],
    publicUrl: orUndefined(settings[`${name}_PUBLIC_URL`]),
  })
  const config: Config = {
    mode: settings.FORKYARD_MODE,
    serviceName: settings.SERVICE_NAME,
    databasePath: settings.DATABASE_PATH,
    databaseUrl: orUndefined(settings.DATABASE_URL),
    redisUrl: orUndefined(settings.REDIS_URL),
    keyPrefix: keyPrefixOf(settings.FORKYARD_MODE),
    keyPepper: settings.KEY_PEPPER,
    routing: listener('ROUTING'),
    agentRegistrations: list(settings.AGENT_REGISTRATIONS).map(toRegistration),
    meta: {
      ...listener('META'),
      providers: toProviders(settings.META_PROVIDERS),
      sourcesOff: list(settings.META_SOURCES_OFF),
      deadlineMs: settings.META_DEADLINE_MS,
      patienceMs: settings.META_PATIENCE_MS,
      sourceTimeoutMs: settings.META_SOURCE_TIMEOUT_MS,
      allowPrivateProviders: settings.META_ALLOW_PRIVATE_PROVIDERS,
    },
    relay: listener('RELAY'),
    ops: {
      ...{ enabled: true, host: settings.OPS_HOST, port: settings.OPS_PORT, publicUrl: undefined },
      network: orUndefined(settings.OPS_NETWORK),
    },
    freeQuota: settings.FREE_QUOTA,
    rateLimit: { perSecond: settings.RATE_LIMIT_PER_SECOND, burst: settings.RATE_LIMIT_BURST },
    ipRateLimit:
      settings.IP_RATE_LIMIT_PER_SECOND === 0
        ? undefined
        : { perSecond: settings.IP_RATE_LIMIT_PER_SECOND, burst: settings.IP_RATE_LIMIT_BURST },
    trustedProxies: list(settings.TRUSTED_PROXIES),
    claims: {
      confirmations: settings.CLAIM_CONFIRMATIONS,
      finalizedAbove: BigInt(settings.CLAIM_FINALIZED_ABOVE || 0),
    },
    simulatordUrl: orUndefined(settings.SIMULATORD_URL),
    logLevel: settings.LOG_LEVEL,
    labManifestPath: orUndefined(settings.LAB_MANIFEST),
    chains: chains
      .map((chain) => toChainConfig(chain, env))
      .filter((chain) => chain.rpcUrls.length > 0),
  }
  const faults = refuse(config)
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return config
}
