import { type Static, Type } from 'typebox'
import { named } from '../../http/schemas.ts'
import type { Quote } from '../finishQuote.ts'
import type { QuoteOutcome } from '../quote.ts'
import { fromQuote, type QuoteOptions, quoteBody, quoteResponse } from './quote.ts'

export const mostQuotes = 50

export const quotesBody = (chainIds: readonly number[]) =>
  named(
    'QuotesRequest',
    Type.Object({
      quotes: Type.Array(quoteBody(chainIds), { minItems: 1, maxItems: mostQuotes }),
    }),
  )

export const quotesResponse = named(
  'Quotes',
  Type.Object({
    quotes: Type.Array(
      named(
        'QuotesEntry',
        Type.Object({
          quote: Type.Optional(quoteResponse),
          error: Type.Optional(Type.String({ description: 'Why there is no quote' })),
          code: Type.Optional(Type.String({ description: 'no_route or unavailable' })),
        }),
      ),
      { description: 'One per request, in their order' },
    ),
  }),
)

export function fromOutcomes(
  outcomes: readonly QuoteOutcome[],
  optionsOf: (quote: Quote, index: number) => QuoteOptions,
): Static<typeof quotesResponse> {
  return {
    quotes: outcomes.map((outcome, index) => {
      if (outcome.status === 'ok') {
        const { quote } = outcome
        return { quote: fromQuote(quote, optionsOf(quote, index)) }
      }
      if (outcome.status === 'no_route')
        return { error: 'no executable route found', code: 'no_route' }
      return { error: `no quote right now: ${outcome.reason}`, code: 'unavailable' }
    }),
  }
}
