// Written by fixtures/client/generate.ts out of the OpenAPI document.

type Hex = `0x${string}`

/** Unknown fields are ignored */
export type QuoteRequest = {
  /** Chain id */
  chain_id: number
  /** Token to sell; the zero address is the native currency */
  token_in: Hex
  /** Token to buy; the zero address is the native currency */
  token_out: Hex
  /** Raw amount to sell */
  amount_in: string
  /** Slippage allowed below the quoted output, in basis points; "auto" takes it from what the pools of the route did lately (10 to 150), and slippage_auto says how. Default 50 */
  slippage_bps?: number | string | undefined
  /** Wallet that will submit; the output goes to it */
  taker?: Hex | undefined
  /** Quote what the pools take when they cannot take all of amount_in. Default false */
  allow_partial?: boolean | undefined
  /** Dry-run the payload before answering. Default false */
  verify?: boolean | undefined
  /** Only pools of these DEXes, by the names of GET /api/chains */
  include_dexes?: readonly string[] | undefined
  /** No pools of these DEXes */
  exclude_dexes?: readonly string[] | undefined
  /** Not through these pools: addresses as in steps[].pool, or ids as in steps[].pool_id */
  exclude_pools?: readonly string[] | undefined
  /** Most swaps one after the other, on every path of the answer. Default: 3, and up to 5 where splits meet (ultra: 4 and 6) */
  max_hops?: number | undefined
  /** Most swaps in all. Default and most: 96 (ultra: 112) */
  max_steps?: number | undefined
  /** One path alone, whatever splits would bring more. Default: false */
  single_path?: boolean | undefined
  /** Wei per gas, up to 1000000000000000, that the route is chosen by: steps not worth their gas are left out. 0 looks at the output alone. Default: the chain's price */
  gas_price_wei?: string | undefined
  /** Unix seconds after which the payload reverts; in the future. Default: 20 minutes from now */
  deadline?: number | undefined
  /** Further quotes to answer, the next best ones; no two share a pool. Each that is asked for costs a unit */
  alternatives?: number | undefined
  /** Answer the route as a graph, too, for drawing */
  route_graph?: boolean | undefined
}

export type Execution = {
  spender: Hex
  target: Hex
  calldata: string
  /** Hex msg.value */
  value: string
}

export type QuoteStep = {
  protocol: string
  dex: string
  pool: Hex
  /** Where many pools share one contract */
  pool_id?: Hex | undefined
  token_in: Hex
  token_out: Hex
  fee_pips: number
  amount_in: string
  amount_out: string
  /** Number of the parallel path, from 0 */
  path: number
  /** Part of the route's input that flows through this step */
  share_bps: number
}

export type RouteNode = {
  token: Hex
  symbol?: string | undefined
  decimals?: number | undefined
  /** Raw amount that arrives; 0 where the route begins */
  received: string
  /** Raw amount that goes on; 0 where the route ends */
  spent: string
}

export type RouteEdge = {
  /** Index of a node */
  from: number
  /** Index of a node */
  to: number
  /** Index of the step in steps */
  step: number
  amount_in: string
  amount_out: string
  /** Part of the route's input */
  share_bps: number
}

/** Tokens and the swaps between them. Without nodes for a wrap */
export type RouteGraph = {
  /** One per token, in the order the route reaches them */
  nodes: readonly RouteNode[]
  /** One per step */
  edges: readonly RouteEdge[]
}

export type AlternativeQuote = {
  /** Name of this service */
  dex: string
  /** Raw amount the taker receives when the state has not moved */
  output: string
  /** Execution gas; an L1 data fee comes on top */
  gas_estimate: string
  source: 'local' | 'path_hint' | 'rpc' | 'SmartRouter:exact_output_via_exact_input'
  route_path: string
  price_impact_bps: number
  /** Like price_impact_bps, but against what all pools of each step's two tokens say together (the median of their mid prices, weighted by depth): a pool off the market costs what it is off. Below 0 where the route gives more */
  market_impact_bps?: number | undefined
  /** One per step. A, B, C, D, E for a step that costs at most 0.35, 1, 3, 10, 30 % against the mid price of its pool, else F; one down each for state older than 5 s, a pool unused for a week and a taxed token, two for a tax over 5 % */
  pool_grades: readonly ('A' | 'B' | 'C' | 'D' | 'E' | 'F')[]
  route_readiness: string
  last_sync_block: number
  sync_lag_ms: number
  verify_block_lag?: number | undefined
  verified_output?: string | undefined
  deviation_bps?: number | undefined
  tax_in_bps: number
  tax_out_bps: number
  route_executable: boolean
  route_unexecutable_reason?: string | undefined
  /** What the payload enforces: output less slippage */
  min_output: string
  /** Where slippage_bps is auto: how it was found */
  slippage_auto?: {
    /** The slippage that min_output has: 10 to 150 */
    bps: number
    /** What the route's price is expected to move in a minute (one standard deviation, from the mid prices of its pools, each by its share). The slippage is 10 and twice this */
    move_bps: number
    /** How long the pools were looked at; what is over ten minutes ago counts less. Under a minute the slippage is 50 at least */
    observed_secs: number
  } | undefined
  input_consumed?: string | undefined
  /** At most this far, net of gas, below the best possible route of whatever length that visits no token twice. Absent where nothing proves it: routes of pools that the chain was asked about, hints, exact outputs, alternatives, searches that had no work left, and where gas takes all that it brings */
  optimality_gap_bps?: number | undefined
  /** GET /quote/:hash explains the quote for ten minutes, to this key; of its latest 128 */
  quote_hash?: Hex | undefined
  /** Same as execution.target */
  router?: Hex | undefined
  /** Same as execution.calldata */
  calldata?: string | undefined
  execution?: Execution | undefined
  steps: readonly QuoteStep[]
  route_graph?: RouteGraph | undefined
}

export type Quote = {
  /** Name of this service */
  dex: string
  /** Raw amount the taker receives when the state has not moved */
  output: string
  /** Execution gas; an L1 data fee comes on top */
  gas_estimate: string
  source: 'local' | 'path_hint' | 'rpc' | 'SmartRouter:exact_output_via_exact_input'
  route_path: string
  price_impact_bps: number
  /** Like price_impact_bps, but against what all pools of each step's two tokens say together (the median of their mid prices, weighted by depth): a pool off the market costs what it is off. Below 0 where the route gives more */
  market_impact_bps?: number | undefined
  /** One per step. A, B, C, D, E for a step that costs at most 0.35, 1, 3, 10, 30 % against the mid price of its pool, else F; one down each for state older than 5 s, a pool unused for a week and a taxed token, two for a tax over 5 % */
  pool_grades: readonly ('A' | 'B' | 'C' | 'D' | 'E' | 'F')[]
  route_readiness: string
  last_sync_block: number
  sync_lag_ms: number
  verify_block_lag?: number | undefined
  verified_output?: string | undefined
  deviation_bps?: number | undefined
  tax_in_bps: number
  tax_out_bps: number
  route_executable: boolean
  route_unexecutable_reason?: string | undefined
  /** What the payload enforces: output less slippage */
  min_output: string
  /** Where slippage_bps is auto: how it was found */
  slippage_auto?: {
    /** The slippage that min_output has: 10 to 150 */
    bps: number
    /** What the route's price is expected to move in a minute (one standard deviation, from the mid prices of its pools, each by its share). The slippage is 10 and twice this */
    move_bps: number
    /** How long the pools were looked at; what is over ten minutes ago counts less. Under a minute the slippage is 50 at least */
    observed_secs: number
  } | undefined
  input_consumed?: string | undefined
  /** At most this far, net of gas, below the best possible route of whatever length that visits no token twice. Absent where nothing proves it: routes of pools that the chain was asked about, hints, exact outputs, alternatives, searches that had no work left, and where gas takes all that it brings */
  optimality_gap_bps?: number | undefined
  /** GET /quote/:hash explains the quote for ten minutes, to this key; of its latest 128 */
  quote_hash?: Hex | undefined
  /** Same as execution.target */
  router?: Hex | undefined
  /** Same as execution.calldata */
  calldata?: string | undefined
  execution?: Execution | undefined
  steps: readonly QuoteStep[]
  route_graph?: RouteGraph | undefined
  /** Where some were asked for: fewer where the pools give out */
  alternatives?: readonly AlternativeQuote[] | undefined
}

export type QuotesRequest = {
  quotes: readonly QuoteRequest[]
}

export type QuotesEntry = {
  quote?: Quote | undefined
  /** Why there is no quote */
  error?: string | undefined
  /** no_route or unavailable */
  code?: string | undefined
}

export type Quotes = {
  /** One per request, in their order */
  quotes: readonly QuotesEntry[]
}

export type LpLeg = {
  /** The zero address is the native currency */
  token: Hex
  /** Estimated USD value held, above 0 and up to 1000000000000000; ignored if amount is set */
  value_usd?: number | null | undefined
  /** Explicit raw amount */
  amount?: string | undefined
  /** Raw upper bound; the amount is clamped to it */
  max_amount?: string | undefined
}

export type LpDisposalRequest = {
  /** Chain id */
  chain_id: number
  target_token: Hex
  legs: readonly LpLeg[]
  /** Slippage allowed below the quoted output, in basis points; "auto" takes it from what the pools of the route did lately (10 to 150), and slippage_auto says how. Default 50 */
  slippage_bps?: number | string | undefined
  /** Taken off value-derived amounts. Default 50 */
  amount_haircut_bps?: number | undefined
  taker?: Hex | undefined
  /** Default deep */
  routing_mode?: 'deep' | 'ultra' | undefined
  /** Report failed legs in place. Default false */
  allow_partial?: boolean | undefined
  /** Waives max_amount; for estimates, not for verbatim execution: legs without a bound have no payload. Default false */
  allow_unbounded_estimate?: boolean | undefined
  /** Only pools of these DEXes, by the names of GET /api/chains */
  include_dexes?: readonly string[] | undefined
  /** No pools of these DEXes */
  exclude_dexes?: readonly string[] | undefined
  /** Not through these pools: addresses as in steps[].pool, or ids as in steps[].pool_id */
  exclude_pools?: readonly string[] | undefined
  /** Most swaps one after the other, on every path of the answer. Default: 3, and up to 5 where splits meet (ultra: 4 and 6) */
  max_hops?: number | undefined
  /** Most swaps in all. Default and most: 96 (ultra: 112) */
  max_steps?: number | undefined
  /** One path alone, whatever splits would bring more. Default: false */
  single_path?: boolean | undefined
  /** Wei per gas, up to 1000000000000000, that the route is chosen by: steps not worth their gas are left out. 0 looks at the output alone. Default: the chain's price */
  gas_price_wei?: string | undefined
  /** Unix seconds after which the payload reverts; in the future. Default: 20 minutes from now */
  deadline?: number | undefined
}

/** What a value-derived amount was computed with */
export type UsdPrice = {
  source: 'feed' | 'pools'
  /** Since the round or block it comes from */
  age_secs: number
  confidence: number
}

export type LpLegResult = {
  token: Hex
  value_usd: number
  estimated_amount_in: string
  amount_source: 'value_usd' | 'explicit'
  capped?: boolean | undefined
  passthrough: boolean
  price?: UsdPrice | undefined
  quote?: Quote | undefined
  error?: string | undefined
}

export type LpDisposal = {
  chain_id: number
  target_token: Hex
  complete: boolean
  failed_legs: number
  total_estimated_output: string
  legs: readonly LpLegResult[]
}

export type ExactOutputQuote = {
  /** Name of this service */
  dex: string
  /** Raw amount the taker receives when the state has not moved */
  output: string
  /** Execution gas; an L1 data fee comes on top */
  gas_estimate: string
  source: 'local' | 'path_hint' | 'rpc' | 'SmartRouter:exact_output_via_exact_input'
  route_path: string
  price_impact_bps: number
  /** Like price_impact_bps, but against what all pools of each step's two tokens say together (the median of their mid prices, weighted by depth): a pool off the market costs what it is off. Below 0 where the route gives more */
  market_impact_bps?: number | undefined
  /** One per step. A, B, C, D, E for a step that costs at most 0.35, 1, 3, 10, 30 % against the mid price of its pool, else F; one down each for state older than 5 s, a pool unused for a week and a taxed token, two for a tax over 5 % */
  pool_grades: readonly ('A' | 'B' | 'C' | 'D' | 'E' | 'F')[]
  route_readiness: string
  last_sync_block: number
  sync_lag_ms: number
  verify_block_lag?: number | undefined
  verified_output?: string | undefined
  deviation_bps?: number | undefined
  tax_in_bps: number
  tax_out_bps: number
  route_executable: boolean
  route_unexecutable_reason?: string | undefined
  /** What the payload enforces: output less slippage */
  min_output: string
  /** Where slippage_bps is auto: how it was found */
  slippage_auto?: {
    /** The slippage that min_output has: 10 to 150 */
    bps: number
    /** What the route's price is expected to move in a minute (one standard deviation, from the mid prices of its pools, each by its share). The slippage is 10 and twice this */
    move_bps: number
    /** How long the pools were looked at; what is over ten minutes ago counts less. Under a minute the slippage is 50 at least */
    observed_secs: number
  } | undefined
  /** Raw amount the payload spends */
  input_consumed: string
  /** At most this far, net of gas, below the best possible route of whatever length that visits no token twice. Absent where nothing proves it: routes of pools that the chain was asked about, hints, exact outputs, alternatives, searches that had no work left, and where gas takes all that it brings */
  optimality_gap_bps?: number | undefined
  /** GET /quote/:hash explains the quote for ten minutes, to this key; of its latest 128 */
  quote_hash?: Hex | undefined
  /** Same as execution.target */
  router?: Hex | undefined
  /** Same as execution.calldata */
  calldata?: string | undefined
  execution?: Execution | undefined
  steps: readonly QuoteStep[]
  route_graph?: RouteGraph | undefined
  /** Where some were asked for: fewer where the pools give out */
  alternatives?: readonly AlternativeQuote[] | undefined
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

export type CompareRequest = {
  /** Chain id */
  chainId: number
  candidates: readonly Candidate[]
}

export type ComparedCandidate = {
  providerId: string
  status: 'ok' | 'simulation_failed' | 'simulation_unavailable'
  success: boolean
  quotedOutput: string
  actualOutput?: string | undefined
  /** actualOutput minus quotedOutput, signed */
  accuracyDelta?: string | undefined
  accuracyBps?: number | undefined
  gas_used?: string | undefined
  error?: string | undefined
}

export type Comparison = {
  results: readonly ComparedCandidate[]
  winnerProviderId?: string | undefined
  /** The block that all of them were simulated on */
  block_number: number
}

export type QuoteExplanation = {
  hash: Hex
  /** Unix seconds */
  asked_at: number
  /** Unix seconds; then it is forgotten */
  expires_at: number
  request: {
    /** Chain id */
    chain_id: number
    token_in: Hex
    token_out: Hex
    amount_in: string
    slippage_bps: number | string
    taker?: Hex | undefined
    include_dexes?: readonly string[] | undefined
    exclude_dexes?: readonly string[] | undefined
    exclude_pools?: readonly string[] | undefined
  }
  /** What bounded the search */
  search: {
    max_hops: number
    max_steps: number
    /** Looks at a pool; the same on every machine */
    max_work: number
    /** What the route was chosen by */
    gas_price_wei: string
  }
  steps: readonly {
    dex: string
    pool: Hex
    share_bps: number
    /** Against the mid price of the pool, with its fee */
    impact_bps: number
    grade: 'A' | 'B' | 'C' | 'D' | 'E' | 'F'
    /** quoted: by its protocol, on the chain */
    pricing: 'local' | 'quoted'
  }[]
  /** What there is to say, one sentence each */
  notes: readonly string[]
  /** The answer without its steps and payload */
  quote: {
    /** Name of this service */
    dex: string
    /** Raw amount the taker receives when the state has not moved */
    output: string
    /** Execution gas; an L1 data fee comes on top */
    gas_estimate: string
    source: 'local' | 'path_hint' | 'rpc' | 'SmartRouter:exact_output_via_exact_input'
    route_path: string
    price_impact_bps: number
    /** Like price_impact_bps, but against what all pools of each step's two tokens say together (the median of their mid prices, weighted by depth): a pool off the market costs what it is off. Below 0 where the route gives more */
    market_impact_bps?: number | undefined
    /** One per step. A, B, C, D, E for a step that costs at most 0.35, 1, 3, 10, 30 % against the mid price of its pool, else F; one down each for state older than 5 s, a pool unused for a week and a taxed token, two for a tax over 5 % */
    pool_grades: readonly ('A' | 'B' | 'C' | 'D' | 'E' | 'F')[]
    route_readiness: string
    last_sync_block: number
    sync_lag_ms: number
    verify_block_lag?: number | undefined
    verified_output?: string | undefined
    deviation_bps?: number | undefined
    tax_in_bps: number
    tax_out_bps: number
    route_executable: boolean
    route_unexecutable_reason?: string | undefined
    /** What the payload enforces: output less slippage */
    min_output: string
    /** Where slippage_bps is auto: how it was found */
    slippage_auto?: {
      /** The slippage that min_output has: 10 to 150 */
      bps: number
      /** What the route's price is expected to move in a minute (one standard deviation, from the mid prices of its pools, each by its share). The slippage is 10 and twice this */
      move_bps: number
      /** How long the pools were looked at; what is over ten minutes ago counts less. Under a minute the slippage is 50 at least */
      observed_secs: number
    } | undefined
    input_consumed?: string | undefined
    /** At most this far, net of gas, below the best possible route of whatever length that visits no token twice. Absent where nothing proves it: routes of pools that the chain was asked about, hints, exact outputs, alternatives, searches that had no work left, and where gas takes all that it brings */
    optimality_gap_bps?: number | undefined
    /** GET /quote/:hash explains the quote for ten minutes, to this key; of its latest 128 */
    quote_hash?: Hex | undefined
  }
}

export type SimulationFork = {
  chain_id: number
  ready: boolean
  block_number?: number | undefined
  /** Since that block was last known to be the head; 0 at rest, where whoever asks waits for a new one */
  age_ms: number
}

export type ChainSync = {
  chain_id: number
  role: 'alone' | 'leader' | 'follower'
  last_sync_block: number
  sync_lag_ms: number
  pools: number
  tokens: number
  /** Below the floor or beyond the bound: known, not followed */
  pools_shelved?: number | undefined
  /** Followed once; they made room */
  pools_evicted?: number | undefined
  /** Read anew in rounds, and found to be something else */
  pools_healed?: number | undefined
}

export type DexLeftOut = {
  chain_id: number
  dex: string
  reason: string
}

export type PoolLeftOut = {
  chain_id: number
  dex: string
  pool: string
  reason: string
}

export type Health = {
  status: 'ok' | 'degraded' | 'error'
  version: string
  uptime_secs: number
  /** The simulation forks */
  forks: readonly SimulationFork[]
  /** Who reads each chain: this gateway, or the elected one whose pools it follows */
  syncs: readonly ChainSync[]
  /** Configured DEXes that are not what their rows say on that chain */
  dexes_left_out: readonly DexLeftOut[]
  /** Pools that are not quoted since reading them failed, the latest ones of each chain; they are tried again */
  pools_left_out: readonly PoolLeftOut[]
  /** Followed pools of all chains; the total has all other kinds, too */
  pools: {
    total: number
    /** Pairs with reserves */
    v2: number
    /** Contracts with ticks */
    v3: number
    /** Pools in Uniswap v4's manager */
    v4: number
  }
  sync: {
    /** Of the chain that lags most */
    max_lag_ms: number
  }
  system: {
    /** Memory of this process */
    rss_mb: number
  }
  /** Places for searches; beyond them a request is answered 503 */
  quotes: {
    /** Searches that may wait */
    semaphore_total: number
    semaphore_available: number
    /** Searches that do */
    semaphore_waiting: number
  }
  /** What is not as it should be, one sentence each, the troubles of each chain first */
  warnings: readonly string[]
}

export type Token = {
  chain_id: number
  symbol: string
  decimals: number
}

export type Tokens = { [name: string]: Token }

export type ChainDex = {
  name: string
  protocol: string
  pool_count: number
}

export type Chain = {
  name: string
  chain_id: number
  dex_count: number
  pool_count: number
  executor: Hex | null
  last_sync_block: number
  sync_lag_ms: number
  /** Those of /api/tokens that this gateway was given; others bear what symbol their maker chose */
  tokens: readonly Hex[]
  dexes: readonly ChainDex[]
}

export type Chains = readonly Chain[]

export type DexCoverage = {
  dex: string
  /** What is neither loaded nor refused is still to be read */
  known: number
  /** Whether its pools have been looked for; before, more may become known */
  searched: boolean
  loaded: number
  /** Why pools are not loaded, the most frequent reason first */
  refused: readonly {
    reason: string
    pools: number
  }[]
  /** Why the DEX is not what its row says */
  left_out?: string | undefined
}

export type ChainStatus = {
  chain_id: number
  status: 'ok' | 'degraded' | 'down'
  last_sync_block: number
  last_sync_hash?: string | undefined
  /** Seconds, of the block's clock */
  last_sync_timestamp: number
  /** Since the state was last known to be the head */
  sync_lag_ms: number
  /** How old that block is, by its clock and ours; absent before the first */
  head_age_secs?: number | undefined
  /** Where it is over a minute old: this gateway where all RPC URLs know more, a node where another URL does, the chain where none does, and chain or node where there is one URL alone or one does not tell */
  stands_still?: 'gateway' | 'node' | 'chain' | 'chain_or_node' | undefined
  pool_count: number
  token_count: number
  gas_price_wei: string
  simulator_ready: boolean
  /** Until all pools are loaded, at the pace so far; absent where none are being loaded, exchanges are still looked at, or nothing says yet how fast */
  load_secs_left?: number | undefined
  /** Each DEX' pools; of another gateway that reads the chain as it told in the last seconds, absent until it does */
  coverage?: readonly DexCoverage[] | undefined
}

export type Status = {
  status: 'ok' | 'degraded' | 'error'
  chains: readonly ChainStatus[]
}

export type PoolTick = {
  index: number
  liquidity_gross: string
  liquidity_net: string
}

export type PoolBin = {
  id: number
  reserve0: string
  reserve1: string
  /** Both in token1, at the bin's price */
  liquidity: string
}

export type Pool = {
  chain_id: number
  address: Hex
  dex: string
  protocol: string
  token0: Hex
  token1: Hex
  tokens: readonly Hex[]
  fee_pips: number
  changed_block: number
  swaps_seen: number
  reserve0?: string | undefined
  reserve1?: string | undefined
  balances?: readonly string[] | undefined
  stable?: boolean | undefined
  tick_spacing?: number | undefined
  sqrt_price_x96?: string | undefined
  tick?: number | undefined
  liquidity?: string | undefined
  ticks?: readonly PoolTick[] | undefined
  bin_step_bps?: number | undefined
  /** The bin that holds the price */
  active_id?: number | undefined
  bins?: readonly PoolBin[] | undefined
  last_sync_block: number
  /** What kind of pool it is; the member of that name says its state once more */
  found_in: readonly ('v2' | 'v3' | 'v4' | 'other')[]
  /** As pool_grades, for a sale of one native coin's worth in its worse direction */
  grade?: 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | undefined
  v2?: {
    token0: Hex
    token1: Hex
    reserve0: string
    reserve1: string
    dex: string
  } | undefined
  /** Of pools with ticks, those of v4 too */
  v3?: {
    token0: Hex
    token1: Hex
    /** Pips */
    fee: number
    liquidity: string
    tick: number
    tick_count: number
  } | undefined
}

export type AgentService = {
  name: string
  endpoint: string
  version?: string | undefined
}

export type AgentIdentity = {
  agentId: number
  agentRegistry: string
}

export type AgentRegistration = {
  type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'
  name: string
  description: string
  image: string
  services: readonly AgentService[]
  x402Support: boolean
  active: boolean
  registrations: readonly AgentIdentity[]
  supportedTrust: readonly string[]
}

export type ChallengeRequest = {
  /** The wallet that will sign */
  address: Hex
  /** Where a contract wallet is deployed; any chain for an ordinary account. Default 8453 */
  chain_id?: number | undefined
}

export type Challenge = {
  /** EIP-4361; sign it as it is (personal_sign) */
  message: string
  nonce: string
  /** ISO 8601 */
  expires_at: string
}

export type RegisterRequest = {
  address: Hex
  nonce: string
  signature: Hex
}

export type Registration = {
  /** Shown once; only a hash of it is stored */
  api_key: string
  scopes: readonly string[]
  quota_total: number
  quota_used: number
  quota_remaining: number
}

export type KeyInfo = {
  /** Public; buyFor takes its keccak256 */
  key_id: string
  key_id_hash: Hex
  status: string
  wallet: string | null
  quota_total: number
  quota_used: number
  quota_remaining: number
  /** ISO 8601 */
  created_at: string
  scopes: readonly string[]
}

export type PricingContract = {
  chain_id: number
  /** CAIP-2 */
  network: string
  quota_contract: Hex
  payment_token: Hex
  amount_per_quote: string
}

export type Pricing = {
  x402_version: number
  unit_price_usd: number
  unit_price_usdc_6dec: number
  contracts: readonly PricingContract[]
}

export type ClaimRequest = {
  /** Chain id */
  chain_id: number
  /** The transaction that paid the quota contract */
  tx_hash: Hex
}

export type Claim = {
  /** Bought in that transaction */
  purchased_quotes: number
  quota_total: number
  quota_used: number
  quota_remaining: number
}

export type X402Resource = {
  method: string
  url: string
  /** Quota units of a request */
  units: number
  /** The units are of each of these in a request */
  per?: string | undefined
}

export type X402Discovery = {
  x402Version: number
  /** As in a 402 */
  accepts: readonly { [name: string]: unknown }[]
  /** What is sold */
  resources: readonly X402Resource[]
}

export type PaymentRequirements = {
  scheme: string
  network: string
  amount: string
  asset: Hex
  payTo: Hex
}

export type PaymentIdentifier = {
  info: {
    id?: string | undefined
  }
}

export type PaymentPayload = {
  x402Version: number
  accepted: PaymentRequirements
  payload: {
    signature: Hex
    authorization: {
      from: Hex
      to: Hex
      value: string
      validAfter: string
      validBefore: string
      nonce: Hex
    }
  }
  extensions?: {
    'payment-identifier'?: PaymentIdentifier | undefined
  } | undefined
}

export type FacilitatorRequest = {
  x402Version: number
  paymentPayload: PaymentPayload
  paymentRequirements?: PaymentRequirements | undefined
}

export type VerifyResponse = {
  isValid: boolean
  invalidReason?: string | undefined
  payer: string
}

export type SettlementResponse = {
  success: boolean
  errorReason?: string | undefined
  payer?: string | undefined
  /** Empty when nothing was brought to the chain */
  transaction: string
  network: string
  amount?: string | undefined
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

export type QuoteExactOutputQuery = {
  /** Chain id */
  chain_id: number
  token_in: Hex
  token_out: Hex
  /** Raw amount to receive at least */
  target_output: string
  /** Raw amount to spend at most */
  max_input: string
  /** Slippage allowed below the quoted output, in basis points; "auto" takes it from what the pools of the route did lately (10 to 150), and slippage_auto says how. Default 50 */
  slippage_bps?: number | string | undefined
  /** Refuse routes without a payload. Default true */
  executable_only?: boolean | undefined
  /** Default false */
  verify?: boolean | undefined
  /** Wallet that will submit */
  taker?: Hex | undefined
  /** Only pools of these DEXes, by the names of GET /api/chains; separated by commas */
  include_dexes?: string | undefined
  /** No pools of these DEXes; separated by commas */
  exclude_dexes?: string | undefined
  /** Not through these pools: addresses as in steps[].pool, or ids as in steps[].pool_id; separated by commas */
  exclude_pools?: string | undefined
  /** Most swaps one after the other, on every path of the answer. Default: 3, and up to 5 where splits meet (ultra: 4 and 6) */
  max_hops?: number | undefined
  /** Most swaps in all. Default and most: 96 (ultra: 112) */
  max_steps?: number | undefined
  /** One path alone, whatever splits would bring more. Default: false */
  single_path?: boolean | undefined
  /** Wei per gas, up to 1000000000000000, that the route is chosen by: steps not worth their gas are left out. 0 looks at the output alone. Default: the chain's price */
  gas_price_wei?: string | undefined
  /** Unix seconds after which the payload reverts; in the future. Default: 20 minutes from now */
  deadline?: number | undefined
  /** Answer the route as a graph, too */
  route_graph?: boolean | undefined
}

export type QuoteParams = {
  hash: Hex
}

export type ApiPoolParams = {
  /** Chain id */
  chain_id: number
  /** Address, or the id of a pool within one contract */
  address: string
}

export type Operations = {
  /** The best exact-input route, with the payload that executes it */
  'POST /quote': { body: QuoteRequest; answer: Quote }
  /** Several quotes at once, all of a chain on one state of it */
  'POST /quotes': { body: QuotesRequest; answer: Quotes }
  /** Routes a position's tokens into one target token */
  'POST /quote_lp_disposal': { body: LpDisposalRequest; answer: LpDisposal }
  /** The route that reaches a target output for the least input */
  'GET /quote_exact_output': { query: QuoteExactOutputQuery; answer: ExactOutputQuote }
  /** Dry-runs execution candidates of several providers on one block */
  'POST /compare/simulate': { body: CompareRequest; answer: Comparison }
  /** Why a quote was what it was */
  'GET /quote/{hash}': { params: QuoteParams; answer: QuoteExplanation }
  /** Whether the service can quote */
  'GET /health': { answer: Health }
  /** Known tokens by address */
  'GET /api/tokens': { answer: Tokens }
  /** Chains, their DEXes and how far they are synced */
  'GET /api/chains': { answer: Chains }
  /** Details of the synced state of every chain */
  'GET /api/status': { answer: Status }
  /** State of one pool as quotes use it */
  'GET /api/pool/{chain_id}/{address}': { params: ApiPoolParams; answer: Pool }
  /** What agents may know of this service (ERC-8004) */
  'GET /.well-known/agent-registration.json': { answer: AgentRegistration }
  /** A message for a wallet to sign */
  'POST /auth/challenge': { body: ChallengeRequest; answer: Challenge }
  /** An API key for the wallet that signed a challenge */
  'POST /auth/register': { body: RegisterRequest; answer: Registration }
  /** The calling key and its quota */
  'GET /auth/key-info': { answer: KeyInfo }
  /** Price per quote and where to pay */
  'GET /auth/pricing': { answer: Pricing }
  /** Credits a payment to the calling key */
  'POST /auth/quota/claim': { body: ClaimRequest; answer: Claim }
  /** x402 discovery: what is sold, how to pay, where to claim */
  'GET /.well-known/x402': { answer: X402Discovery }
  /** Whether a signed payment would be settled now */
  'POST /x402/verify': { body: FacilitatorRequest; answer: VerifyResponse }
  /** Brings a signed payment to the chain and credits it to the calling key */
  'POST /x402/settle': { body: FacilitatorRequest; answer: SettlementResponse }
}
