import type { Address, Hex } from 'viem'
import type { ChallengeRequest, ClaimRequest, QuoteRequest } from './routing.ts'

/** Bodies as the routing service reads them. */
export const toQuoteRequest = ({
  chainId,
  tokenIn,
  tokenOut,
  amountIn,
  slippageBps,
  taker,
}: {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly slippageBps?: number | undefined
  readonly taker?: Address | undefined
}): QuoteRequest => ({
  chain_id: chainId,
  token_in: tokenIn,
  token_out: tokenOut,
  amount_in: String(amountIn),
  slippage_bps: slippageBps,
  taker,
})

export const toChallengeRequest = (
  address: Address,
  chainId: number | undefined,
): ChallengeRequest => ({ address, chain_id: chainId })

export const toClaimRequest = (chainId: number, txHash: Hex): ClaimRequest => ({
  chain_id: chainId,
  tx_hash: txHash,
})
