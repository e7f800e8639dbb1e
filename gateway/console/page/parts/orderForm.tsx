import { type ComponentChildren, Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import type { QuoteRequest } from '../../../client/wire/routing.ts'
import { parseAmount } from '../state/amounts.ts'
import { askedOf, place, toHash } from '../state/place.ts'
import { noteRecent, recent } from '../state/recent.ts'
import { apiKey, lab, manifest, nameOf } from '../state/session.ts'
import { findToken, type Token, tokens, useTokens } from '../state/tokens.ts'
import { Empty, Trouble, Wait } from './notes.tsx'
import { ChainField, chainOf, QueryForm, TextField } from './queryForm.tsx'

export type Order = {
  readonly chainId: number
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly amountIn: bigint
  /** Undefined where nobody has named one; in a lab its first account. */
  readonly taker: `0x${string}` | undefined
  readonly request: QuoteRequest
}

/** What the address of the page orders; undefined where it lacks something or names what is not there. */
export function readOrder(query: URLSearchParams): Order | undefined {
  const chainId = chainOf(query)
  const tokenIn = findToken(chainId, query.get('in') ?? '')
  const tokenOut = findToken(chainId, query.get('out') ?? '')
  const amountIn = tokenIn && parseAmount(query.get('amount') ?? '', tokenIn.decimals)
  if (!tokenIn || !tokenOut || !amountIn) return undefined
  const account = manifest.value?.chains[String(chainId)]?.accounts[0]?.address
  // The service says where it is no address.
  const taker = (query.get('taker') as `0x${string}` | null) ?? account
  return {
    chainId,
    tokenIn,
    tokenOut,
    amountIn,
    taker,
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

/** A page that answers an order: its form, what it lacks, or what comes of it. */
export function OrderPage({
  submit,
  promise,
  fields,
  children,
}: {
  /** What the form's button says. */
  readonly submit: string
  /** What will stand here, where nothing is ordered yet. */
  readonly promise: string
  /** Further ones of the form. */
  readonly fields?: ComponentChildren
  readonly children: (order: Order) => ComponentChildren
}) {
  const failure = useTokens()
  const { query } = place.value
  const order = readOrder(query)
  useEffect(() => {
    if (order) noteRecent(query)
  }, [order !== undefined, askedOf(query)])
  return (
    <>
      <QueryForm submit={submit}>
        <ChainField />
        <TextField name="in" label="Sell" list="tokens" placeholder={named} required isSearch />
        <TextField name="amount" label="Amount" inputMode="decimal" required />
        <TextField name="out" label="Buy" list="tokens" placeholder={named} required />
        {!lab.value && <TextField name="taker" label="Wallet" placeholder="0x…" />}
        {fields}
        <TokenList chainId={chainOf(query)} />
      </QueryForm>
      <Recent />
      {!lab.value && <KeyField />}
      {failure.value !== '' && <Trouble>The tokens could not be read: {failure.value}.</Trouble>}
      {tokens.value.length === 0 && failure.value === '' && <Wait>Reading the tokens …</Wait>}
      {order && <Fragment key={askedOf(query)}>{children(order)}</Fragment>}
      {!order && tokens.value.length > 0 && (
        <Empty>{query.has('in') ? unreadable : `Name two tokens and an amount: ${promise}`}</Empty>
      )}
    </>
  )
}

const named = 'symbol or address'
const unreadable =
  'One of the tokens is not known on this chain by that symbol (give its address), or the amount has more digits than the token.'

/** Orders of late, of any page. */
function Recent() {
  if (recent.value.length === 0) return null
  return (
    <nav class="small" aria-label="Recent orders">
      Recent:{' '}
      {recent.value.map(({ chain, sell, amount, buy }, index) => [
        index > 0 && ' · ',
        <a key={index} href={toHash(place.value.page, { chain, in: sell, amount, out: buy })}>
          {amount} {sell} to {buy}, {nameOf(Number(chain))}
        </a>,
      ])}
    </nav>
  )
}

function TokenList({ chainId }: { readonly chainId: number }) {
  return (
    <datalist id="tokens">
      {tokens.value
        .filter((token) => token.chainId === chainId)
        .map(({ address, symbol, isListed }) => {
          const [value, label] = isListed ? [symbol, address] : [address, symbol]
          return <option key={address} value={value} label={label} />
        })}
    </datalist>
  )
}

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
