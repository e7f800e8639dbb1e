// Written by fixtures/client/generate.ts out of the OpenAPI document.

type Hex = `0x${string}`

export type Health = {
  status: 'ok'
}

export type QuoteRequest = {
  /** Chain id */
  chainId: number
  /** The zero address and 0xEeee…EEeE mean the native currency */
  tokenIn: Hex
  /** The zero address and 0xEeee…EEeE mean the native currency */
  tokenOut: Hex
  /** Raw; exactInput only */
  amountIn?: string | undefined
  /** The wallet that pays and receives */
  taker: Hex
  /** Slippage allowed below the quoted output, in basis points. Default 50 */
  slippageBps?: number | undefined
  /** Default "exactInput" */
  quoteType?: 'exactInput' | 'exactOutput' | undefined
  /** Raw; exactOutput only */
  targetOut?: string | undefined
  /** Raw; exactOutput only */
  maxIn?: string | undefined
  /** Must be strict for exactOutput */
  calldataPolicy?: 'standard' | 'strict' | undefined
  /** Simulate every quote on one block. Default false */
  dryRun?: boolean | undefined
  /** The taker's proxy; adds proxyTx */
  proxyAddress?: Hex | undefined
  /** Lowers the sources' own minimum return; exactInput only. Default false */
  relaxedProviderMinReturn?: boolean | undefined
}

export type Telemetry = {
  elapsedMs: number
  attempts: number
  receivedAtMs: number
  route?: string | undefined
}

export type Simulation = {
  status: 'success' | 'reverted' | 'slotNotFound' | 'rpcError' | 'notConfigured' | 'disabled' | 'pending'
  actualOutput?: string | undefined
  accuracyBps?: number | undefined
  gasUsed?: number | undefined
  error?: string | undefined
  blockNumber?: number | undefined
}

export type Quote = {
  provider: string
  amountIn: string | null
  amountOut: string
  minAmountOut: string
  target: Hex
  approveTarget: Hex | null
  calldata: Hex
  value: string
  gasEstimate: number
  taxInBps: number
  taxOutBps: number
  telemetry: Telemetry
  simulation: Simulation
  /** What it was ranked by, less gasCost and below zero where gas costs more: the output that its dry run delivered, or without one the quoted output as far as that, less the slippage, is guaranteed. Only where gas has a price, and for exactInput */
  netAmountOut?: string | undefined
  /** Gas and known L1 data fee in raw units of tokenOut (of tokenIn for exactOutput), as it was ranked by */
  gasCost?: string | undefined
  /** The part of gasCost that is the L1 data fee of its calldata, in wei */
  l1FeeWei?: string | undefined
}

export type Failure = {
  provider: string
  reason: string
}

export type SourceResponse = {
  provider: string
  status: 'quote' | 'failure'
  elapsedMs: number
  attempts: number
  reason?: string | undefined
  /** A price that cannot be executed */
  referenceAmountOut?: string | undefined
}

export type Tracking = {
  dryRun: boolean
  clientId: string | null
  requestId: string | null
}

export type SimulationSummary = {
  winnerProviderId?: string | undefined
  simulated: number
  elapsedMs: number
  blockNumber: number | null
  /** What the compared amounts are less of */
  ranking: 'gross' | 'netOfGas' | 'netOfGasAndL1Fee'
}

export type ProxyTransaction = {
  to: Hex
  data: Hex
  value: string
  minOut: string
}

export type QuoteResponse = {
  best: Quote | null
  quotes: readonly Quote[]
  failures: readonly Failure[]
  responses: readonly SourceResponse[]
  dispatched: number
  elapsedMs: number
  quoteType: 'exactInput' | 'exactOutput'
  calldataPolicy: 'standard' | 'strict'
  tracking: Tracking
  simulation: SimulationSummary
  proxyTx?: ProxyTransaction | undefined
}

export type InitialEvent = {
  best: Quote | null
  quotes: readonly Quote[]
  failures: readonly Failure[]
  responses: readonly SourceResponse[]
  dispatched: number
  elapsedMs: number
  quoteType: 'exactInput' | 'exactOutput'
  calldataPolicy: 'standard' | 'strict'
  tracking: Tracking
  simulation: SimulationSummary
  proxyTx?: ProxyTransaction | undefined
}

export type QuoteEvent = {
  quote: Quote
  quoteType: 'exactInput' | 'exactOutput'
  calldataPolicy: 'standard' | 'strict'
  tracking: Tracking
  proxyTx?: ProxyTransaction | undefined
}

export type SimUpdateEvent = {
  provider: string
  simulation: Simulation
  tracking: Tracking
}

export type KeepAliveEvent = {
  elapsedMs: number
  refreshesDone: number
}

export type RefreshEvent = {
  cycle: number
  elapsedMs: number
  tracking: Tracking
}

export type DoneEvent = {
  elapsedMs: number
  quoteType: 'exactInput' | 'exactOutput'
  tracking: Tracking
  /** Why it ended early: rate_limited, payment_required, or stopping (the service restarts; open another) */
  reason?: string | undefined
}

export type StreamRequest = {
  /** Chain id */
  chainId: number
  /** The zero address and 0xEeee…EEeE mean the native currency */
  tokenIn: Hex
  /** The zero address and 0xEeee…EEeE mean the native currency */
  tokenOut: Hex
  /** Raw; exactInput only */
  amountIn?: string | undefined
  /** The wallet that pays and receives */
  taker: Hex
  /** Slippage allowed below the quoted output, in basis points. Default 50 */
  slippageBps?: number | undefined
  /** Default "exactInput" */
  quoteType?: 'exactInput' | 'exactOutput' | undefined
  /** Raw; exactOutput only */
  targetOut?: string | undefined
  /** Raw; exactOutput only */
  maxIn?: string | undefined
  /** Must be strict for exactOutput */
  calldataPolicy?: 'standard' | 'strict' | undefined
  /** Simulate every quote on one block. Default false */
  dryRun?: boolean | undefined
  /** The taker's proxy; adds proxyTx */
  proxyAddress?: Hex | undefined
  /** Lowers the sources' own minimum return; exactInput only. Default false */
  relaxedProviderMinReturn?: boolean | undefined
  /** Interval of keep_alive events, in milliseconds; alone it repeats nothing: that needs refreshIntervalMs */
  keepAliveMs?: number | undefined
  /** Interval of repeated dispatch, in milliseconds since the stream's beginning; up to 20 cycles */
  refreshIntervalMs?: number | undefined
  /** Send initial as soon as this many quotes are there; default 1 */
  firstN?: number | undefined
  /** Send initial only when these sources have answered */
  mustInclude?: readonly string[] | undefined
}

export type Source = {
  name: string
  /** Where it is asked */
  chainIds: readonly number[]
  /** What it does not do, and why */
  note?: string | undefined
  /** idle: never called; paused: asked not to be called; broken: its circuit is open */
  state: 'ok' | 'idle' | 'paused' | 'broken'
  breaker: 'closed' | 'open' | 'half_open'
  calls: number
  /** Quotes among the last 256 calls */
  successRate?: number | undefined
  p50Ms?: number | undefined
  p95Ms?: number | undefined
  failures: { [name: string]: number }
  lastFailure?: string | undefined
  retryAfterMs: number
}

export type SourceLeftOut = {
  name: string
  chainId: number
  reason: string
}

export type Sources = {
  sources: readonly Source[]
  /** Exchanges of the routing service that are no source of their own */
  leftOut: readonly SourceLeftOut[]
}

export type Error = {
  /** One sentence for a person */
  error: string
  /** snake_case, for programs */
  code: string
  requestId: string
  details?: readonly {
    field: string
    reason: string
  }[] | undefined
  /** With 429: as the Retry-After header */
  retryAfterSec?: number | undefined
}

/** Data of each event of the stream by its name. */
export type StreamEvents = {
  initial: InitialEvent
  quote: QuoteEvent
  sim_update: SimUpdateEvent
  keep_alive: KeepAliveEvent
  refresh: RefreshEvent
  done: DoneEvent
}

export type Operations = {
  /** Whether the service answers */
  'GET /health': { answer: Health }
  /** The best quote of all sources */
  'POST /quote': { body: QuoteRequest; answer: QuoteResponse }
  /** Quotes of all sources as they come, as server-sent events */
  'POST /quote/stream': { body: StreamRequest; answer: InitialEvent | QuoteEvent | SimUpdateEvent | KeepAliveEvent | RefreshEvent | DoneEvent }
  /** Each source, how well and how fast it answers */
  'GET /sources': { answer: Sources }
}
