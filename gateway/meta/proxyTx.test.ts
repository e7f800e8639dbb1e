import { decodeFunctionData } from 'viem'
import { userProxyV6 } from '../../contracts/artifacts.ts'
import { makeQuote, makeRequest } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { strictRefusal } from './aggregate.ts'
import { nativeToken } from './provider/source.ts'
import { proxyTx } from './proxyTx.ts'

const s = suite('meta/proxyTx')
const proxy = '0x4444444444444444444444444444444444444444'
const nowMs = 1_900_000_000_999
/** What it is expected to pay and take lies apart from what is guaranteed. */
const exactOutput = makeRequest({
  trade: { type: 'exactOutput', targetOut: 900n, maxIn: 1_200_000n },
})
const quote = makeQuote({ amountIn: 1_000_000n, maxAmountIn: 1_100_000n, amountOut: 1_000n })

function swapOf(...[request, asked = quote]: [typeof exactOutput, typeof quote?]) {
  const { data, ...rest } = proxyTx({ proxy, request, quote: asked, nowMs })
  return { ...rest, swap: decodeFunctionData({ abi: userProxyV6.abi, data }).args[0] as Swap }
}
type Swap = { readonly amountIn: bigint; readonly minOut: bigint; readonly deadline: bigint }

s('guarantees the target of an exact output and takes at most its cap [meta/proxy-exact]', () => {
  const { swap, minOut, value } = swapOf(exactOutput)
  assert.equal([swap.minOut, minOut], [900n, 900n])
  assert.is(swap.amountIn, 1_100_000n)
  assert.is(value, 0n)
  const native = swapOf({ ...exactOutput, tokenIn: nativeToken })
  assert.is(native.value, 1_100_000n)
  assert.is(swapOf(makeRequest()).swap.minOut, 995n)
})

s('bounds a quote of one wei by one: the proxy refuses swaps without a bound [21/min-out]', () => {
  const dust = makeQuote({ amountIn: 1n, maxAmountIn: 1n, amountOut: 1n })
  assert.is(swapOf(makeRequest(), dust).swap.minOut, 1n)
})

s('holds for twenty minutes of whole seconds [meta/proxy-deadline]', () => {
  assert.is(swapOf(exactOutput).swap.deadline, 1_900_000_000n + 1_200n)
})

s('holds an exact output to its target, not to what was expected [meta/strict-exact]', () => {
  const judge = (actualOutput: bigint, source = exactOutput) =>
    strictRefusal(
      { source, policy: 'strict' },
      { quote, simulation: { status: 'success', actualOutput } },
    )?.detail
  assert.is(judge(900n), undefined)
  assert.is(judge(899n), 'delivers 899, less than 900')
  assert.is(judge(995n, makeRequest()), undefined)
  assert.is(judge(994n, makeRequest()), 'delivers 994, less than 995')
  const nothing = { quote, simulation: { status: 'success' } } as const
  const refusal = strictRefusal({ source: exactOutput, policy: 'strict' }, nothing)
  assert.is(refusal?.detail, 'delivers 0, less than 900')
})

s.run()
