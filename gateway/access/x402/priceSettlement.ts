import type { Hex } from 'viem'
import { getBlock, getTransactionCount } from 'viem/actions'
import { getChain } from '../../chain/chains.ts'
import { readL1Fee } from '../../chain/readL1Fee.ts'
import type { CallPrices } from '../../signing/signCall.ts'
import type { SettlementBook } from '../../store/settlements.ts'
import type { AccessChain, Settlement, SettlementLimits } from '../accessConfig.ts'

export type SettleRefusal = 'fee_ceiling' | 'hourly_cap' | 'hourly_spend'

/** Window of the hourly caps, counted back from now. */
export const capWindowMs = 3_600_000

export type PriceFacts = {
  readonly baseFeePerGasWei: bigint
  readonly head: bigint
  /** The signer's next nonce by the latest block. */
  readonly nonce: number
  /** Data fee outside gas x price (OP stack); 0 elsewhere. */
  readonly l1FeeWei: bigint
}

/** What a settlement is priced from, read together. */
export async function readPrice(
  { chainId, client }: AccessChain,
  { signer, calldata }: { readonly signer: Settlement['signer']; readonly calldata: Hex },
): Promise<PriceFacts> {
  const { address, token: to } = signer
  const hasDataFee = getChain(chainId)?.l1Fee === 'opStack'
  const [block, nonce, l1FeeWei] = await Promise.all([
    getBlock(client, { blockTag: 'latest' }),
    getTransactionCount(client, { address, blockTag: 'latest' }),
    hasDataFee ? readL1Fee(client, { to, data: calldata }) : 0n,
  ])
  return { baseFeePerGasWei: block.baseFeePerGas ?? 0n, head: block.number, nonce, l1FeeWei }
}

/** The caps of settlements, apart from the relay's own: whether the worst case of these bytes fits in. */
export function judgeCaps(
  { maxFeeWei, maxPerHour, maxSpendPerHourWei }: SettlementLimits,
  {
    prices: { gasLimit, maxFeePerGasWei },
    l1FeeWei,
    book: { count, spendWei },
  }: {
    readonly prices: CallPrices
    readonly l1FeeWei: bigint
    readonly book: Pick<SettlementBook, 'count' | 'spendWei'>
  },
): SettleRefusal | undefined {
  const worstWei = gasLimit * maxFeePerGasWei + l1FeeWei
  if (worstWei > maxFeeWei) return 'fee_ceiling'
  if (count >= maxPerHour) return 'hourly_cap'
  // The book knows the gas of the others; their data fee is taken to have been that of now.
  const spentWei = spendWei + BigInt(count) * l1FeeWei
  return spentWei + worstWei > maxSpendPerHourWei ? 'hourly_spend' : undefined
}
