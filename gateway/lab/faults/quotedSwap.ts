import { decodeFunctionData, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { swapExecutor, userProxyV6 } from '../../../contracts/artifacts.ts'

const { abi } = swapExecutor
const selectorOf = (contract: typeof abi | typeof userProxyV6.abi, name: string) =>
  toFunctionSelector(
    contract.find((item) => item.type === 'function' && item.name === name) as never,
  )
const swapSelector = selectorOf(abi, 'swap')
const executeSelector = selectorOf(userProxyV6.abi, 'execute')
const swaps = new RegExp(`${swapSelector}[0-9a-f]+`)
const calls = new RegExp(`(?:${swapSelector}|${executeSelector})[0-9a-f]+`, 'g')

export type QuotedSwap = NonNullable<ReturnType<typeof findSwap>>

/** The executor's first swap in an answer: of meta's, that of the best quote. */
export function findSwap(text: string) {
  const [data] = swaps.exec(text) ?? []
  return data === undefined ? undefined : decodeSwap(data as Hex)
}

function decodeSwap(data: Hex) {
  const { functionName, args } = decodeFunctionData({ abi, data })
  if (functionName !== 'swap') throw new Error(`${functionName} has the selector of swap`)
  const [order, steps] = args
  return { order, steps }
}

export const encodeSwap = ({ order, steps }: QuotedSwap): Hex =>
  encodeFunctionData({ abi, functionName: 'swap', args: [order, steps] })

const outputs = /"(output|verified_output|amountOut|netAmountOut|actualOutput)":"(\d+)"/g
const leasts = /"(min_output|minAmountOut|minOut)":"(\d+)"/g
const wholeBps = 10_000n

/** The answer as it would be if the pools gave so many bps more than they do. */
export function promiseMore(text: string, bps: number): string {
  const more = (amount: bigint) => (amount * (wholeBps + BigInt(bps))) / wholeBps
  // One above: outputs were rounded before, and bounds are to keep to the slippage.
  const moreAtLeast = (amount: bigint) => more(amount + 1n)
  const scale = (by: typeof more) => (_: string, name: string, amount: string) =>
    `"${name}":"${by(BigInt(amount))}"`
  const raise = (data: string): Hex => {
    if (data.startsWith(executeSelector)) return raiseProxy(data as Hex)
    const { order, steps } = decodeSwap(data as Hex)
    return encodeSwap({
      order: { ...order, minAmountOut: moreAtLeast(order.minAmountOut) },
      steps,
    })
  }
  const raiseProxy = (data: Hex): Hex => {
    const proxy = userProxyV6.abi
    const { functionName, args } = decodeFunctionData({ abi: proxy, data })
    if (functionName !== 'execute') throw new Error(`${functionName} has the selector of execute`)
    const [swap] = args
    const inner = swap.data.startsWith(swapSelector) ? raise(swap.data) : swap.data
    const raised = { ...swap, minOut: moreAtLeast(swap.minOut), data: inner }
    return encodeFunctionData({ abi: proxy, functionName, args: [raised] })
  }
  return text
    .replace(outputs, scale(more))
    .replace(leasts, scale(moreAtLeast))
    .replace(calls, raise)
}
