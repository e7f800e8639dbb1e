/** Examples of the OpenAPI document, on Base. */
const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const taker = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const router = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'

const order = {
  chainId: 8453,
  tokenIn: weth,
  tokenOut: usdc,
  amountIn: '1000000000000000000',
  taker,
  slippageBps: 50,
  dryRun: true,
}
const found = {
  provider: 'kyberswap',
  amountIn: order.amountIn,
  amountOut: '2731558211',
  minAmountOut: '2717900419',
  target: router,
  approveTarget: router,
  /** Shortened. */
  calldata: '0xe21fd0e9',
  value: '0',
  gasEstimate: 182_000,
  taxInBps: 0,
  taxOutBps: 0,
  telemetry: { elapsedMs: 214, attempts: 1, receivedAtMs: 1_795_132_800_214 },
  simulation: {
    status: 'success',
    actualOutput: '2731558211',
    accuracyBps: 10_000,
    gasUsed: 171_204,
    blockNumber: 38_512_044,
  },
  netAmountOut: '2731541870',
  gasCost: '16341',
  l1FeeWei: '410000000000',
}
const answer = {
  best: found,
  quotes: [found],
  failures: [{ provider: 'lifi', reason: 'timeout: no answer within 2500 ms' }],
  responses: [
    { provider: 'kyberswap', status: 'quote', elapsedMs: 214, attempts: 1 },
    {
      provider: 'lifi',
      status: 'failure',
      elapsedMs: 2_500,
      attempts: 1,
      reason: 'timeout: no answer within 2500 ms',
    },
  ],
  dispatched: 2,
  elapsedMs: 2_503,
  quoteType: 'exactInput',
  calldataPolicy: 'standard',
  tracking: { dryRun: true, clientId: null, requestId: '0f8fad5b-d9cb-469f-a165-70867728950e' },
  simulation: {
    winnerProviderId: 'kyberswap',
    simulated: 1,
    elapsedMs: 38,
    blockNumber: 38_512_044,
    ranking: 'netOfGasAndL1Fee',
  },
}

export const quote = { input: order, output: answer }

/** The data of one of its events. */
export const stream = {
  input: { ...order, keepAliveMs: 15_000, firstN: 1 },
  output: answer,
}

export const sources = {
  output: {
    sources: [
      {
        name: 'kyberswap',
        chainIds: [8453, 42161],
        state: 'ok',
        breaker: 'closed',
        calls: 311,
        successRate: 0.98,
        p50Ms: 190,
        p95Ms: 420,
        failures: { timeout: 6 },
        lastFailure: 'timeout: no answer within 2500 ms',
        retryAfterMs: 0,
      },
    ],
    leftOut: [],
  },
}

export const health = { output: { status: 'ok' } }
