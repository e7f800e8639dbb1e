import { type TSchema, Type } from 'typebox'
import { address, bytes, named, oneOf, type Static, uint256 } from '../../http/schemas.ts'
import type { Aggregate } from '../aggregate.ts'
import { calldataPolicies } from '../calldata/checkQuote.ts'
import { failuresOf } from '../fanOut.ts'
import { describeFailure, type SourceRequest } from '../provider/source.ts'
import type { ProxyTx } from '../proxyTx.ts'
import { type ComparedBy, type RankedQuote, rankings } from '../rank.ts'
import type { QuoteSimulation } from '../simulateQuotes.ts'

const signedAmount = (options: { readonly description: string }) =>
  Type.String({ ...options, pattern: '^-?\\d+$' })
const nullable = <schema extends TSchema>(schema: schema) => Type.Union([schema, Type.Null()])

export const Simulation = named(
  'Simulation',
  Type.Object({
    status: oneOf([
      'success',
      'reverted',
      'slotNotFound',
      'rpcError',
      'notConfigured',
      'disabled',
      'pending',
    ]),
    actualOutput: Type.Optional(uint256()),
    accuracyBps: Type.Optional(Type.Integer()),
    gasUsed: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String()),
    blockNumber: Type.Optional(Type.Integer()),
  }),
)

const Telemetry = named(
  'Telemetry',
  Type.Object({
    elapsedMs: Type.Integer(),
    attempts: Type.Integer(),
    receivedAtMs: Type.Integer(),
    route: Type.Optional(Type.String()),
  }),
)

export const Quote = named(
  'Quote',
  Type.Object({
    provider: Type.String(),
    amountIn: nullable(uint256()),
    amountOut: uint256(),
    minAmountOut: uint256(),
    target: address(),
    approveTarget: nullable(address()),
    calldata: bytes(),
    value: uint256(),
    gasEstimate: Type.Integer(),
    taxInBps: Type.Integer(),
    taxOutBps: Type.Integer(),
    telemetry: Telemetry,
    simulation: Simulation,
    netAmountOut: Type.Optional(
      signedAmount({
        description:
          'What it was ranked by, less gasCost and below zero where gas costs more: the output that its dry run delivered, or without one the quoted output as far as that, less the slippage, is guaranteed. Only where gas has a price, and for exactInput',
      }),
    ),
    gasCost: Type.Optional(
      uint256({
        description:
          'Gas and known L1 data fee in raw units of tokenOut (of tokenIn for exactOutput), as it was ranked by',
      }),
    ),
    l1FeeWei: Type.Optional(
      uint256({
        description: 'The part of gasCost that is the L1 data fee of its calldata, in wei',
      }),
    ),
  }),
)

export const ProxyTransaction = named(
  'ProxyTransaction',
  Type.Object({
    to: address(),
    data: bytes(),
    value: uint256(),
    minOut: uint256(),
  }),
)

export const Tracking = named(
  'Tracking',
  Type.Object({
    dryRun: Type.Boolean(),
    clientId: nullable(Type.String()),
    requestId: nullable(Type.String()),
  }),
)

const Response = named(
  'SourceResponse',
  Type.Object({
    provider: Type.String(),
    status: oneOf(['quote', 'failure']),
    elapsedMs: Type.Integer(),
    attempts: Type.Integer(),
    reason: Type.Optional(Type.String()),
    referenceAmountOut: Type.Optional(uint256({ description: 'A price that cannot be executed' })),
  }),
)

export const QuoteResponse = named(
  'QuoteResponse',
  Type.Object({
    best: nullable(Quote),
    quotes: Type.Array(Quote),
    failures: Type.Array(
      named('Failure', Type.Object({ provider: Type.String(), reason: Type.String() })),
    ),
    responses: Type.Array(Response),
    dispatched: Type.Integer(),
    elapsedMs: Type.Integer(),
    quoteType: oneOf(['exactInput', 'exactOutput']),
    calldataPolicy: oneOf(calldataPolicies),
    tracking: Tracking,
    simulation: named(
      'SimulationSummary',
      Type.Object({
        winnerProviderId: Type.Optional(Type.String()),
        simulated: Type.Integer(),
        elapsedMs: Type.Integer(),
        blockNumber: nullable(Type.Integer()),
        ranking: oneOf(rankings, { description: 'What the compared amounts are less of' }),
      }),
    ),
    proxyTx: Type.Optional(ProxyTransaction),
  }),
)

export type TrackingFields = Static<typeof Tracking>

/** The whole milliseconds that wires carry. */
export const wholeMs = (ms: number): number => Math.round(ms)

export function fromSimulation(simulation: QuoteSimulation): Static<typeof Simulation> {
  const { status, actualOutput, accuracyBps, gasUsed, error, blockNumber } = simulation
  return {
    status,
    ...(actualOutput !== undefined && { actualOutput: actualOutput.toString() }),
    ...(accuracyBps !== undefined && { accuracyBps }),
    ...(gasUsed !== undefined && { gasUsed: Number(gasUsed) }),
    ...(error !== undefined && { error }),
    ...(blockNumber !== undefined && { blockNumber: Number(blockNumber) }),
  }
}

/** Each where it is known. */
function fromComparedBy({ netAmountOut, gasCost, l1FeeWei }: ComparedBy) {
  return {
    ...(netAmountOut !== undefined && { netAmountOut: netAmountOut.toString() }),
    gasCost: gasCost.toString(),
    ...(l1FeeWei !== undefined && { l1FeeWei: l1FeeWei.toString() }),
  }
}

export function fromQuote({
  entry,
  quote,
  simulation,
  comparedBy,
}: RankedQuote): Static<typeof Quote> {
  return {
    provider: quote.provider,
    amountIn: quote.amountIn.toString(),
    amountOut: quote.amountOut.toString(),
    minAmountOut: quote.minAmountOut.toString(),
    target: quote.target,
    approveTarget: quote.approveTarget ?? null,
    calldata: quote.calldata,
    value: quote.value.toString(),
    gasEstimate: Number(quote.gasEstimate),
    taxInBps: quote.taxInBps,
    taxOutBps: quote.taxOutBps,
    telemetry: {
      elapsedMs: wholeMs(entry.elapsedMs),
      attempts: entry.attempts,
      receivedAtMs: wholeMs(entry.receivedAtMs),
      ...(quote.route !== undefined && { route: quote.route }),
    },
    simulation: fromSimulation(simulation),
    ...(comparedBy && fromComparedBy(comparedBy)),
  }
}

export function fromProxyTx({ to, data, value, minOut }: ProxyTx): Static<typeof ProxyTransaction> {
  return { to, data, value: value.toString(), minOut: minOut.toString() }
}

function fromResponses(entries: Aggregate['entries']): Static<typeof Response>[] {
  return entries.map(({ provider, outcome, elapsedMs, attempts }) => ({
    provider,
    status: outcome.status === 'failure' ? 'failure' : 'quote',
    elapsedMs: wholeMs(elapsedMs),
    attempts,
    ...(outcome.status === 'failure' && { reason: describeFailure(outcome) }),
    ...(outcome.status === 'reference' && { referenceAmountOut: outcome.amountOut.toString() }),
  }))
}

export function fromAggregate(
  aggregate: Aggregate,
  { request, tracking }: { readonly request: SourceRequest; readonly tracking: TrackingFields },
): Static<typeof QuoteResponse> {
  const { best, quotes, ranking, entries, proxyTx, simulation } = aggregate
  return {
    best: best ? fromQuote(best) : null,
    quotes: quotes.map(fromQuote),
    failures: [...failuresOf(entries)],
    responses: fromResponses(entries),
    dispatched: aggregate.dispatched,
    elapsedMs: wholeMs(aggregate.elapsedMs),
    quoteType: request.trade.type,
    calldataPolicy: aggregate.policy,
    tracking,
    simulation: {
      ...(simulation.winner !== undefined && { winnerProviderId: simulation.winner }),
      simulated: simulation.simulated,
      elapsedMs: wholeMs(simulation.elapsedMs),
      blockNumber: simulation.blockNumber === undefined ? null : Number(simulation.blockNumber),
      ranking,
    },
    ...(proxyTx && { proxyTx: fromProxyTx(proxyTx) }),
  }
}
