import type { Quote, QuoteExplanation } from '../../../client/wire/routing.ts'
import { toHash } from '../state/place.ts'
import { describeToken } from '../state/tokens.ts'
import { Amount } from './amount.tsx'
import type { Order } from './orderForm.tsx'
import { Table } from './table.tsx'

const linkTo = (chainId: number, pool: string) => toHash('pools', { chain: String(chainId), pool })

export type Explained = {
  readonly quote: Quote
  readonly order: Order
  /** Of each step; undefined where nobody keeps explanations for who asks. */
  readonly why: QuoteExplanation['steps'] | undefined
}

/** The same route in words, step by step. */
export function Steps({ quote, order, why }: Explained) {
  return (
    <section aria-label="Steps">
      <h2>Steps</h2>
      <Table
        label="Table of steps"
        head={'DEX,Pool,#Fee,Grade,#Impact,Priced,#Share,#Takes,#Gives'.split(',')}
      >
        {quote.steps.map((step, index) => (
          <tr key={`${step.pool_id ?? step.pool} ${step.token_in}`}>
            <th scope="row">{step.dex}</th>
            <td title={step.pool_id ?? step.pool}>
              <a href={linkTo(order.chainId, step.pool_id ?? step.pool)}>
                {(step.pool_id ?? step.pool).slice(0, 10)}…
              </a>
            </td>
            <td class="figure" title={`${step.fee_pips} pips`}>
              {step.fee_pips / 100} bps
            </td>
            <td>{quote.pool_grades[index]}</td>
            <td class="figure">{why?.[index] ? `${why[index].impact_bps} bps` : 'unknown'}</td>
            <td>{why?.[index]?.pricing ?? 'unknown'}</td>
            <td class="figure">{step.share_bps / 100} %</td>
            <td class="figure">
              <Amount raw={step.amount_in} {...describeToken(order.chainId, step.token_in)} />
            </td>
            <td class="figure">
              <Amount raw={step.amount_out} {...describeToken(order.chainId, step.token_out)} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
