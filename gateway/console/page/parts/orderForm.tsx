import type { QuoteRequest } from '../../../client/wire/routing.ts'
import { parseAmount } from '../state/amounts.ts'
import { go, place } from '../state/place.ts'
import { gateway, lab, manifest } from '../state/session.ts'
import { findToken, type Token, tokens } from '../state/tokens.ts'

export type Order = {
  readonly chainId: number
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly amountIn: bigint
  readonly request: QuoteRequest
}

const chainOf = (query: URLSearchParams) =>
  Number(query.get('chain') ?? gateway.value?.chains[0]?.chainId ?? 0)

/** What the address of the page orders; undefined where it lacks something or names what is not there. */
export function readOrder(query: URLSearchParams): Order | undefined {
  const chainId = chainOf(query)
  const tokenIn = findToken(chainId, query.get('in') ?? '')
  const tokenOut = findToken(chainId, query.get('out') ?? '')
  const amountIn = tokenIn && parseAmount(query.get('amount') ?? '', tokenIn.decimals)
  if (!tokenIn || !tokenOut || !amountIn) return undefined
  const taker = manifest.value?.chains[String(chainId)]?.accounts[0]?.address
  return {
    chainId,
    tokenIn,
    tokenOut,
    amountIn,
    request: {
      chain_id: chainId,
      token_in: tokenIn.address,
      token_out: tokenOut.address,
      amount_in: String(amountIn),
      route_graph: true,
      taker,
      // Each costs a unit, which only a lab gives away.
      ...(lab.value && { alternatives: 3 }),
      ...(query.get('gas') === 'off' && { gas_price_wei: '0' }),
    },
  }
}

/** Writes the order into the address of the page, so that it can be linked to. */
export function OrderForm() {
  const { query } = place.value
  const chainId = chainOf(query)
  function send(event: SubmitEvent) {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(form.get(name) ?? '')
    go('quote', {
      chain: text('chain'),
      in: text('in'),
      out: text('out'),
      amount: text('amount'),
      gas: form.has('gas') ? '' : 'off',
    })
  }
  return (
    <form onSubmit={send} key={query.toString()}>
      <label>
        Chain
        <select name="chain" value={String(chainId)}>
          {gateway.value?.chains.map((chain) => (
            <option key={chain.chainId} value={String(chain.chainId)}>
              {chain.name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Sell
        <input
          name="in"
          list="tokens"
          data-search
          required
          autocomplete="off"
          placeholder="symbol or address"
          value={query.get('in') ?? ''}
        />
      </label>
      <label>
        Amount
        <input
          name="amount"
          inputMode="decimal"
          required
          autocomplete="off"
          value={query.get('amount') ?? ''}
        />
      </label>
      <label>
        Buy
        <input
          name="out"
          list="tokens"
          required
          autocomplete="off"
          placeholder="symbol or address"
          value={query.get('out') ?? ''}
        />
      </label>
      <label class="inline">
        <input name="gas" type="checkbox" checked={query.get('gas') !== 'off'} />
        Count gas
      </label>
      <button type="submit">Quote</button>
      <datalist id="tokens">
        {tokens.value
          .filter((token) => token.chainId === chainId)
          .map(({ address, symbol }) => (
            <option key={address} value={symbol} label={address} />
          ))}
      </datalist>
    </form>
  )
}
