import { decodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { lesser } from '../../amounts/amounts.ts'
import { payee } from './readBytesList.ts'

export const bebopSelector = '0x4dcebcba'
const abi = parseAbi([
  'struct Order { uint256 expiry; address taker; address maker; uint256 nonce; address takerToken; address makerToken; uint256 takerAmount; uint256 makerAmount; address receiver; uint256 commands; uint256 flags; }',
  'struct Signed { bytes signature; uint256 flags; }',
  'function swapSingle(Order order, Signed signed, uint256 filledTakerAmount)',
])

/**
 * Bits of an order's commands: who sends, or is sent, the native currency. Where another token than the
 * wrapped one stands beside them the settlement reverts (WrongWrappedTokenAddress).
 */
const takerHasNative = 1n
const makerHasNative = 2n
/** Of an order's flags, behind 64 bits. */
const partnerMask = 2n ** 64n - 1n

/**
 * Bebop's order of one maker: so much moves each way, in part where less is filled. Undefined where a partner has a
 * part of it: whoever registers as one names his fee, up to all (BebopPartner.sol).
 */
export function readBebop(data: Hex) {
  const [order, , filled] = decodeFunctionData({ abi, data }).args
  if (((order.flags >> 64n) & partnerMask) !== 0n) return undefined
  const { takerAmount, makerAmount, commands } = order
  const amountIn = filled === 0n ? takerAmount : lesser(filled, takerAmount)
  return {
    tokenIn: (commands & takerHasNative) === 0n ? order.takerToken : zeroAddress,
    tokenOut: (commands & makerHasNative) === 0n ? order.makerToken : zeroAddress,
    amountIn,
    minAmountOut: amountIn < takerAmount ? (makerAmount * amountIn) / takerAmount : makerAmount,
    recipient: payee(order.receiver),
  }
}
