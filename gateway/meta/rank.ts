import { greater, lesser, wholeBps } from '../amounts/amounts.ts'
import type { Entry } from './fanOut.ts'
import type { SourceQuote, SourceRequest } from './provider/source.ts'
import type { QuoteSimulation } from './simulateQuotes.ts'

export type RankedQuote = {
  readonly entry: Entry
  readonly quote: SourceQuote
  readonly simulation: QuoteSimulation
  /** What it was compared by; undefined before it was ranked, and where no price of gas is known. */
  readonly comparedBy?: ComparedBy | undefined
}

/** Raw units of the token that is compared: tokenOut, for an exact output tokenIn. */
export type ComparedBy = {
  /** Gas and, where it is known, the L1 data fee. */
  readonly gasCost: bigint
  /** Output less gasCost; below zero where gas costs more. Undefined for an exact output. */
  readonly netAmountOut: bigint | undefined
  readonly l1FeeWei: bigint | undefined
}

/** What one unit of gas costs in raw units of the token that is compared, as a fraction. */
export type GasPrice = {
  /** Raw token units per `perWei` wei. */
  readonly tokenAmount: bigint
  readonly perWei: bigint
  readonly gasPriceWei: bigint
  /** L1 data fee of each payload, by provider; undefined where it is not known of every one. */
  readonly l1FeeWei: Readonly<Record<string, bigint>> | undefined
}

/** What amounts were compared less of. */
export const rankings = ['gross', 'netOfGas', 'netOfGasAndL1Fee'] as const
export type Ranking = (typeof rankings)[number]

export function rankingOf(gasPrice: GasPrice | undefined): Ranking {
  if (!gasPrice) return 'gross'
  return gasPrice.l1FeeWei ? 'netOfGasAndL1Fee' : 'netOfGas'
}

export type RankParameters = {
  readonly quotes: readonly RankedQuote[]
  readonly request: SourceRequest
  /** Undefined where no price is known: amounts are then compared gross. */
  readonly gasPrice: GasPrice | undefined
  /** Amounts out that sources know without being executable (an order book's estimate). */
  readonly references: readonly bigint[]
}

/**
 * success, then what nobody simulated, then what is too good to be true. What must be proved and is not, and
 * what reverted, are never best.
 */
function tierOf({ quote, simulation }: RankedQuote, isAbsurd: boolean): number {
  if (simulation.status === 'success') return 0
  if (simulation.status === 'reverted') return 4
  if (quote.mustBeProved) return 3
  return isAbsurd ? 2 : 1
}

/** The quoted amount, as far as less its slippage is guaranteed. */
function guaranteedOut(quote: SourceQuote, { slippageBps, relaxMinReturn }: SourceRequest): bigint {
  const kept = wholeBps - BigInt(slippageBps)
  if (relaxMinReturn || kept <= 0n) return quote.amountOut
  // Guards are rounded down.
  return lesser(quote.amountOut, ((quote.minAmountOut + 1n) * wholeBps) / kept)
}

/** What an exact output takes: as quoted, or what it may take less the slippage where that is more. */
function takenIn(quote: SourceQuote, { slippageBps }: SourceRequest): bigint {
  const mayTake = (quote.maxAmountIn * wholeBps) / (wholeBps + BigInt(slippageBps))
  return greater(quote.amountIn, mayTake)
}

/** Whether it would be better than another as far as both bind themselves, gas apart. */
export function bindsToMore(
  quote: SourceQuote,
  { other, request }: { readonly other: SourceQuote; readonly request: SourceRequest },
): boolean {
  return request.trade.type === 'exactOutput'
    ? takenIn(quote, request) < takenIn(other, request)
    : guaranteedOut(quote, request) > guaranteedOut(other, request)
}

/** Delivered amount where it is known. */
function deliveredOut({ quote, simulation }: RankedQuote, request: SourceRequest): bigint {
  return simulation.actualOutput ?? guaranteedOut(quote, request)
}

function l1FeeOf({ quote }: RankedQuote, { l1FeeWei }: GasPrice): bigint | undefined {
  return l1FeeWei && (l1FeeWei[quote.provider] ?? 0n)
}

function gasCostOf(ranked: RankedQuote, price: GasPrice): bigint {
  const gas = ranked.simulation.gasUsed ?? ranked.quote.gasEstimate
  const wei = gas * price.gasPriceWei + (l1FeeOf(ranked, price) ?? 0n)
  return (wei * price.tokenAmount) / price.perWei
}

type Compared = Pick<RankParameters, 'request' | 'gasPrice'>

function comparedBy(ranked: RankedQuote, { request, gasPrice }: Compared): ComparedBy | undefined {
  if (!gasPrice || gasPrice.perWei === 0n) return undefined
  const gasCost = gasCostOf(ranked, gasPrice)
  const isExactInput = request.trade.type === 'exactInput'
  const netAmountOut = isExactInput ? deliveredOut(ranked, request) - gasCost : undefined
  return { gasCost, netAmountOut, l1FeeWei: l1FeeOf(ranked, gasPrice) }
}

/** Higher is better: output net of gas, or for exact output the input and its gas, negated. */
function worthOf(ranked: RankedQuote, request: SourceRequest): bigint {
  const cost = ranked.comparedBy?.gasCost ?? 0n
  if (request.trade.type === 'exactOutput') return -(takenIn(ranked.quote, request) + cost)
  return deliveredOut(ranked, request) - cost
}

/**
 * Providers whose quote is more than twice the second best and more than twice what routing (or an
 * order book) says: a decimals mistake or a lure. They cannot win before a simulation proves them.
 */
export function absurdProviders({
  quotes,
  request,
  references,
}: Pick<RankParameters, 'quotes' | 'request' | 'references'>): ReadonlySet<string> {
  const exactOutput = request.trade.type === 'exactOutput'
  const amounts = quotes.map(({ quote }) => (exactOutput ? quote.amountIn : quote.amountOut))
  const known = [...(exactOutput ? [] : references)]
  const own = quotes.find(({ quote }) => quote.isReference)
  if (own) known.push(exactOutput ? own.quote.amountIn : own.quote.amountOut)
  const isFar = (amount: bigint, other: bigint) =>
    exactOutput ? amount * 2n < other : amount > other * 2n
  const sorted = amounts.toSorted((a, b) => Number(a - b))
  const others = quotes.length - 1
  // One other by itself may be the one that lies: whoever promises less would win by it.
  const isToldBySome = others > 1 || known.length > 0
  return new Set(
    quotes.flatMap(({ quote }, index) => {
      const amount = amounts[index] ?? 0n
      // Two lures that agree would hide behind each other: the median, not the second, is compared.
      const isOutlier =
        others === 0
          ? !quote.isReference
          : isFar(amount, medianWithout(sorted, amount, exactOutput))
      if (!isToldBySome || !isOutlier || !known.every((price) => isFar(amount, price))) return []
      return quote.isReference ? [] : [quote.provider]
    }),
  )
}

/** The middle of all amounts but `amount`; of an even number the one nearer to the best. */
function medianWithout(sorted: readonly bigint[], amount: bigint, lowerIsBetter: boolean): bigint {
  const others = sorted.length - 1
  const middle = (lowerIsBetter ? others - 1 : others) >> 1
  const at = sorted.indexOf(amount) <= middle ? middle + 1 : middle
  return sorted[at] ?? 0n
}

/** Best first. Stable: equal quotes stay in their order of arrival. */
export function rank(parameters: RankParameters): readonly RankedQuote[] {
  const absurd = absurdProviders(parameters)
  const keyed = parameters.quotes.map((quote) => {
    const ranked = { ...quote, comparedBy: comparedBy(quote, parameters) }
    const tier = tierOf(ranked, absurd.has(ranked.quote.provider))
    return { ranked, tier, worth: worthOf(ranked, parameters.request) }
  })
  keyed.sort((a, b) => a.tier - b.tier || Number(b.worth - a.worth))
  return keyed.map(({ ranked }) => ranked)
}

/** The first that did not revert and, where it must be, is proved. */
export function bestOf(ranked: readonly RankedQuote[]): RankedQuote | undefined {
  return ranked.find(
    ({ quote, simulation }) =>
      simulation.status === 'success' || (simulation.status !== 'reverted' && !quote.mustBeProved),
  )
}
