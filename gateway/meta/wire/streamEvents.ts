import { Type } from 'typebox'
import { named, oneOf, type Static } from '../../http/schemas.ts'
import type { Aggregate, MetaRequest } from '../aggregate.ts'
import { calldataPolicies } from '../calldata/checkQuote.ts'
import type { SourceRequest, Trade } from '../provider/source.ts'
import type { ProxyTx } from '../proxyTx.ts'
import type { RankedQuote } from '../rank.ts'
import type { QuoteSimulation } from '../simulateQuotes.ts'
import {
  fromAggregate,
  fromProxyTx,
  fromQuote,
  fromSimulation,
  ProxyTransaction,
  Quote,
  QuoteResponse,
  Simulation,
  Tracking,
  type TrackingFields,
  wholeMs,
} from './quoteResponse.ts'

const quoteType = oneOf(['exactInput', 'exactOutput'])

const LateQuote = named(
  'QuoteEvent',
  Type.Object({
    quote: Quote,
    quoteType,
    calldataPolicy: oneOf(calldataPolicies),
    tracking: Tracking,
    proxyTx: Type.Optional(ProxyTransaction),
  }),
)
const SimUpdate = named(
  'SimUpdateEvent',
  Type.Object({
    provider: Type.String(),
    simulation: Simulation,
    tracking: Tracking,
  }),
)
const KeepAlive = named(
  'KeepAliveEvent',
  Type.Object({ elapsedMs: Type.Integer(), refreshesDone: Type.Integer() }),
)
const Refresh = named(
  'RefreshEvent',
  Type.Object({
    cycle: Type.Integer(),
    elapsedMs: Type.Integer(),
    tracking: Tracking,
  }),
)
const Done = named(
  'DoneEvent',
  Type.Object({
    elapsedMs: Type.Integer(),
    quoteType,
    tracking: Tracking,
    reason: Type.Optional(
      Type.String({
        description:
          'Why it ended early: rate_limited, payment_required, or stopping (the service restarts; open another)',
      }),
    ),
  }),
)

/** Data of each event by its name. */
export const streamEvents = {
  initial: named('InitialEvent', Type.Object(QuoteResponse.properties)),
  quote: LateQuote,
  sim_update: SimUpdate,
  keep_alive: KeepAlive,
  refresh: Refresh,
  done: Done,
} as const

type Tracked = { readonly tracking: TrackingFields }

export function fromInitial({
  aggregate,
  request,
  tracking,
}: Tracked & { readonly aggregate: Aggregate; readonly request: SourceRequest }): Static<
  typeof QuoteResponse
> {
  return fromAggregate(aggregate, { request, tracking })
}

export function fromLateQuote({
  ranked,
  request,
  tracking,
  proxyTx,
}: Tracked & {
  readonly ranked: RankedQuote
  readonly request: MetaRequest
  readonly proxyTx: ProxyTx | undefined
}): Static<typeof LateQuote> {
  return {
    quote: fromQuote(ranked),
    quoteType: request.source.trade.type,
    calldataPolicy: request.policy,
    tracking,
    ...(proxyTx && { proxyTx: fromProxyTx(proxyTx) }),
  }
}

export function fromSimUpdate({
  provider,
  simulation,
  tracking,
}: Tracked & { readonly provider: string; readonly simulation: QuoteSimulation }): Static<
  typeof SimUpdate
> {
  return { provider, simulation: fromSimulation(simulation), tracking }
}

type Elapsed = { readonly elapsedMs: number }

export function fromKeepAlive({
  elapsedMs,
  refreshesDone,
}: Elapsed & { readonly refreshesDone: number }): Static<typeof KeepAlive> {
  return { elapsedMs: wholeMs(elapsedMs), refreshesDone }
}

export function fromRefresh({
  cycle,
  elapsedMs,
  tracking,
}: Elapsed & Tracked & { readonly cycle: number }): Static<typeof Refresh> {
  return { cycle, elapsedMs: wholeMs(elapsedMs), tracking }
}

export function fromDone({
  elapsedMs,
  quoteType,
  tracking,
  reason,
}: Elapsed &
  Tracked & {
    readonly quoteType: Trade['type']
    readonly reason: string | undefined
  }): Static<typeof Done> {
  const done = { elapsedMs: wholeMs(elapsedMs), quoteType, tracking }
  return reason === undefined ? done : { ...done, reason }
}
