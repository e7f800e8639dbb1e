import { type Address, type Client, type Hex, hexToBigInt } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import { readL1Fee } from '../chain/readL1Fee.ts'
import { bumpFee } from '../signing/bumpFee.ts'
import type { RelayLimits } from './limits.ts'
import { encodeDeploy } from './signer.ts'

/** Everything a deployment is priced from, read together so that no price mixes two moments. */
export type FeeSnapshot = {
  readonly baseFeePerGasWei: bigint
  readonly priorityFeePerGasWei: bigint
  /** Data fee outside gas x price (OP stack); 0 elsewhere. */
  readonly l1FeeWei: bigint
  /** Arbitrum only: the node's estimate, which holds the data fee as gas. */
  readonly gasEstimate: bigint | undefined
  /** Next nonce by the latest block. */
  readonly relayerNonce: number
  /** Of that block. */
  readonly timestampMs: number
}

export type FeeQuote = {
  readonly gas: bigint
  /** Signed. Never above the gas cap. */
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
  readonly l1FeeWei: bigint
  /** What gate 6 judges: gas at the price of now. */
  readonly feeWei: bigint
  /** Worst case of the signed bytes; at most the fee ceiling whenever gate 6 passes. */
  readonly reservedWei: bigint
}

/** A tip above the base fee buys nothing on these chains; this much is allowed where that is tiny. */
const minTipCapWei = 1_000_000n

export async function readFees(
  { client, chain }: Pick<ChainClient, 'client' | 'chain'>,
  {
    relayer,
    factory,
    owner,
  }: { readonly relayer: Address; readonly factory: Address; readonly owner: Address },
): Promise<FeeSnapshot> {
  const data = encodeDeploy(owner)
  const [block, tip, nonce, l1FeeWei, gasEstimate] = await Promise.all([
    client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
    client.request({ method: 'eth_maxPriorityFeePerGas' }),
    client.request({ method: 'eth_getTransactionCount', params: [relayer, 'latest'] }),
    chain.l1Fee === 'opStack' ? readL1Fee(client, { to: factory, data }) : 0n,
    chain.l1Fee === 'arbitrum' ? estimateGas(client, { relayer, factory, data }) : undefined,
  ])
  if (!block) throw new Error('the chain has no latest block')
  const baseFeePerGasWei = hexToBigInt(block.baseFeePerGas ?? '0x0')
  const tipCapWei = baseFeePerGasWei > minTipCapWei ? baseFeePerGasWei : minTipCapWei
  return {
    baseFeePerGasWei,
    priorityFeePerGasWei: least(hexToBigInt(tip), tipCapWei),
    l1FeeWei,
    gasEstimate,
    relayerNonce: Number(nonce),
    timestampMs: Number(block.timestamp) * 1_000,
  }
}

async function estimateGas(
  client: Client,
  {
    relayer,
    factory,
    data,
  }: { readonly relayer: Address; readonly factory: Address; readonly data: Hex },
): Promise<bigint> {
  const gas = await client.request({
    method: 'eth_estimateGas',
    params: [{ from: relayer, to: factory, data }],
  })
  return hexToBigInt(gas)
}

/**
 * Prices one deployment. Gate 6 judges `feeWei`; the signed limits leave room for two full blocks of
 * rising base fee, but are cut so that their product never exceeds the ceiling the gate has passed.
 */
export function quoteFees(
  snapshot: FeeSnapshot,
  { gasUsed, limits }: { readonly gasUsed: bigint; readonly limits: RelayLimits },
): FeeQuote {
  const { baseFeePerGasWei, priorityFeePerGasWei, l1FeeWei, gasEstimate = 0n } = snapshot
  const gas = gasEstimate > gasUsed ? gasEstimate : gasUsed
  const feePerGasWei = baseFeePerGasWei + priorityFeePerGasWei
  const executionCeilingWei = limits.maxRelayFeeWei - l1FeeWei
  const affordableGas = feePerGasWei > 0n ? executionCeilingWei / feePerGasWei : gas * 2n
  const gasLimit = most(gas, least((gas * 11n) / 10n, affordableGas, BigInt(limits.gasCap)))
  const maxFeePerGasWei = most(
    feePerGasWei,
    least(2n * baseFeePerGasWei + priorityFeePerGasWei, executionCeilingWei / gasLimit),
  )
  return {
    gas,
    gasLimit,
    maxFeePerGasWei,
    maxPriorityFeePerGasWei: priorityFeePerGasWei,
    l1FeeWei,
    feeWei: gas * feePerGasWei + l1FeeWei,
    reservedWei: gasLimit * maxFeePerGasWei + l1FeeWei,
  }
}

/** The same deployment again at the same nonce: the higher of an eighth more and the price of now. */
export function quoteReplacement(
  quote: FeeQuote,
  previous: {
    readonly gasLimit: bigint
    readonly maxFeePerGasWei: bigint
    readonly maxPriorityFeePerGasWei: bigint
  },
): FeeQuote {
  const gasLimit = most(quote.gasLimit, previous.gasLimit)
  const maxFeePerGasWei = most(quote.maxFeePerGasWei, bumpFee(previous.maxFeePerGasWei))
  const tipWei = most(quote.maxPriorityFeePerGasWei, bumpFee(previous.maxPriorityFeePerGasWei))
  const reservedWei = gasLimit * maxFeePerGasWei + quote.l1FeeWei
  // Gate 6 judges the whole worst case here: the first attempt may already have reached the ceiling.
  return {
    ...quote,
    gasLimit,
    maxFeePerGasWei,
    maxPriorityFeePerGasWei: least(tipWei, maxFeePerGasWei),
    feeWei: reservedWei,
    reservedWei,
  }
}

// Math.min and Math.max take no bigint.
function least(first: bigint, ...rest: readonly bigint[]): bigint {
  let low = first
  for (const value of rest) if (value < low) low = value
  return low
}
function most(first: bigint, ...rest: readonly bigint[]): bigint {
  let high = first
  for (const value of rest) if (value > high) high = value
  return high
}
