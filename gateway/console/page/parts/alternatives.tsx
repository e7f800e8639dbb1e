import type { Quote } from '../../../client/wire/routing.ts'
import { bpsBetween } from '../state/amounts.ts'
import { Amount } from './amount.tsx'
import { Empty } from './notes.tsx'
import type { Order } from './orderForm.tsx'

/** The next best routes that share no pool with this one or with each other. */
export function Alternatives({ quote, order }: { readonly quote: Quote; readonly order: Order }) {
  const { alternatives } = quote
  if (!alternatives) return null
  const { decimals, symbol } = order.tokenOut
  return (
    <section aria-label="Alternatives">
      <h2>Alternatives without a common pool</h2>
      {alternatives.length === 0 && <Empty>No other pools take this amount.</Empty>}
      <ol>
        {alternatives.map((other) => (
          <li key={other.route_path}>
            <Amount raw={other.output} decimals={decimals} symbol={symbol} /> (
            {bpsBetween(BigInt(quote.output), BigInt(other.output))} bps):{' '}
            <span class="small">{other.route_path}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
