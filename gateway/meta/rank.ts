import type { Entry } from './fanOut.ts'
import type { QuoteSimulation } from './simulateQuotes.ts'
import type { SourceQuote, SourceRequest } from './source.ts'

export type RankedQuote = {
  readonly entry: Entry
  readonly quote: SourceQuote
  readonly simulation: QuoteSimulation
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

/** success, then what nobody simulated, then what is too good to be true. Reverted is never best. */
function tierOf({ simulation }: RankedQuote, isAbsurd: boolean): number {
  if (simulation.status === 'success') return 0
  if (simulation.status === 'reverted') return 3
  return isAbsurd ? 2 : 1
}

/** Delivered amount where it is known, quoted amount elsewhere. */
function deliveredOut({ quote, simulation }: RankedQuote): bigint {
  return simulation.actualOutput ?? quote.amountOut
}

function gasCost({ quote, simulation }: RankedQuote, price: GasPrice | undefined): bigint {
  if (!price || price.perWei === 0n) return 0n
  const gas = simulation.gasUsed ?? quote.gasEstimate
  const wei = gas * price.gasPriceWei + (price.l1FeeWei?.[quote.provider] ?? 0n)
  return (wei * price.tokenAmount) / price.perWei
}

/** Higher is better: output net of gas, or for exact output the input and its gas, negated. */
function worthOf(
  ranked: RankedQuote,
  { request, gasPrice }: Pick<RankParameters, 'request' | 'gasPrice'>,
): bigint {
  const cost = gasCost(ranked, gasPrice)
  if (request.trade.type === 'exactOutput') return -(ranked.quote.amountIn + cost)
  return deliveredOut(ranked) - cost
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
  const routing = quotes.find(({ quote }) => quote.provider === 'routing')
  if (routing) known.push(exactOutput ? routing.quote.amountIn : routing.quote.amountOut)
  const isFar = (amount: bigint, other: bigint) =>
    exactOutput ? amount * 2n < other : amount > other * 2n
  const sorted = amounts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return new Set(
    quotes.flatMap(({ quote }, index) => {
      const amount = amounts[index] ?? 0n
      // Two lures that agree would hide behind each other: the median, not the second, is compared.
      const isOutlier =
        quotes.length === 1
          ? known.length > 0 && quote.provider !== 'routing'
          : isFar(amount, medianWithout(sorted, amount, exactOutput))
      if (!isOutlier || !known.every((price) => isFar(amount, price))) return []
      return quote.provider === 'routing' ? [] : [quote.provider]
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
  const keyed = parameters.quotes.map((ranked) => ({
    ranked,
    tier: tierOf(ranked, absurd.has(ranked.quote.provider)),
    worth: worthOf(ranked, parameters),
  }))
  keyed.sort((a, b) => a.tier - b.tier || (a.worth < b.worth ? 1 : a.worth > b.worth ? -1 : 0))
  return keyed.map(({ ranked }) => ranked)
}

/** The first that did not revert. */
export function bestOf(ranked: readonly RankedQuote[]): RankedQuote | undefined {
  return ranked.find(({ simulation }) => simulation.status !== 'reverted')
}
