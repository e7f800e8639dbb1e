// Written by fixtures/client/generate.ts out of the OpenAPI document.

type Hex = `0x${string}`

export type Live = {
  status: 'ok'
}

export type Readiness = {
  ready: boolean
  reasons: readonly string[]
  warnings: readonly string[]
}

export type Startup = {
  started: boolean
}

export type LabServices = {
  routing: string
  meta: string
  relay: string
  ops: string
}

export type LabToken = {
  address: Hex
  decimals: number
}

export type LabDex = {
  name: string
  protocol: string
  factory: Hex
  quoter: Hex | null
  router: Hex | null
  pools: number
}

export type LabAccount = {
  address: Hex
  /** Public: of a lab only */
  privateKey: Hex
  /** Human amounts by symbol, ETH among them */
  funded: { [name: string]: string }
}

export type LabChain = {
  /** The chain the gateway follows: send transactions here */
  rpcUrl: string
  /** Takes cheatcodes too */
  adminRpcUrl?: string | undefined
  executor: Hex
  quotaManager: Hex
  proxyFactory: Hex
  proxyImplementation: Hex
  relayer: Hex
  /** By symbol */
  tokens: { [name: string]: LabToken }
  dexes: readonly LabDex[]
  accounts: readonly LabAccount[]
}

export type LabManifest = {
  version: string
  mode: 'offline' | 'forked'
  /** Process id of the gateway */
  pid: number
  services: LabServices
  apiKey: string
  /** For POST /lab/* */
  adminToken: string
  /** By chain id */
  chains: { [name: string]: LabChain }
}

export type GatewayFacts = {
  version: string
  mode: 'offline' | 'forked' | 'live'
  services: {
    /** Where callers reach it */
    routing: string
    /** Where callers reach it */
    meta: string
    /** Where callers reach it */
    relay: string
  }
  chains: readonly {
    chainId: number
    name: string
  }[]
}

export type LiveEvent = {
  /** Milliseconds of the Unix epoch */
  atMs: number
  kind: 'answered' | 'sync' | 'fork' | 'relay'
  what: string
  chainId?: number | undefined
  status?: number | undefined
  durationMs?: number | undefined
}

export type LiveEvents = {
  events: readonly LiveEvent[]
  more: number
}

export type LoginRequest = {
  token: string
}

export type Done = {
  done: boolean
}

export type DealRequest = {
  /** chain of this lab */
  chainId: number
  token: Hex
  to: Hex
  amount: string
}

export type MineRequest = {
  /** chain of this lab */
  chainId: number
  /** Default 1 */
  blocks?: number | undefined
}

export type WarpRequest = {
  /** chain of this lab */
  chainId: number
  secs: number
}

export type SnapshotRequest = {
  /** chain of this lab */
  chainId: number
}

export type Snapshot = {
  id: string
}

export type RevertRequest = {
  /** chain of this lab */
  chainId: number
  id: string
}

export type ImpersonateRequest = {
  /** chain of this lab */
  chainId: number
  from: Hex
  to: Hex
  data?: Hex | undefined
  value?: string | undefined
}

export type Sent = {
  hash: Hex
}

export type Fault = {
  name: string
  sentence: string
  /** What else can be said of whom it means */
  targets: readonly string[]
  /** JSON Schema of its settings */
  settings: unknown
}

export type ArmedFault = {
  name: string
  left: number
  service?: 'routing' | 'meta' | 'relay' | undefined
  /** As requests name it: /quote */
  path?: string | undefined
  /** Of source_…: only this one, by its name of GET /sources */
  source?: string | undefined
  /** Of chain_… and node_…: only this chain; else each of the lab */
  chainId?: number | undefined
}

export type FaultList = {
  faults: readonly Fault[]
  armed: readonly ArmedFault[]
}

export type FaultSettings = {
  /** Milliseconds */
  ms?: number | undefined
  /** Bytes that come through */
  bytes?: number | undefined
  /** Events */
  events?: number | undefined
  /** Seconds of Retry-After */
  retryAfterSecs?: number | undefined
  /** Blocks */
  blocks?: number | undefined
  /** Gwei of the base fee */
  gwei?: number | undefined
}

export type FaultRequest = {
  name: 'invalid_request' | 'unauthorized' | 'payment_required' | 'forbidden' | 'no_route' | 'conflict' | 'body_too_large' | 'rate_limited' | 'internal_error' | 'chain_unreachable' | 'no_quotes' | 'unavailable' | 'proxy_page' | 'slow' | 'stall' | 'reset' | 'cut' | 'bad_json' | 'stream_cut' | 'stream_silent' | 'stream_duplicate' | 'stream_late' | 'stream_over' | 'stream_refresh_storm' | 'quota_gone' | 'relay_insufficient_token_balance' | 'relay_no_native_balance' | 'relay_simulation_reverted' | 'relay_gas_cap_exceeded' | 'relay_fee_ceiling_exceeded' | 'relay_not_funded' | 'relay_deploy_cap_reached' | 'relay_spend_budget_exhausted' | 'relay_existing' | 'relay_reverts' | 'relay_never_confirms' | 'relay_late' | 'chain_reorg' | 'chain_paused' | 'chain_fee_spike' | 'node_down' | 'node_stale' | 'source_timeout' | 'source_rate_limited' | 'source_no_route' | 'source_unsupported_chain' | 'source_unsupported_token' | 'source_unsupported_exact_output' | 'source_invalid_response' | 'source_target_not_allowed' | 'source_calldata_mismatch' | 'source_upstream_error' | 'source_circuit_open' | 'source_not_configured'
  /** Of the next requests. Default 1 */
  times?: number | undefined
  /** So many of them pass first. Default 0 */
  after?: number | undefined
  /** Then it is forgotten. Default 60000 */
  ttlMs?: number | undefined
  service?: 'routing' | 'meta' | 'relay' | undefined
  /** As requests name it: /quote */
  path?: string | undefined
  /** Of source_…: only this one, by its name of GET /sources */
  source?: string | undefined
  /** Of chain_… and node_…: only this chain; else each of the lab */
  chainId?: number | undefined
  /** Only requests with this key, as of a lease */
  apiKey?: string | undefined
  /** Only requests with this X-Client-Id */
  clientId?: string | undefined
  settings?: FaultSettings | undefined
}

export type Error = {
  /** One sentence for a person */
  error: string
  /** snake_case, for programs */
  code: string
  request_id: string
  details?: readonly {
    field: string
    reason: string
  }[] | undefined
  /** With 429: as the Retry-After header */
  retryAfterSec?: number | undefined
}

/** Data of each event of the stream by its name. */
export type StreamEvents = {
  events: LiveEvents
}

export type Operations = {
  /** The process answers */
  'GET /livez': { answer: Live }
  /** Whether anything can be served; 503 with the reasons where not */
  'GET /readyz': { answer: Readiness }
  /** Whether the gateway was ever ready; from then on 200 as long as the process answers */
  'GET /startupz': { answer: Startup }
  /** Prometheus metrics */
  'GET /metrics': { answer: string }
  /** Everything a client needs to use this lab */
  'GET /lab/manifest': { answer: LabManifest }
  /** What this gateway is: version, mode, services, chains */
  'GET /ops/gateway': { answer: GatewayFacts }
  /** What happens, as it happens: requests answered, chains, forks, the relay */
  'GET /ops/events': { answer: LiveEvents }
  /** Give the operators' token, get a cookie that a page's scripts cannot read */
  'POST /ops/login': { body: LoginRequest; answer: Done }
  /** Take the cookie back */
  'POST /ops/logout': { answer: Done }
  /** Make a balance be an amount; the zero address is the native currency */
  'POST /lab/deal': { body: DealRequest; answer: Done }
  /** Mine blocks */
  'POST /lab/mine': { body: MineRequest; answer: Done }
  /** Let seconds pass, and mine a block that knows it */
  'POST /lab/warp': { body: WarpRequest; answer: Done }
  /** Keep the state of a chain */
  'POST /lab/snapshot': { body: SnapshotRequest; answer: Snapshot }
  /** Go back to a kept state; the answer names it anew */
  'POST /lab/revert': { body: RevertRequest; answer: Snapshot }
  /** Send a transaction of an account whose key nobody needs */
  'POST /lab/impersonate': { body: ImpersonateRequest; answer: Sent }
  /** The faults that can be asked for, and those that wait for their requests */
  'GET /lab/faults': { answer: FaultList }
  /** Have the next requests go wrong */
  'POST /lab/faults': { body: FaultRequest; answer: ArmedFault }
  /** Forget the faults that wait */
  'POST /lab/faults/clear': { answer: Done }
}
