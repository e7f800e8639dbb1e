import { useSignal } from '@preact/signals'
import type { Quote, QuoteExplanation } from '../../../client/wire/routing.ts'
import { Alternatives } from '../parts/alternatives.tsx'
import { Amount } from '../parts/amount.tsx'
import { Copies } from '../parts/copies.tsx'
import { CurveOnDemand } from '../parts/curveOnDemand.tsx'
import { Execute } from '../parts/execute.tsx'
import { Flow } from '../parts/flow.tsx'
import { Trouble, Wait } from '../parts/notes.tsx'
import { type Order, OrderPage } from '../parts/orderForm.tsx'
import { TickField } from '../parts/queryForm.tsx'
import { Steps } from '../parts/steps.tsx'
import { bpsBetween, group } from '../state/amounts.ts'
import { usePoll } from '../state/poll.ts'
import { client, lab } from '../state/session.ts'

/** A head that moved has the quote asked anew. */
const everyMs = 2_000

/** The best route of an order, drawn, with what it was made of and what a block changes in it. */
export function QuotePage() {
  return (
    <OrderPage
      submit="Quote"
      promise="what comes of it is drawn here."
      fields={<TickField name="gas" value="off" label="Leave gas out of account" />}
    >
      {(order) => <Answer order={order} />}
    </OrderPage>
  )
}

type Why = QuoteExplanation['steps']
type Seen = {
  readonly quote: Quote
  /** Of each step; absent where nobody keeps explanations for who asks. */
  readonly why: Why | undefined
  readonly before: Quote | undefined
}

function Answer({ order }: { readonly order: Order }) {
  const seen = useSignal<Seen | undefined>(undefined)
  async function ask(signal: AbortSignal) {
    const { routing } = client.value ?? {}
    if (!routing) throw new Error('the gateway has not said where its services are')
    const { chain_id } = order.request
    const chains = await routing.chains({ signal })
    const head = chains.find((chain) => chain.chain_id === chain_id)?.last_sync_block
    if (seen.value && head === seen.value.quote.last_sync_block) return
    const quote = await routing.quote(order.request, { signal })
    const { quote_hash: hash } = quote
    const why = hash === undefined ? undefined : await routing.explain({ hash }, { signal })
    seen.value = { quote, why: why?.steps, before: seen.value?.quote }
  }
  const { failure } = usePoll(ask, { everyMs })
  if (failure.value !== undefined)
    return <Trouble>There is no quote: {failure.value}. Asked again every 2 s.</Trouble>
  if (!seen.value) return <Wait>Asking for the best route …</Wait>
  const { quote, why, before } = seen.value
  return (
    <>
      <Outcome {...{ order, quote, before }} />
      <Flow {...{ order, quote, why }} />
      <Steps {...{ order, quote, why }} />
      <CurveOnDemand order={order} />
      <Alternatives quote={quote} order={order} />
      {lab.value && <Execute order={order} />}
      <Copies quote={quote} order={order} />
    </>
  )
}

type Changed = Pick<Seen, 'quote' | 'before'> & { readonly order: Order }

function Outcome({ order, quote, before }: Changed) {
  const { tokenIn, tokenOut, amountIn } = order
  const out = { decimals: tokenOut.decimals, symbol: tokenOut.symbol }
  return (
    <section aria-label="Quote">
      <p>
        <Amount raw={amountIn} decimals={tokenIn.decimals} symbol={tokenIn.symbol} /> brings
      </p>
      <p class="output">
        <Amount raw={quote.output} {...out} />
      </p>
      <Change quote={quote} before={before} order={order} />
      <dl class="facts">
        <dt>At least</dt>
        <dd>
          <Amount raw={quote.min_output} {...out} />
        </dd>
        <dt>Price impact</dt>
        <dd class="figure">
          {quote.price_impact_bps} bps
          {quote.market_impact_bps !== undefined &&
            `, ${quote.market_impact_bps} bps against the market`}
        </dd>
        <dt>Below the best possible by at most</dt>
        <dd class="figure">
          {quote.optimality_gap_bps === undefined
            ? 'unknown'
            : `${Math.ceil(quote.optimality_gap_bps * 100) / 100} bps`}
        </dd>
        <dt>Gas</dt>
        <dd class="figure">{group(quote.gas_estimate)}</dd>
        <dt>State</dt>
        <dd>
          {quote.source}, block <span class="figure">{quote.last_sync_block}</span>,{' '}
          {quote.route_readiness}
        </dd>
      </dl>
    </section>
  )
}

const poolsOf = (quote: Quote) => new Set(quote.steps.map(({ pool, pool_id }) => pool_id ?? pool))

/** What the last block did to the answer. */
function Change({ quote, before, order }: Changed) {
  if (!before) return <p class="small">When the chain moves on, the change is told here.</p>
  const { decimals, symbol } = order.tokenOut
  const gained = BigInt(quote.output) - BigInt(before.output)
  const [then, now] = [poolsOf(before), poolsOf(quote)]
  const joined = [...now].filter((pool) => !then.has(pool)).length
  const left = [...then].filter((pool) => !now.has(pool)).length
  return (
    <p class="small" role="status">
      Since block <span class="figure">{before.last_sync_block}</span>:{' '}
      {gained === 0n ? (
        'nothing changed'
      ) : (
        <>
          <Amount raw={gained} decimals={decimals} symbol={symbol} /> (
          {bpsBetween(BigInt(before.output), BigInt(quote.output))} bps)
        </>
      )}
      {(joined > 0 || left > 0) && `; ${joined} pools joined the route, ${left} left it`}
    </p>
  )
}
