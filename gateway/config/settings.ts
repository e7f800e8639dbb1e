import { type Static, Type } from 'typebox'
import { chainWorkWeight } from '../access/limits/chainWorkWeight.ts'
import { callUnitsPattern } from '../chain/callUnits.ts'
import { chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'

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
export const processSettings = Type.Object({
  FORKYARD_MODE: Type.Unsafe<'offline' | 'forked' | 'live'>({
    type: 'string',
    enum: ['offline', 'forked', 'live'],
    default: 'live',
    description: 'offline and forked are set by the lab; live follows real chains',
  }),
  FRESHNESS: Type.Unsafe<'' | 'head' | 'interval'>({
    type: 'string',
    enum: ['', 'head', 'interval'],
    default: '',
    description:
      'head: answers from the head as it stands when the question comes; interval: from the newest block followed, which is looked for when it is due; dry runs from one that is a second old, or older for up to 3 s where nodes are slow; empty = interval where live, head in a lab',
  }),
  FREEZE_TIME_SECS: integer('set by the lab of a pack: when simulations take place', 0, 0, 2 ** 48),
  SERVICE_NAME: text('the `dex` field of every quote', 'forkyard'),
  DATABASE_PATH: text('SQLite file', 'forkyard.sqlite'),
  DATABASE_URL: Type.String({
    default: '',
    pattern: '^(postgres(ql)?://.+)?$',
    description: 'PostgreSQL that several gateways share, instead of the SQLite file',
  }),
  DATABASE_DISK_GB: integer(
    "of PostgreSQL: what the database may take of its server's disk, beside its log and backups, to be warned in time; 0 = unknown",
    0,
  ),
  REDIS_URL: Type.String({
    default: '',
    pattern: '^((rediss?|unix)://.+)?$',
    description: 'Redis where several gateways share their rate limits; empty = each its own',
  }),
  KEY_PEPPER: text('secret, at least 32 characters: API keys are stored as HMAC under it'),
  KEY_PEPPER_FORMER: text('the pepper before it; keys that are used meanwhile are taken over'),
  KEY_PEPPER_FORMER_UNTIL: Type.String({
    default: '',
    pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)?)?$',
    description: 'when the former pepper counts no more, in UTC: 2027-01-31 or 2027-01-31T12:00Z',
  }),
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
  OPS_TOKEN: text(
    'secret, at least 32 characters: who gives it reads /ops/* and the console; empty = nobody outside a lab',
  ),
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
  MCP_URL: Type.String({
    default: '',
    pattern: '^(https?://[^ ]+)?$',
    description: 'where agents reach `forkyard mcp --http`, for the ERC-8004 document',
  }),
  SHUTDOWN_GRACE_SECS: integer(
    'after SIGTERM, requests under way are waited for so long (streams end at once); less than what the process is given to stop in',
    15,
  ),
  FREE_QUOTA: integer('quotes given at registration by wallet', 0),
  RATE_LIMIT_PER_SECOND: integer('units per second and key', 20, 1),
  RATE_LIMIT_BURST: integer('burst per key; GET /quote_exact_output weighs 16', 100, 16),
  IP_RATE_LIMIT_PER_SECOND: integer(
    'units per second and IPv4 address or IPv6 /64, four times as many of a /48, each for itself: requests without a key, keys that nobody has, claims, and payments; 0 = off',
    10,
  ),
  IP_RATE_LIMIT_BURST: integer(
    `burst of the same; a claim, a payment or a registration by wallet weighs ${chainWorkWeight}, with a key or without`,
    50,
    chainWorkWeight,
  ),
  MAX_CONNECTIONS_PER_ADDRESS: integer(
    'open at once to a service from an IPv4 address or IPv6 /64, four times as many from a /48, but for trusted proxies and this machine; 0 = no bound',
    512,
  ),
  TRUSTED_PROXIES: text(
    'comma-separated addresses and networks (10.0.0.0/8) whose X-Forwarded-For is believed',
  ),
  LEDGER_DETAIL_DAYS: integer(
    'charges and refunds keep rows of their own for so many days; after that their signed daily sums stay; 0 = for ever',
    0,
    0,
    36_500,
  ),
  CLAIM_CONFIRMATIONS: integer(
    'blocks from the one of a payment on, its own included, before a claim',
    2,
    1,
  ),
  CLAIM_FINALIZED_ABOVE: wei('raw USDC above which a claim waits for finality', '100000000'),
  META_PROVIDERS: text('remote quote providers: names, or JSON with their keys; empty = none'),
  META_SOURCES_OFF: text('comma-separated names, as in GET /sources, that are never asked'),
  META_UNLISTED_SOURCES: text(
    'comma-separated names of providers to ask without a list of their contracts; their quotes win only after a successful dry run',
  ),
  META_KEYS: Type.Unsafe<'none' | 'required'>({
    type: 'string',
    enum: ['none', 'required'],
    default: 'none',
    description:
      'required: quotes need an API key of the routing service; a unit per request and cycle of a stream',
  }),
  META_MAX_STREAMS: integer('streams at once; 0 = no cap', 4_096),
  META_MAX_STREAMS_PER_ADDRESS: integer(
    'streams at once of an IPv4 address or IPv6 /64, four times as many of a /48; 0 = no cap',
    64,
  ),
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
  POOL_FLOOR_USD: integer(
    "pools that hold less of the chain's hub tokens, in USD, are followed only while their tokens are asked for; 0 = none",
    100,
  ),
  MAX_POOLS_PER_CHAIN: integer('pools followed at once; the least deep make room', 10_000, 100),
  MAX_TOKENS_PER_CHAIN: integer('tokens of those pools', 10_000, 100),
  ROUTING_THREADS: Type.String({
    default: '',
    pattern: '^([1-5]?[0-9]|6[0-4])?$',
    description:
      'threads that search routes beside the one that serves, 40 to 90 MB each once it is needed; 0 = that one searches, between requests; empty = one for each core but one where live, 0 in a lab',
  }),
  UNKNOWN_POOL_PATIENCE_MS: integer(
    'how long a quote waits for the dry run of pools with unknown code where it has another route, and a tenth of it while one has not passed yet; 12 times as long where it has none',
    250,
    1,
  ),
  UPSTREAM_CALLS_PER_SECOND: integer(
    "calls of each chain's nodes in all; pools and relay are served first, others wait; 0 = no bound",
    0,
  ),
  UPSTREAM_SIMULATION_PER_SECOND: integer('of them for quotes and dry runs; 0 = no bound', 2_000),
  UPSTREAM_META_PER_SECOND: integer('of them for sources on the chain; 0 = no bound', 500),
  UPSTREAM_WARM_UP_PER_SECOND: integer('of them to warm up simulation forks; 0 = no bound', 500),
  UPSTREAM_CALL_UNITS: Type.String({
    default: '',
    pattern: callUnitsPattern,
    description:
      'what the provider counts for a call of each method, as `eth_call=26,eth_getLogs=60,*=20`, or the name of one whose table is known: alchemy, chainstack, infura; empty = each is one',
  }),
  UPSTREAM_UNITS_PER_SECOND: integer(
    "such units of each chain's nodes in a second; as UPSTREAM_CALLS_PER_SECOND, 0 = no bound",
    0,
  ),
  UPSTREAM_UNITS_PER_MONTH: integer(
    "such units of each chain's nodes in 30 days, of each gateway: ahead of that pace nothing is warmed up, half a day ahead no source on the chain is asked, a day ahead no dry run made; pools and relay go on; 0 = no bound",
    0,
  ),
  UPSTREAM_USD_PER_MILLION_UNITS: Type.Number({
    default: 0,
    minimum: 0,
    description:
      'what a million of them cost; 0 = as known of the provider that is named, else not priced',
  }),
  SIMULATORD_URL: Type.String({
    default: '',
    pattern: '^(http://.+)?$',
    description: 'supervisor that runs simulation forks in containers; empty = child processes',
  }),
  RELAY_MAX_NEW_PER_NETWORK_HOUR: integer(
    'new deployments per caller network (/24, /64) and hour, beside the gates; 0 = no cap',
    0,
  ),
  RELAY_OWNER_SIGNATURE: Type.Unsafe<'off' | 'preferred' | 'required'>({
    type: 'string',
    enum: ['off', 'preferred', 'required'],
    default: 'off',
    description:
      "off, preferred or required: whether a new deployment needs the owner's signature (EIP-712, 1271, 6492)",
  }),
  RELAY_SIGNED_SHARE_PERCENT: integer(
    "part of the hour that only requests with the owner's signature may use",
    0,
    0,
    100,
  ),
  LOG_LEVEL: Type.Unsafe<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    type: 'string',
    enum: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'debug, info, warn, error or silent',
  }),
  ACCESS_LOG: flag(
    'a line for each request: ids, route, outcome, units, time of each stage and step',
    false,
  ),
  CERTIFICATE_AT: Type.String({
    default: '',
    pattern: '^([A-Za-z0-9.-]+:[1-9][0-9]{0,4})?$',
    description:
      'host:port that shows callers the TLS certificate of ROUTING_PUBLIC_URL, to be warned before it ends; empty = not looked at',
  }),
  TRACES_URL: Type.String({
    default: '',
    pattern: '^(https?://.+)?$',
    description:
      'OpenTelemetry collector that spans are sent to, as http://collector:4318/v1/traces; empty = none are made',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    default: '',
    pattern: '^( *[A-Za-z0-9-]+ *=[^,]*(, *[A-Za-z0-9-]+ *=[^,]*)*)?$',
    description:
      'secret: headers that spans are sent with, as authorization=Bearer%20…,x-team=swaps; values percent-encoded',
  }),
  TRACES_PERCENT: integer('of the requests whose spans are sent', 10, 1, 100),
  LAB_MANIFEST: text('set by the lab: the manifest served at /lab/manifest'),
  LAB_REACH: text('set by a lab of containers: where /lab/* reaches the chains; else the manifest'),
  LAB_TOKEN: text('set by the lab: what changes the lab by /lab/* asks for it'),
  LAB_ORIGINS: text('labs only: pages beside those of this machine, https://app.example,…'),
  LAB_RUN: text('set by the lab: marks the processes of one gateway run'),
})

/** Settings of one chain; each name is prefixed with the chain's, e.g. `BASE_RPC_URL`. */
export const chainSettings = Type.Object({
  RPC_URL: text('comma-separated upstream RPC URLs, best first; empty = chain not served'),
  WS_URL: text(
    'secret where it holds a key: wss:// URL of a node that pushes new heads (eth_subscribe); empty = the head is polled',
  ),
  RPC_PRICES: Type.String({
    default: '',
    pattern: '^([0-9]+(\\.[0-9]+)?(,[0-9]+(\\.[0-9]+)?)*)?$',
    description:
      'what each URL of RPC_URL costs, one number for each: of those that are well and do not lag the cheapest is asked; empty = in their order',
  }),
  FORK_ORIGIN_URL: text('set by the lab where RPC_URL is a fork: the chain it was forked from'),
  FORK_ORIGIN_BLOCK: integer('set by the lab: the block it was forked at', 0, 0, 2 ** 48),
  TRUSTED_ADDRESSES: text(
    'comma-separated rate providers, hooks and oracles of pools that you have reviewed: believed without a dry run, as those of the built-in table are',
  ),
  TRUSTED_CODE_HASHES: text(
    'comma-separated keccak256 of the code of such parts, wherever it stands; not of a proxy, which is the same code whatever it calls',
  ),
  EXECUTOR: contract('SwapExecutor; empty = quotes have no payload'),
  QUOTA_MANAGER: contract('QuotaManager; empty = no quota is sold on the chain'),
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
  MAX_RELAY_FEE_WEI: wei(
    'gate 6: the most that one deployment may cost, its data on L1 included',
    '200000000000000',
  ),
  MIN_RELAYER_BALANCE_WEI: wei(
    'gate 7: with less on its account the relayer sponsors nothing',
    '1000000000000000',
  ),
  PENDING_WINDOW_SECS: integer(
    'gate 8: how long a deployment that was sent answers for its owner before it is replaced',
    120,
    1,
  ),
  MAX_SPONSORED_DEPLOYS_PER_CHAIN_HOUR: integer('gate 9: deployments within any hour', 60, 0),
  MAX_CHAIN_SPEND_PER_HOUR_WEI: wei(
    'gate 10: what they may cost within any hour, each counted at its worst',
    '20000000000000000',
  ),
  SPONSORED_GAS_CAP: integer(
    'gate 5: gas of one deployment; no higher limit is signed',
    200_000,
    21_000,
  ),
  X402_SETTLE: flag('settle x402 payments with the relayer key', false),
  X402_MAX_FEE_WEI: wei(
    'worst case of one settlement; one that deployments wait behind may cost as much as one of them',
    '100000000000000',
  ),
  X402_NATIVE_USD: integer(
    'USD that a whole native coin is taken to cost: no settlement may cost more than its pack earns',
    5_000,
    1,
  ),
  X402_MAX_SETTLEMENTS_PER_HOUR: integer(
    'settlements within any hour, apart from deployments',
    120,
    0,
  ),
  X402_MAX_SPEND_PER_HOUR_WEI: wei(
    'what they may cost within any hour, apart from deployments',
    '10000000000000000',
  ),
})

export type ProcessSettings = Static<typeof processSettings>
export type ChainSettings = Static<typeof chainSettings>

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
    ...chains.flatMap((chain) => rows(chainSettings, settingName(chain, ''))),
  ]
}
