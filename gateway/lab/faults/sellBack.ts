import { balanceOfCall } from '../../../simulator/rpc/callShapes.ts'
import { isNative } from '../../chain/native.ts'
import type { Routing } from '../../routing/service/routing.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import { approve, type Trade } from './movePools.ts'

/** What is left of the price by then is at the next trader's expense. */
const slippageBps = 5_000

async function holds(
  { request }: LeasedChain,
  { trader, tokenIn, amountIn }: Trade,
): Promise<boolean> {
  const [method, ...params] = isNative(tokenIn)
    ? ['eth_getBalance', trader, 'latest']
    : ['eth_call', balanceOfCall(tokenIn, trader), 'latest']
  return BigInt(String(await request(String(method), params))) >= amountIn
}

/** Sells by the lab's own routing, asked in process: no request of it is counted, and no fault played at it. */
export async function sellBack(
  { routing }: { readonly routing: Pick<Routing, 'quote'> },
  chain: LeasedChain,
  trade: Trade,
): Promise<void> {
  // A chain that went back to an earlier state has taken it back already.
  if (!(await holds(chain, trade))) return
  const { trader, tokenIn, tokenOut, amountIn } = trade
  const { chainId } = chain
  const order = { chainId, tokenIn, tokenOut, amountIn, slippageBps, taker: trader }
  const outcome = await routing.quote(order)
  const execution = outcome.status === 'ok' ? outcome.quote.execution : undefined
  if (!execution) throw new Error(`no way back from ${tokenIn} to ${tokenOut}`)
  const { spender, target: to, data, value } = execution
  for (const call of [...approve(tokenIn, spender), { to, data, value }])
    await chain.impersonate(trader).send(call)
}
