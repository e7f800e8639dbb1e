import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  isAddressEqual,
  toFunctionSelector,
} from 'viem'
import { executorAbi } from './checkAnswers.ts'
import { signPermit } from './signPermit.ts'
import { type Call, type OnChain, type Reader, signerOf } from './wallet.ts'

const [, withPermit] = executorAbi
const selector = toFunctionSelector(withPermit).slice(2)

/**
 * The quoted swap with the wallet's permit in it: one transaction instead of two. Undefined where an approval has
 * to be sent: the contract is none that takes permits, or no permit can be had, or the swap fails by it.
 */
export async function permitSwap(
  onChain: OnChain,
  {
    call: { to, spender, data },
    ...asked
  }: {
    readonly call: Call & { readonly spender: Address }
    readonly token: Address
    readonly amount: bigint
  },
): Promise<Call | undefined> {
  const { wallet, reader } = onChain
  const swap = signerOf(wallet) && readSwap(data)
  if (!swap || !isAddressEqual(to, spender) || !(await takesPermits(reader, to))) return undefined
  const permit = await signPermit(onChain, { ...asked, spender })
  if (!permit) return undefined
  const { deadline, v, r, s } = permit
  const args = [...swap, deadline, v, r, s] as const
  const permitted = encodeFunctionData({ abi: [withPermit], args })
  try {
    const from = wallet.address
    await reader.request({ method: 'eth_call', params: [{ from, to, data: permitted }, 'latest'] })
  } catch {
    // A token may read signatures otherwise than it says: nothing is sent that would revert for it.
    return undefined
  }
  return { to, data: permitted, value: 0n }
}

function readSwap(data: Call['data']) {
  try {
    const { functionName, args } = decodeFunctionData({ abi: executorAbi, data })
    return functionName === 'swap' ? args : undefined
  } catch {
    return undefined
  }
}

/** Executors that were deployed before they took permits have no such function. */
async function takesPermits(reader: Reader, address: Address): Promise<boolean> {
  const code = await reader.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return code.includes(selector)
}
