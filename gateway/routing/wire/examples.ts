/** Examples of the OpenAPI document, on Base. A test asks every one of them. */
const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const taker = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const pool = '0xd0b53D9277642d899DF5C87A3966A349A798F224'
const executor = '0x03F4B3a9ADDCb22e718a21D6042e94fc8a30a1fD'
/** Shortened: its parameters and steps follow. */
const calldata = '0xc0a89bf0'

const quoteOutput = {
  dex: 'forkyard',
  output: '2731558211',
  min_output: '2717900419',
  gas_estimate: '131022',
  source: 'local',
  route_path: 'WETH>[UniV3:500]>USDC',
  price_impact_bps: 6,
  market_impact_bps: 7,
  pool_grades: ['A'],
  route_readiness: 'ready',
  last_sync_block: 38_512_044,
  sync_lag_ms: 412,
  tax_in_bps: 0,
  tax_out_bps: 0,
  route_executable: true,
  optimality_gap_bps: 0.02,
  router: executor,
  calldata,
  execution: { spender: executor, target: executor, calldata, value: '0x0' },
  steps: [
    {
      protocol: 'uniswap_v3',
      dex: 'uniswap-v3',
      pool,
      token_in: weth,
      token_out: usdc,
      fee_pips: 500,
      amount_in: '1000000000000000000',
      amount_out: '2731558211',
      path: 0,
      share_bps: 10_000,
    },
  ],
}

export const quote = {
  input: {
    chain_id: 8453,
    token_in: weth,
    token_out: usdc,
    amount_in: '1000000000000000000',
    slippage_bps: 50,
    taker,
  },
  output: { ...quoteOutput, quote_hash: `0x${'5e'.repeat(32)}` },
}

export const quotes = {
  /** More than there is: the second has no route. */
  input: { quotes: [quote.input, { ...quote.input, amount_in: `1${'0'.repeat(60)}` }] },
  output: {
    quotes: [{ quote: quote.output }, { error: 'no executable route found', code: 'no_route' }],
  },
}

export const lpDisposal = {
  input: {
    chain_id: 8453,
    target_token: usdc,
    legs: [
      { token: weth, value_usd: 1250.5, max_amount: '500000000000000000' },
      { token: usdc, amount: '2000000' },
    ],
    amount_haircut_bps: 50,
  },
  output: {
    chain_id: 8453,
    target_token: usdc,
    complete: true,
    failed_legs: 0,
    total_estimated_output: '1245504500',
    legs: [
      {
        token: weth,
        value_usd: 1250.5,
        estimated_amount_in: '455516020000000000',
        amount_source: 'value_usd',
        passthrough: false,
        price: { source: 'feed', age_secs: 240, confidence: 0.9997 },
        quote: quoteOutput,
      },
      {
        token: usdc,
        value_usd: 0,
        estimated_amount_in: '2000000',
        amount_source: 'explicit',
        passthrough: true,
      },
    ],
  },
}

export const exactOutput = {
  query: {
    chain_id: 8453,
    token_in: weth,
    token_out: usdc,
    target_output: '1000000000',
    max_input: '1000000000000000000',
  },
  output: {
    ...quoteOutput,
    source: 'SmartRouter:exact_output_via_exact_input',
    output: '1000000000',
    input_consumed: '366091527188420551',
  },
}

/** Wrapping one ether: right on every chain, whatever its pools are. */
export const compare = {
  input: {
    chainId: 8453,
    candidates: [
      {
        providerId: 'wrap',
        target: weth,
        data: '0xd0e30db0',
        value: '0xde0b6b3a7640000',
        inputToken: '0x0000000000000000000000000000000000000000',
        outputToken: weth,
        inputAmount: '1000000000000000000',
        quotedOutput: '1000000000000000000',
      },
    ],
  },
  output: {
    results: [
      {
        providerId: 'wrap',
        status: 'ok',
        quotedOutput: '1000000000000000000',
        success: true,
        actualOutput: '1000000000000000000',
        accuracyDelta: '0',
        accuracyBps: 10_000,
        gas_used: '45038',
      },
    ],
    winnerProviderId: 'wrap',
    block_number: 38_000_000,
  },
}

export const health = {
  output: {
    status: 'ok',
    version: '1.0.0',
    uptime_secs: 86_400,
    forks: [{ chain_id: 8453, ready: true, block_number: 38_000_000, age_ms: 400 }],
    syncs: [
      {
        chain_id: 8453,
        role: 'alone',
        last_sync_block: 38_000_000,
        sync_lag_ms: 412,
        pools: 1_840,
        tokens: 610,
        pools_shelved: 320,
        pools_evicted: 4,
        pools_healed: 0,
      },
    ],
    dexes_left_out: [],
    pools_left_out: [],
    pools: { total: 1_840, v2: 910, v3: 720, v4: 150 },
    sync: { max_lag_ms: 412 },
    system: { rss_mb: 312 },
    quotes: { semaphore_total: 256, semaphore_available: 256, semaphore_waiting: 0 },
    warnings: [],
  },
}

export const tokens = {
  output: {
    [weth]: { chain_id: 8453, symbol: 'WETH', decimals: 18 },
    [usdc]: { chain_id: 8453, symbol: 'USDC', decimals: 6 },
  },
}

export const chains = {
  output: [
    {
      name: 'Base',
      chain_id: 8453,
      dex_count: 1,
      pool_count: 9,
      executor,
      last_sync_block: 38_512_044,
      sync_lag_ms: 412,
      tokens: [weth, usdc],
      dexes: [{ name: 'uniswap-v3', protocol: 'uniswap_v3', pool_count: 9 }],
    },
  ],
}

export const status = {
  output: {
    status: 'ok',
    chains: [
      {
        chain_id: 8453,
        status: 'ok',
        last_sync_block: 38_512_044,
        last_sync_hash: `0x${'7f'.repeat(32)}`,
        last_sync_timestamp: 1_795_219_200,
        sync_lag_ms: 412,
        head_age_secs: 2,
        pool_count: 9,
        token_count: 14,
        gas_price_wei: '5000000',
        simulator_ready: true,
        coverage: [
          {
            dex: 'uniswap-v3',
            known: 12,
            searched: true,
            loaded: 9,
            refused: [{ reason: 'it holds less than POOL_FLOOR_USD', pools: 3 }],
          },
        ],
      },
    ],
  },
}
