import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Quote } from '../../../client/wire/routing.ts'
import { Alternatives } from '../parts/alternatives.tsx'
import { Amount } from '../parts/amount.tsx'
import { Copies } from '../parts/copies.tsx'
import { CurveOnDemand } from '../parts/curveOnDemand.tsx'
import { Execute } from '../parts/execute.tsx'
import { Flow } from '../parts/flow.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { type Order, OrderForm, readOrder } from '../parts/orderForm.tsx'
import { Steps } from '../parts/steps.tsx'
import { bpsBetween } from '../state/amounts.ts'
import { place } from '../state/place.ts'
import { usePoll } from '../state/poll.ts'
import { apiKey, client, lab, sentenceOf } from '../state/session.ts'
import { loadTokens, tokens } from '../state/tokens.ts'

/** A head that moved has the quote asked anew. */
const everyMs = 2_000

/** The best route of an order, drawn, with what it was made of and what a block changes in it. */
export function QuotePage() {
  const failure = useSignal('')
  useEffect(() => {
    loadTokens().catch((error: unknown) => {
      failure.value = sentenceOf(error)
    })
  }, [failure])
  const order = readOrder(place.value.query)
  return (
    <>
      <OrderForm />
      {!lab.value && <KeyField />}
      {failure.value !== '' && <Trouble>The tokens could not be read: {failure.value}.</Trouble>}
      {tokens.value.length === 0 && failure.value === '' && <Wait>Reading the tokens …</Wait>}
      {order === undefined ? (
        tokens.value.length > 0 && <Empty>{whatLacks(place.value.query)}</Empty>
      ) : (
        <Answer
          order={order}
          key={JSON.stringify({ ...order, amountIn: String(order.amountIn) })}
        />
      )}
    </>
  )
}

const whatLacks = (query: URLSearchParams) =>
  query.get('in') === null
    ? 'Name two tokens and an amount: what comes of it is drawn here.'
    : 'One of the tokens is not known on this chain, or the amount has more digits than the token.'

function KeyField() {
  return (
    <label>
      API key, kept while this page is open; each quote costs it a unit
      <input
        type="password"
        autocomplete="off"
        value={apiKey.value}
        onChange={(event) => {
          apiKey.value = event.currentTarget.value
        }}
      />
    </label>
  )
}

type Seen = { readonly quote: Quote; readonly before: Quote | undefined }

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
    seen.value = { quote, before: seen.value?.quote }
  }
  const { failure } = usePoll(ask, { everyMs })
  if (failure.value !== undefined)
    return <Trouble>There is no quote: {failure.value}. Asked again every 2 s.</Trouble>
  if (!seen.value) return <Wait>Asking for the best route …</Wait>
  const { quote, before } = seen.value
  return (
    <>
      <Outcome {...{ order, quote, before }} />
      <Flow quote={quote} order={order} />
      <Steps quote={quote} order={order} />
      <CurveOnDemand order={order} />
      <Alternatives quote={quote} order={order} />
      {lab.value && <Execute order={order} />}
      <Copies quote={quote} order={order} />
    </>
  )
}

function Outcome({ order, quote, before }: Seen & { readonly order: Order }) {
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
        <dd class="figure">{quote.gas_estimate}</dd>
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
function Change({ quote, before, order }: Seen & { readonly order: Order }) {
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
