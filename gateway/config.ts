import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Static, Type } from 'typebox'
import type { Address, Hex } from 'viem'
import type { SettlementLimits } from './access/accessConfig.ts'
import { type Chain, chains } from './chain/chains.ts'
import { readNetwork } from './http/clientIp.ts'
import { ProviderSettingsError, readProviderSettings } from './meta/providerSettings.ts'
import type { ProviderSetting } from './meta/providers.ts'
import type { RelayLimits } from './relay/limits.ts'
import type { AgentRegistration } from './routing/wire/agentRegistration.ts'
import type { RelayerKeySource } from './signing/openRelayerKey.ts'

/** A setting given empty (`X=`) counts as absent: compose files pass unset variables that way. */
const text = (description: string, fallback = '') => Type.String({ default: fallback, description })
const integer = (description: string, fallback: number, minimum = 0, maximum = 2 ** 31) =>
  Type.Integer({ default: fallback, minimum, maximum, description })
const flag = (description: string, fallback: boolean) =>
  Type.Boolean({ default: fallback, description })
const port = (description: string, fallback: number) => integer(description, fallback, 0, 65535)
const wei = (description: string, fallback = '') =>
  Type.String({ default: fallback, pattern: '^[0-9]*$', description })
const octet = '(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])'
const contract = (description: string) =>
  Type.String({ default: '', pattern: '^(0x[0-9a-fA-F]{40})?$', description })

/** Settings of the process. Every name is an environment variable; `NAME_FILE` reads it from a file. */
const processSettings = Type.Object({
  FORKYARD_MODE: Type.Unsafe<'offline' | 'forked' | 'live'>({
    type: 'string',
    enum: ['offline', 'forked', 'live'],
    default: 'live',
    description: 'offline and forked are set by the lab; live follows real chains',
  }),
  SERVICE_NAME: text('the `dex` field of every quote', 'forkyard'),
  DATABASE_PATH: text('SQLite file', 'forkyard.sqlite'),
  DATABASE_URL: Type.String({
    default: '',
    pattern: '^(postgres(ql)?://.+)?$',
    description: 'PostgreSQL that several gateways share, instead of the SQLite file',
  }),
  REDIS_URL: Type.String({
    default: '',
    pattern: '^((rediss?|unix)://.+)?$',
    description: 'Redis where several gateways share their rate limits; empty = each its own',
  }),
  KEY_PEPPER: text('secret, at least 32 characters: API keys are stored as HMAC under it'),
  ROUTING_HOST: text('bind address of the routing service', '127.0.0.1'),
  ROUTING_PORT: port('routing service', 8080),
  META_HOST: text('bind address of the meta-aggregator', '127.0.0.1'),
  META_PORT: port('meta-aggregator', 8081),
  RELAY_HOST: text('bind address of the relay', '127.0.0.1'),
  RELAY_PORT: port('relay', 8082),
  OPS_HOST: text('bind address of the operators listener', '127.0.0.1'),
  OPS_PORT: port('operators: metrics, readiness, lab', 8090),
  OPS_NETWORK: Type.String({
    default: '',
    pattern: `^(${octet}([.]${octet}){3}/(3[0-2]|[12]?[0-9]))?$`,
    description: 'where OPS_HOST is loopback: also open at the address in this network, a.b.c.d/n',
  }),
  ROUTING_ENABLED: flag('serve the routing service', true),
  META_ENABLED: flag('serve the meta-aggregator', true),
  RELAY_ENABLED: flag('serve the relay', true),
  ROUTING_PUBLIC_URL: text('absolute URL in documents; default: the listener'),
  META_PUBLIC_URL: text('absolute URL in documents; default: the listener'),
  RELAY_PUBLIC_URL: text('absolute URL in documents; default: the listener'),
  AGENT_REGISTRATIONS: Type.String({
    default: '',
    pattern: '^( *eip155:[1-9][0-9]*:0x[0-9a-fA-F]{40}/(0|[1-9][0-9]{0,14}) *(,|$))*$',
    description: 'comma-separated ERC-8004 identities, each eip155:<chain>:<registry>/<agent id>',
  }),
  FREE_QUOTA: integer('quotes given at registration by wallet', 0),
  RATE_LIMIT_PER_SECOND: integer('units per second and key', 20, 1),
  RATE_LIMIT_BURST: integer('burst per key; GET /quote_exact_output weighs 16', 100, 16),
  IP_RATE_LIMIT_PER_SECOND: integer(
    'requests without a key per second and IPv4 address or IPv6 /64; 0 = off',
    10,
  ),
  IP_RATE_LIMIT_BURST: integer('burst of the same; POST /x402/verify weighs 5', 50, 5),
  TRUSTED_PROXIES: text(
    'comma-separated addresses and networks (10.0.0.0/8) whose X-Forwarded-For is believed',
  ),
  CLAIM_CONFIRMATIONS: integer(
    'blocks from the one of a payment on, its own included, before a claim',
    2,
    1,
  ),
  CLAIM_FINALIZED_ABOVE: wei('raw USDC above which a claim waits for finality', '100000000'),
  META_PROVIDERS: text('remote quote providers: names, or JSON with their keys; empty = none'),
  META_SOURCES_OFF: text('comma-separated names, as in GET /sources, that are never asked'),
  META_DEADLINE_MS: integer('no source is waited for longer', 12_000, 100),
  META_PATIENCE_MS: integer(
    'after this, quotes in hand are answered without slow sources',
    3_000,
    1,
  ),
  META_SOURCE_TIMEOUT_MS: integer('bound of routing and of each on-chain source', 5_000, 100),
  META_ALLOW_PRIVATE_PROVIDERS: flag(
    'providers may live at private addresses and plain http',
    false,
  ),
  SIMULATORD_URL: Type.String({
    default: '',
    pattern: '^(http://.+)?$',
    description: 'supervisor that runs simulation forks in containers; empty = child processes',
  }),
  LOG_LEVEL: Type.Unsafe<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    type: 'string',
    enum: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'pino level',
  }),
  LAB_MANIFEST: text('set by the lab: the manifest served at /lab/manifest'),
  LAB_RUN: text('set by the lab: marks the processes of one gateway run'),
})

/** Settings of one chain; each name is prefixed with the chain's, e.g. `BASE_RPC_URL`. */
const chainSettings = Type.Object({
  RPC_URL: text('comma-separated upstream RPC URLs, best first; empty = chain not served'),
  FORK_ORIGIN_URL: text('set by the lab where RPC_URL is a fork: the chain it was forked from'),
  FORK_ORIGIN_BLOCK: integer('set by the lab: the block it was forked at', 0, 0, 2 ** 48),
  EXECUTOR: contract('SwapExecutor'),
  QUOTA_MANAGER: contract('QuotaManager'),
  PROXY_FACTORY: contract('UserProxyFactoryV6; empty = relay does not serve the chain'),
  RELAYER_PRIVATE_KEY: Type.String({
    default: '',
    pattern: '^(0x[0-9a-fA-F]{64})?$',
    description: 'labs only, refused in live mode',
  }),
  RELAYER_KEYSTORE: text('V3 keystore file'),
  RELAYER_PASSWORD_FILE: text('file with the password of the keystore'),
  RELAYER_KEY_URL: Type.String({
    default: '',
    pattern: '^(https?://.+)?$',
    description:
      'key service instead of a keystore: takes {"digest"}, answers {"signature"} in DER, as hex',
  }),
  RELAYER_PUBLIC_KEY: Type.String({
    default: '',
    pattern: '^(0x0[23][0-9a-fA-F]{64}|0x04[0-9a-fA-F]{128})?$',
    description: 'secp256k1 public key of the key service',
  }),
  MAX_RELAY_FEE_WEI: wei('gate 6', '200000000000000'),
  MIN_RELAYER_BALANCE_WEI: wei('gate 7', '1000000000000000'),
  PENDING_WINDOW_SECS: integer('gate 8', 120, 1),
  MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR: integer('gate 9', 60, 0),
  MAX_CHAIN_SPEND_PER_HOUR_WEI: wei('gate 10', '20000000000000000'),
  SPONSORED_GAS_CAP: integer('gate 5', 200_000, 21_000),
  X402_SETTLE: flag('settle x402 payments with the relayer key', false),
  X402_MAX_FEE_WEI: wei('worst case of one settlement', '100000000000000'),
  X402_MAX_SETTLEMENTS_PER_HOUR: integer('apart from the relay', 120, 0),
  X402_MAX_SPEND_PER_HOUR_WEI: wei('apart from the relay', '10000000000000000'),
})

type ProcessSettings = Static<typeof processSettings>
type ChainSettings = Static<typeof chainSettings>

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

/** Every setting with its default and meaning, for `forkyard config` and the documents. */
export function describeSettings() {
  const rows = (schema: typeof processSettings | typeof chainSettings, prefix: string) =>
    Object.entries(schema.properties).map(([name, property]) => {
      // Annotations that every row above has, and that typebox's types leave out.
      const setting = property as { default?: unknown; description?: string }
      return {
        name: prefix + name,
        fallback: String(setting.default),
        description: setting.description ?? '',
      }
    })
  return [
    ...rows(processSettings, ''),
    ...chains.flatMap((chain) => rows(chainSettings, `${chain.envPrefix}_`)),
  ]
}
