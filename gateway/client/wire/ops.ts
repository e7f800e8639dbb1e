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

export type FollowedPool = {
  /** For GET /api/pool: its address, or its id in one contract */
  id: string
  dex: string
  protocol: string
  tokens: readonly {
    address: Hex
    symbol?: string | undefined
  }[]
  feePips: number
  swapsSeen: number
  changedBlock: number
  /** quoted: by its protocol, on the chain */
  pricing: 'local' | 'quoted'
  /** What its last swap in a dry run came to; absent: there was none yet */
  tried?: 'works' | 'refuses' | 'unknown' | undefined
}

export type PoolList = {
  block: number
  /** Followed */
  total: number
  /** With all words; pools has the busiest of them */
  found: number
  pools: readonly FollowedPool[]
  leftOut: readonly {
    dex: string
    pool: string
    reason: string
  }[]
}

export type GateNumber = {
  name: string
  value: string
  unit?: 'wei' | 'gas' | 'raw' | undefined
}

export type ExaminedGate = {
  step: number
  gate: string
  passes: boolean
  /** What it would refuse with */
  sentence?: string | undefined
  numbers: readonly GateNumber[]
}

export type ExaminedGates = {
  gates: readonly ExaminedGate[]
}

export type SponsoredTransaction = {
  id: number
  chainId: number
  owner: Hex
  proxy: Hex
  signer: Hex
  nonce: number
  status: 'pending' | 'mined' | 'failed' | 'final' | 'final_failed' | 'lost'
  createdAtMs: number
  /** What it costs at worst */
  reservedWei: string
  actualWei?: string | undefined
  blockNumber?: number | undefined
  minedHash?: Hex | undefined
  /** Signed for its nonce, the oldest first */
  attempts: readonly {
    hash: Hex
    maxFeePerGasWei: string
    gasLimit: string
  }[]
}

export type SponsoredTransactions = {
  transactions: readonly SponsoredTransaction[]
}

export type HeldKey = {
  id: string
  /** How the key begins */
  start: string
  label: string
  wallet?: Hex | undefined
  createdAtMs: number
  revokedAtMs?: number | undefined
  /** Quota units ever credited */
  total: number
  used: number
  remaining: number
}

export type PaymentReceipt = {
  chainId: number
  txHash: Hex
  logIndex: number
  blockNumber: number
  payer: Hex
  /** Raw, of the chain's payment token */
  amount: string
  quotes: number
  keyId: string
  state: 'credited' | 'final' | 'orphaned'
  atMs: number
}

export type SettlementReceipt = {
  id: number
  chainId: number
  asset: Hex
  payer: Hex
  keyId: string
  txHash: Hex
  signerNonce: number
  state: 'sent' | 'settled' | 'failed'
  reason?: string | undefined
  createdAtMs: number
}

export type Money = {
  /** Of all keys together, in quota units */
  quota: {
    credited: number
    used: number
  }
  keysFound: number
  keys: readonly HeldKey[]
  payments: readonly PaymentReceipt[]
  settlements: readonly SettlementReceipt[]
}

export type LedgerRow = {
  id: number
  kind: 'grant' | 'claim' | 'clawback' | 'charge' | 'refund'
  /** Below zero where they were taken */
  units: number
  ref: string
  atMs: number
}

export type LedgerRows = {
  entries: readonly LedgerRow[]
}

export type AuditFault = {
  check: string
  row: string
  found: string
}

export type AuditVerdict = {
  /** When it began: milliseconds of the Unix epoch */
  atMs: number
  tookMs: number
  /** Rows that do not balance; 0: the books balance */
  found: number
  /** The first hundred */
  faults: readonly AuditFault[]
}

export type Audit = {
  /** Of the audit under way */
  runningSinceMs?: number | undefined
  /** Of the newest, where it could not be made; the log says why */
  failedAtMs?: number | undefined
  last?: AuditVerdict | undefined
}

export type Candidate = {
  /** Label, copied to the result */
  providerId: string
  /** Transaction `to` */
  target: Hex
  /** Calldata */
  data: Hex
  /** msg.value, hex or decimal */
  value: string
  /** The zero address is the native currency */
  inputToken: Hex
  /** The zero address is the native currency */
  outputToken: Hex
  /** Raw amount the candidate spends */
  inputAmount: string
  /** Gets the allowance in the simulation; not needed for native input */
  approveTarget?: Hex | undefined
  /** Output the provider promises */
  quotedOutput: string
}

export type TraceRequest = {
  chainId: number
  candidate: Candidate
}

export type TracedTransfer = {
  token: Hex
  from: Hex
  to: Hex
  amount: string
}

export type TracedCall = {
  /** Of the candidate's own call: 0 */
  depth: number
  kind: string
  from: Hex
  to?: Hex | undefined
  selector: Hex
  /** Where the selector is known */
  function?: string | undefined
  /** Wei */
  value: string
  gasUsed: string
  /** Why it failed; absent: it did not */
  failure?: string | undefined
  /** The calls around it failed because of this one */
  isCause: boolean
  /** It, or a call around it, failed */
  isUndone: boolean
  /** As the token says; where that is undone, as it was asked for */
  transfers: readonly TracedTransfer[]
}

export type CandidateTrace = {
  block: number
  /** In the order in which they began */
  calls: readonly TracedCall[]
  /** Further calls: there are more than people read */
  leftOut: number
  /** Why there is no trace */
  reason?: string | undefined
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
  /** Basis points */
  bps?: number | undefined
}

export type FaultRequest = {
  name: 'invalid_request' | 'unauthorized' | 'payment_required' | 'forbidden' | 'no_route' | 'conflict' | 'body_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal_error' | 'chain_unreachable' | 'no_quotes' | 'unavailable' | 'proxy_page' | 'slow' | 'stall' | 'reset' | 'cut' | 'bad_json' | 'stream_cut' | 'stream_silent' | 'stream_duplicate' | 'stream_late' | 'stream_over' | 'stream_refresh_storm' | 'quota_gone' | 'relay_insufficient_token_balance' | 'relay_no_native_balance' | 'relay_simulation_reverted' | 'relay_gas_cap_exceeded' | 'relay_fee_ceiling_exceeded' | 'relay_not_funded' | 'relay_deploy_cap_reached' | 'relay_spend_budget_exhausted' | 'relay_existing' | 'relay_reverts' | 'relay_never_confirms' | 'relay_late' | 'quote_drift' | 'pool_moved' | 'token_taxed' | 'chain_reorg' | 'chain_paused' | 'chain_fee_spike' | 'node_down' | 'node_stale' | 'source_timeout' | 'source_rate_limited' | 'source_no_route' | 'source_unsupported_chain' | 'source_unsupported_token' | 'source_unsupported_exact_output' | 'source_invalid_response' | 'source_target_not_allowed' | 'source_calldata_mismatch' | 'source_upstream_error' | 'source_circuit_open' | 'source_not_configured'
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

export type LabLog = {
  name: string
  /** The newest last, without URLs */
  lines: readonly string[]
}

export type LabLogs = {
  logs: readonly LabLog[]
}

export type LabPack = {
  path: string
  bytes: number
  /** This lab runs on it */
  isOfLab: boolean
  /** Why it can not be used */
  refusal?: string | undefined
  chains: readonly {
    chainId: number
    blockNumber: number
    blockHash: Hex
    age: string
    /** Its clock is held */
    isFrozen: boolean
    answers: number
  }[]
}

export type LabPacks = {
  packs: readonly LabPack[]
}

export type WalletSwitches = {
  answer?: 'approve' | 'reject' | undefined
  delayMs?: number | undefined
  isConnected?: boolean | undefined
  /** Whether it knows EIP-5792 */
  hasBatches?: boolean | undefined
  /** EIP-7702, with the next transaction */
  delegateTo?: Hex | undefined
}

export type WalletQuestion = {
  /** Of one loaded page */
  session: string
  /** Of the lab's accounts. Default 0 */
  account?: number | undefined
  chainId?: number | undefined
  /** As of EIP-1193 */
  request?: {
    method: string
    params?: unknown | undefined
  } | undefined
  set?: WalletSwitches | undefined
  switchTo?: number | undefined
}

export type WalletAnswer = {
  /** Since the page's last question */
  events: readonly {
    name: string
    value?: unknown | undefined
  }[]
  /** Without a question: what was asked so far */
  result?: unknown | undefined
  error?: {
    code: number
    message: string
    data?: unknown | undefined
  } | undefined
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

export type OpsPoolsQuery = {
  chainId: number
  /** Words: symbols, exchanges, addresses; a pool has all of them. Default "" */
  search?: string | undefined
  /** Default 100 */
  limit?: number | undefined
}

export type OpsRelayGatesQuery = {
  chainId: number
  owner: Hex
  tokenIn: Hex
  amountIn: string
}

export type OpsRelayTransactionsQuery = {
  chainId?: number | undefined
  /** Default 50 */
  limit?: number | undefined
}

export type OpsMoneyQuery = {
  /** A key by its id, start, label or wallet; a payment by key, payer or hash. Default "" */
  search?: string | undefined
  /** Default 50 */
  limit?: number | undefined
}

export type OpsMoneyLedgerQuery = {
  keyId: string
  /** Default 50 */
  limit?: number | undefined
}

export type LabFaultsClearQuery = {
  name?: 'invalid_request' | 'unauthorized' | 'payment_required' | 'forbidden' | 'no_route' | 'conflict' | 'body_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal_error' | 'chain_unreachable' | 'no_quotes' | 'unavailable' | 'proxy_page' | 'slow' | 'stall' | 'reset' | 'cut' | 'bad_json' | 'stream_cut' | 'stream_silent' | 'stream_duplicate' | 'stream_late' | 'stream_over' | 'stream_refresh_storm' | 'quota_gone' | 'relay_insufficient_token_balance' | 'relay_no_native_balance' | 'relay_simulation_reverted' | 'relay_gas_cap_exceeded' | 'relay_fee_ceiling_exceeded' | 'relay_not_funded' | 'relay_deploy_cap_reached' | 'relay_spend_budget_exhausted' | 'relay_existing' | 'relay_reverts' | 'relay_never_confirms' | 'relay_late' | 'quote_drift' | 'pool_moved' | 'token_taxed' | 'chain_reorg' | 'chain_paused' | 'chain_fee_spike' | 'node_down' | 'node_stale' | 'source_timeout' | 'source_rate_limited' | 'source_no_route' | 'source_unsupported_chain' | 'source_unsupported_token' | 'source_unsupported_exact_output' | 'source_invalid_response' | 'source_target_not_allowed' | 'source_calldata_mismatch' | 'source_upstream_error' | 'source_circuit_open' | 'source_not_configured' | undefined
}

export type LabLogsQuery = {
  /** Default 50 */
  lines?: number | undefined
}

export type Operations = {
  /** The process answers */
  'GET /livez': { answer: Live }
  /** Whether anything can be served; 503 with the reasons where not */
  'GET /readyz': { answer: Readiness }
  /** Whether the gateway was ever ready; from then on 200 as long as the process answers */
  'GET /startupz': { answer: Startup }
  /** Prometheus metrics; in the OpenMetrics format, with exemplars, for who accepts it */
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
  /** The followed pools of a chain, and those left out */
  'GET /ops/pools': { query: OpsPoolsQuery; answer: PoolList }
  /** Each gate of the relay for an owner, with what it is decided on */
  'GET /ops/relay/gates': { query: OpsRelayGatesQuery; answer: ExaminedGates }
  /** The newest sponsored deployments, with all that was signed for each */
  'GET /ops/relay/transactions': { query: OpsRelayTransactionsQuery; answer: SponsoredTransactions }
  /** Keys with their quota, payments claimed and settlements, the newest first */
  'GET /ops/money': { query: OpsMoneyQuery; answer: Money }
  /** What was credited to a key and charged, the newest first */
  'GET /ops/money/ledger': { query: OpsMoneyLedgerQuery; answer: LedgerRows }
  /** The last verdict on the books since this gateway started */
  'GET /ops/money/audit': { answer: Audit }
  /** Audit the whole database, in a thread beside the gateway; chains are not asked */
  'POST /ops/money/audit': { answer: Audit }
  /** The calls of one candidate in a dry run, with the one that failed it */
  'POST /ops/compare/trace': { body: TraceRequest; answer: CandidateTrace }
  /** Make a balance be an amount, in raw units; the zero address is the native currency */
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
  /** Forget the faults that wait, or those of one name, and take back what lasts of them on a chain */
  'POST /lab/faults/clear': { query: LabFaultsClearQuery; answer: Done }
  /** The last lines of the logs of this lab, as forkyard lab logs has them */
  'GET /lab/logs': { query: LabLogsQuery; answer: LabLogs }
  /** The pack of this lab and those in the folder that it was started in */
  'GET /lab/packs': { answer: LabPacks }
  /** A wallet that pages under test discover: <script crossorigin src="…/lab/wallet.js"> */
  'GET /lab/wallet.js': { answer: string }
  /** What such a page asks of its wallet; for pages that the lab trusts */
  'POST /lab/wallet': { body: WalletQuestion; answer: WalletAnswer }
}
