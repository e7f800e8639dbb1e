import type { Quote } from '../../../client/wire/routing.ts'
import { describeToken } from '../state/tokens.ts'
import { Amount } from './amount.tsx'
import type { Order } from './orderForm.tsx'
import { Scroll } from './scroll.tsx'

/** The same route in words, step by step. */
export function Steps({ quote, order }: { readonly quote: Quote; readonly order: Order }) {
  return (
    <section aria-label="Steps">
      <h2>Steps</h2>
      <Scroll label="Table of steps">
        <table>
          <thead>
            <tr>
              <th scope="col">DEX</th>
              <th scope="col">Pool</th>
              <th scope="col">Fee</th>
              <th scope="col">Grade</th>
              <th scope="col">Share</th>
              <th scope="col">Takes</th>
              <th scope="col">Gives</th>
            </tr>
          </thead>
          <tbody>
            {quote.steps.map((step, index) => (
              <tr key={`${step.pool_id ?? step.pool} ${step.token_in}`}>
                <th scope="row">{step.dex}</th>
                <td title={step.pool_id ?? step.pool}>
                  <a href={`#/pools?chain=${order.chainId}&pool=${step.pool_id ?? step.pool}`}>
                    {(step.pool_id ?? step.pool).slice(0, 10)}…
                  </a>
                </td>
                <td class="figure" title={`${step.fee_pips} pips`}>
                  {step.fee_pips / 100} bps
                </td>
                <td>{quote.pool_grades[index]}</td>
                <td class="figure">{step.share_bps / 100} %</td>
                <td class="figure">
                  <Amount raw={step.amount_in} {...describeToken(order.chainId, step.token_in)} />
                </td>
                <td class="figure">
                  <Amount raw={step.amount_out} {...describeToken(order.chainId, step.token_out)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
