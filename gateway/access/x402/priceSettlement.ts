import type { Hex } from 'viem'
import { getBalance, getBlock, getTransactionCount } from 'viem/actions'
import { getChain } from '../../chain/chains.ts'
import { readL1Fee } from '../../chain/readL1Fee.ts'
import { bumpFee } from '../../signing/bumpFee.ts'
import type { CallPrices } from '../../signing/signCall.ts'
import type { Newcomers } from '../../store/settlementNewcomers.ts'
import type { SettlementBook } from '../../store/settlements.ts'
import { lowest } from '../../store/sharedCaps.ts'
import type { AccessChain, Settlement, SettlementLimits } from '../sale/accessConfig.ts'
import { judgeParties, type PartyRefusal } from './judgeParties.ts'

export type SettleRefusal =
  | PartyRefusal
  | 'fee_ceiling'
  | 'hourly_cap'
  | 'hourly_spend'
  | 'nonce_gap'
  | 'unfunded'
  | 'unprofitable'

/** Window of the hourly caps, counted back from now. */
export const capWindowMs = 3_600_000

export type PriceFacts = {
  readonly baseFeePerGasWei: bigint
  readonly head: bigint
  /** The signer's next nonce by the latest block. */
  readonly nonce: number
  /** What the signer has. */
  readonly balanceWei: bigint
  /** Of the head. */
  readonly timestampMs: number
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
  const [block, nonce, balanceWei, l1FeeWei] = await Promise.all([
    getBlock(client, { blockTag: 'latest' }),
    getTransactionCount(client, { address, blockTag: 'latest' }),
    getBalance(client, { address }),
    hasDataFee ? readL1Fee(client, { to, data: calldata }) : 0n,
  ])
  return {
    baseFeePerGasWei: block.baseFeePerGas ?? 0n,
    head: block.number,
    timestampMs: Number(block.timestamp) * 1_000,
    nonce,
    balanceWei,
    l1FeeWei,
  }
}

/** A tip that gets a transaction into the next block on chains that need one at all. */
const tipWei = 1_000_000n

/** What would be signed: room for a fifth more gas and two full blocks of rising base fee. */
export const settlementPrices = ({
  gas,
  facts,
}: {
  readonly gas: bigint
  readonly facts: Pick<PriceFacts, 'baseFeePerGasWei'>
}): CallPrices => ({
  gasLimit: (gas * 12n) / 10n,
  maxFeePerGasWei: 2n * facts.baseFeePerGasWei + tipWei,
  maxPriorityFeePerGasWei: tipWei,
})

/**
 * What replaces a stuck settlement: the price of now, or the least that nodes take instead of the last. Under
 * a ceiling below the price of now, all that the ceiling lets through: the fee may come down to it.
 */
export function raisedPrices(
  { gasLimit, ...last }: CallPrices,
  {
    facts,
    maxFeeWei,
  }: {
    readonly facts: Pick<PriceFacts, 'baseFeePerGasWei' | 'l1FeeWei'>
    readonly maxFeeWei: bigint
  },
): CallPrices {
  const least = bumpFee(last.maxFeePerGasWei)
  const most = (maxFeeWei - facts.l1FeeWei) / gasLimit
  const { maxFeePerGasWei: now } = settlementPrices({ gas: 0n, facts })
  return {
    gasLimit,
    maxFeePerGasWei: maxOf(least, minOf(now, most)),
    maxPriorityFeePerGasWei: bumpFee(last.maxPriorityFeePerGasWei),
  }
}

const maxOf = (one: bigint, other: bigint) => (one > other ? one : other)
const minOf = (one: bigint, other: bigint) => (one < other ? one : other)

type Judged = {
  readonly prices: CallPrices
  readonly facts: Pick<PriceFacts, 'l1FeeWei' | 'balanceWei'>
  readonly book: SettlementBook
  /** Raw units of the payment token, six decimals, that the pack is sold for. */
  readonly packAmount: bigint
}

/** What a new settlement has to pass before it takes a nonce. */
export function judgeSettlement(
  own: SettlementLimits,
  { prices, facts, book, packAmount }: Judged,
): SettleRefusal | undefined {
  if (book.missingNonce !== undefined) return 'nonce_gap'
  const limits = toHeld(own, book)
  const worstWei = prices.gasLimit * prices.maxFeePerGasWei + facts.l1FeeWei
  const capped = judgeCaps(limits, { prices, l1FeeWei: facts.l1FeeWei, book })
  if (capped) return capped
  const crowded = judgeNewcomers(limits, { worstWei, ...book.newcomers })
  if (crowded) return crowded
  if (toMicroUsd(worstWei, limits) > packAmount) return 'unprofitable'
  if (facts.balanceWei < book.openWei + worstWei) return 'unfunded'
  return judgeParties(book.parties, book)
}

/**
 * Keys are free, and so is a payment that fails: keys that have never had one settled share half of an hour,
 * so that however many of them come, those that pay are settled for.
 */
function judgeNewcomers(
  { maxPerHour, maxSpendPerHourWei }: SettlementLimits,
  { isOne, count, spendWei, worstWei }: Newcomers & { readonly worstWei: bigint },
): SettleRefusal | undefined {
  // The first always may, however small the caps are.
  if (!isOne || count === 0) return undefined
  if (2 * count >= maxPerHour) return 'hourly_cap'
  return 2n * (spendWei + worstWei) > maxSpendPerHourWei ? 'hourly_spend' : undefined
}

const usualUsdPerNative = 5_000

/** Rounded up. */
const toMicroUsd = (
  wei: bigint,
  { usdPerNative = usualUsdPerNative }: Pick<SettlementLimits, 'usdPerNative'>,
): bigint => (wei * BigInt(usdPerNative) * 1_000_000n) / 10n ** 18n + 1n

/** The lowest caps of all gateways that settle on the chain hold. */
export const toHeld = (
  limits: SettlementLimits,
  { lowestCaps }: Pick<SettlementBook, 'lowestCaps'>,
): SettlementLimits => ({ ...limits, ...lowest(limits, lowestCaps) })

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
