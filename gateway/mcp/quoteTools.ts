import { Type } from 'typebox'
import type { Meta, Routing } from '../client/index.ts'
import { toQuoteRequest } from '../client/wire/requests.ts'
import type { NamedToken, TokenBook } from './tokenBook.ts'
import { account, amounts, bytes, chainId, hash, raw, readOrder, token, tool } from './tool.ts'

const slippageBps = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 10_000, description: 'Basis points; else 50' }),
)
const order = {
  chainId,
  tokenIn: token('Token to sell'),
  tokenOut: token('Token to buy'),
  ...amounts,
}
const taker = account('Wallet that sends the swap and receives the output')
const single = { ...order, slippageBps, taker: Type.Optional(taker) }

type Order = ReturnType<typeof readOrder>

const toRequest = (
  { chainId: id, tokenIn, tokenOut, amountIn }: Order,
  {
    slippageBps: slippage,
    taker: wallet,
  }: Pick<Parameters<typeof toQuoteRequest>[0], 'slippageBps' | 'taker'>,
) =>
  toQuoteRequest({
    chainId: id,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn,
    slippageBps: slippage,
    taker: wallet,
  })

export const quoteTools = [
  tool({
    name: 'tokens',
    title: 'Known tokens',
    description:
      'Known tokens with address and decimals. Those that are listed can be named by their symbol; the symbol of any other is what its maker chose.',
    input: Type.Object({
      chainId: Type.Optional(chainId),
      search: Type.Optional(Type.String({ description: 'Part of a symbol or address' })),
    }),
    effect: 'reads',
    handle: async ({ book }, { chainId: id, search = '' }) => {
      const part = search.toLowerCase()
      const found = book.tokens.filter(
        (one) =>
          (id === undefined || one.chainId === id) &&
          `${one.symbol} ${one.address}`.toLowerCase().includes(part),
      )
      return { tokens: found }
    },
  }),
  tool({
    name: 'quote',
    title: 'Best route for a swap',
    description:
      'The best route over all pools, and the transaction that executes it: allow execution.spender to take the input token, then send execution from the taker. Costs one unit of quota. Nothing is sent.',
    input: Type.Object({
      ...single,
      verify: Type.Optional(
        Type.Boolean({ description: 'Dry-run the transaction on the newest block first' }),
      ),
    }),
    effect: 'reads',
    handle: async ({ client, book }, given) => {
      const wanted = readOrder(book, given)
      const { verify } = given
      const quote = await client.routing.quote({ ...toRequest(wanted, given), verify })
      return describeQuote(book, { order: wanted, quote })
    },
  }),
  tool({
    name: 'quotes',
    title: 'Several quotes at once',
    description: 'Up to 100 quotes on one state of each chain; each costs a unit of quota.',
    input: Type.Object({
      orders: Type.Array(Type.Object(single), { minItems: 1, maxItems: 100 }),
    }),
    effect: 'reads',
    handle: async ({ client, book }, { orders }) => {
      const wanted = orders.map((given) => readOrder(book, given))
      const requests = wanted.map((one, at) => toRequest(one, orders[at] ?? {}))
      const { quotes } = await client.routing.quotes({ quotes: requests })
      return {
        quotes: wanted.map((one, at) => {
          const { quote, ...failure } = quotes[at] ?? {}
          return quote ? describeQuote(book, { order: one, quote }) : failure
        }),
      }
    },
  }),
  tool({
    name: 'explain_route',
    title: 'Why a quote was what it was',
    description:
      'Pools, shares, grades and what bounded the search, for ten minutes after a quote.',
    input: Type.Object({ quoteHash: hash('quoteHash of an answer of quote') }),
    effect: 'reads',
    handle: async ({ client, book }, { quoteHash }) => {
      const { request, quote, ...explained } = await client.routing.explain({ hash: quoteHash })
      const tokenIn = book.find(request.chain_id, request.token_in)
      const tokenOut = book.find(request.chain_id, request.token_out)
      return {
        ...explained,
        sell: book.toAmount(tokenIn, request.amount_in),
        receive: book.toAmount(tokenOut, quote.output),
        receiveAtLeast: book.toAmount(tokenOut, quote.min_output),
        request,
        quote,
      }
    },
  }),
  tool({
    name: 'compare',
    title: 'Dry-run transactions of several providers',
    description:
      'Executes candidate transactions for one swap on one block, in a simulation, and says which delivers most. Costs a unit of quota each.',
    input: Type.Object({
      ...order,
      candidates: Type.Array(
        Type.Object({
          provider: Type.String({ minLength: 1 }),
          target: account('Contract that is called'),
          calldata: bytes('Data of the call'),
          value: Type.Optional(raw('Wei sent along; else 0')),
          spender: account('Contract that takes the input token'),
          quotedRaw: raw('Output that the provider promises, in the smallest unit'),
        }),
        { minItems: 1, maxItems: 32 },
      ),
    }),
    effect: 'reads',
    handle: async ({ client, book }, { candidates, ...given }) => {
      const { chainId: id, tokenIn, tokenOut, amountIn } = readOrder(book, given)
      const compared = await client.routing.compare({
        chainId: id,
        candidates: candidates.map((one) => ({
          providerId: one.provider,
          target: one.target,
          data: one.calldata,
          value: one.value ?? '0',
          inputToken: tokenIn.address,
          outputToken: tokenOut.address,
          inputAmount: String(amountIn),
          approveTarget: one.spender,
          quotedOutput: one.quotedRaw,
        })),
      })
      return {
        winner: compared.winnerProviderId,
        blockNumber: compared.block_number,
        results: compared.results.map(({ quotedOutput, actualOutput, ...result }) => ({
          ...result,
          quoted: book.toAmount(tokenOut, quotedOutput),
          ...(actualOutput !== undefined && { received: book.toAmount(tokenOut, actualOutput) }),
        })),
      }
    },
  }),
  tool({
    name: 'meta_quote',
    title: 'Best quote of all sources',
    description:
      'Asks many aggregators and exchanges at once, dry-runs their transactions unless told not to, and ranks what arrives. `best` holds the transaction. Nothing is sent.',
    input: Type.Object({
      ...order,
      slippageBps,
      taker,
      dryRun: Type.Optional(Type.Boolean({ description: 'Simulate every quote; else true' })),
    }),
    effect: 'reads',
    handle: async ({ client, book }, { dryRun = true, ...given }) => {
      const { chainId: id, tokenIn, tokenOut, amountIn } = readOrder(book, given)
      const answer = await client.meta.quote({
        chainId: id,
        tokenIn: tokenIn.address,
        tokenOut: tokenOut.address,
        amountIn: String(amountIn),
        taker: given.taker,
        slippageBps: given.slippageBps,
        dryRun,
      })
      const { best, quotes, failures, elapsedMs } = answer
      const describe = (quote: Meta.Quote) => describeSource(book, { quote, tokenOut })
      return {
        sell: book.toAmount(tokenIn, amountIn),
        best: best && {
          ...describe(best),
          execution: {
            spender: best.approveTarget,
            target: best.target,
            calldata: best.calldata,
            value: best.value,
          },
        },
        quotes: quotes.map(describe),
        failures,
        elapsedMs,
      }
    },
  }),
]

function describeQuote(
  book: TokenBook,
  { order: { tokenIn, tokenOut, amountIn }, quote }: { order: Order; quote: Routing.Quote },
) {
  return {
    sell: book.toAmount(tokenIn, amountIn),
    receive: book.toAmount(tokenOut, quote.output),
    receiveAtLeast: book.toAmount(tokenOut, quote.min_output),
    route: quote.route_path,
    readiness: quote.route_readiness,
    isExecutable: quote.route_executable,
    reason: quote.route_unexecutable_reason,
    priceImpactBps: quote.price_impact_bps,
    poolGrades: quote.pool_grades,
    gasEstimate: quote.gas_estimate,
    quoteHash: quote.quote_hash,
    execution: quote.execution,
  }
}

function describeSource(
  book: TokenBook,
  { quote, tokenOut }: { readonly quote: Meta.Quote; readonly tokenOut: NamedToken },
) {
  const { status, actualOutput, error } = quote.simulation
  return {
    provider: quote.provider,
    receive: book.toAmount(tokenOut, quote.amountOut),
    receiveAtLeast: book.toAmount(tokenOut, quote.minAmountOut),
    gasEstimate: quote.gasEstimate,
    simulation: status,
    ...(actualOutput !== undefined && { received: book.toAmount(tokenOut, actualOutput) }),
    ...(error !== undefined && { error }),
  }
}
