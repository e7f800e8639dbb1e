import { type Address, concat, type Hex, hexToBigInt, size, slice, toHex } from 'viem'
import { type CallShape, gasOf, type StateOverrides } from './rpc/callShapes.ts'
import type { SimulatedCall } from './rpc/readSimulated.ts'

/** The zero address is the native currency. */
export type BalanceEntry = { readonly token: Address; readonly holder: Address }

/** Random-looking, so that no candidate can plan for it. */
const reader: Address = '0x8d1f0a4e93c7b65a20f84b9d7e16c3a05f72e9b4'
const caller: Address = '0x5f3a8c1e7b92d046a8e1f5c93b7d20e64a9f81c7'

/**
 * Takes pairs of token and holder, 20 bytes each, and answers two words for each: 1 and the balance, or
 * 0 where the token did not return a word. All balances in one call, since calls are what a simulation
 * costs by; and whatever a hostile token returns goes no further than this code.
 */
const code: Hex = concat([
  '0x6370a0823160e01b5f52', // mem[0] = the selector of balanceOf
  '0x5f6060', // stack: where to read (calldata), where to write (memory)
  '0x5b36821015605c57', // loop: leave at the end of the calldata
  '0x816014013560601c', // the holder
  '0x823560601c', // the token
  '0x80603457', // the zero address is the native currency
  '0x5031816020015260018152605056', // write 1 and BALANCE(holder), which no gas price has touched
  '0x5b90600452', // mem[4] = the holder
  '0x60208260200160245f84621e8480fa', // STATICCALL(gas, token, 0, 36, write + 32, 32)
  '0x601f3d1116825250', // write whether it worked and returned a word: what follows it is of no account
  '0x5b6040019060280190600d56', // to the next pair
  '0x5b606090036060f3', // RETURN(96, write - 96)
])

/** Part of every simulation that reads balances. */
export const balanceReaderOverride: StateOverrides = { [reader]: { code } }

/** The same at another address, called by somebody who can pay for gas. */
export const balanceReaderAt = (place: Address, balance: Hex): StateOverrides => ({
  [place]: { code },
  [caller]: { balance },
})

/** Each pair may use `gasOf.balanceRead`, and the call a little more for itself. */
export function readBalancesCall(
  entries: readonly BalanceEntry[],
  place: Address = reader,
): CallShape {
  const gas = BigInt(entries.length) * (gasOf.balanceRead + 50_000n) + 100_000n
  const pairs = entries.map(({ token, holder }) => `${token.slice(2)}${holder.slice(2)}`)
  return { from: caller, to: place, gas: toHex(gas), data: `0x${pairs.join('')}` }
}

/** Undefined for each that could not be read. */
export function readBalances(
  call: SimulatedCall | undefined,
  count: number,
): readonly (bigint | undefined)[] {
  if (!call?.ok || size(call.returnData) !== 64 * count)
    return Array.from({ length: count }, () => undefined)
  return Array.from({ length: count }, (_, index) => {
    const isRead = call.returnData.at(2 + 128 * index + 63) === '1'
    return isRead
      ? hexToBigInt(slice(call.returnData, 64 * index + 32, 64 * index + 64))
      : undefined
  })
}
