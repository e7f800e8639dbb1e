import type { Context } from 'koa'
import { isNative } from '../../chain/native.ts'
import { onWrites } from './edge.ts'
import type { Fault, Play } from './fault.ts'
import { movePools } from './movePools.ts'
import { findSwap, promiseMore, type QuotedSwap } from './quotedSwap.ts'
import { taxToken } from './taxToken.ts'

const textOf = ({ body }: Context) => (typeof body === 'string' ? body : '')

/** More is promised than the chain gives: to whoever executes it, the price has moved since. */
const drift: Play = async ({ ctx, next, settings: { bps } }) => {
  onWrites(ctx, (chunk, write) => write(promiseMore(chunk, bps)))
  await next()
  if (typeof ctx.body !== 'string') return
  ctx.body = promiseMore(ctx.body, bps)
  ctx.type = 'json'
}

/** Something done to the chain of a quote that was answered, before the caller has it. */
const afterQuote =
  (
    change: (quoted: {
      readonly played: Parameters<Play>[0]
      readonly chainId: number
      readonly swap: QuotedSwap
    }) => Promise<void>,
  ): Play =>
  async (played) => {
    await played.next()
    const { ctx } = played
    const swap = findSwap(textOf(ctx))
    const chainId = chainOf(ctx)
    if (swap && chainId !== undefined) await change({ played, chainId, swap })
  }

/** As routing or meta names it. */
function chainOf({ state }: Context): number | undefined {
  // It has been answered, so it fits the schema.
  const { body } = state as { readonly body?: { chain_id?: number; chainId?: number } }
  return body?.chain_id ?? body?.chainId
}

const move = afterQuote(async ({ played, chainId, swap }) => {
  const { chains, settings, lasting, sellBack } = played
  const { bps, ms } = settings
  await lasting.hold({ name: 'pool_moved', of: crypto.randomUUID(), ms }, () =>
    chains.on(chainId, async (chain, { executor }) => {
      const back = await movePools(chain, { swap, executor, bps })
      return () => chains.on(chainId, (again) => sellBack(again, back))
    }),
  )
})

const tax = afterQuote(async ({ played, chainId, swap: { order } }) => {
  const { chains, settings, lasting } = played
  const token = isNative(order.tokenOut) ? order.tokenIn : order.tokenOut
  const { bps, ms } = settings
  await lasting.hold({ name: 'token_taxed', of: `${chainId} ${token}`, ms }, () =>
    chains.on(chainId, async (chain) => {
      const code = await taxToken(chain, { token, bps })
      return () => chains.on(chainId, (again) => code.restore(again))
    }),
  )
})

const usual = { ms: 60_000 }

/** What a market does between a quote and its execution. */
export const marketFaults: readonly Fault[] = [
  {
    at: 'request',
    name: 'quote_drift',
    sentence:
      'The answer promises so many bps more than the chain gives, as if the price moved before it is executed; so does the calldata of the lab itself',
    reads: ['bps'],
    play: drift,
  },
  {
    at: 'request',
    name: 'pool_moved',
    sentence:
      'Once a quote is answered, somebody trades through the pools of its route until it gives so many bps less, and sells back ms later',
    reads: ['bps', 'ms'],
    usual,
    play: move,
  },
  {
    at: 'request',
    name: 'token_taxed',
    sentence:
      'Once a quote is answered, the token that it buys (sells, where it buys the native currency) takes so many bps of each transfer for ms',
    reads: ['bps', 'ms'],
    usual,
    play: tax,
  },
]
