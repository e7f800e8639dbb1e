import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { isNative } from '../../chain/native.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import { encodeSwap, type QuotedSwap } from './quotedSwap.ts'

/** An amount that somebody trades for another. */
export type Trade = {
  readonly trader: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}
type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }

/** Up to so many doublings of the quoted amount are traded. */
const mostDoublings = 24
const halvings = 12
const wholeBps = 10_000n
const gas = toHex(10_000_000)

/**
 * Somebody nobody knows trades the way of a quoted swap, through its pools, until it would give `bps` less.
 * Returns the trade that takes it back.
 */
export async function movePools(
  chain: LeasedChain,
  {
    swap,
    executor,
    bps,
  }: { readonly swap: QuotedSwap; readonly executor: Address; readonly bps: number },
): Promise<Trade> {
  const { tokenIn, tokenOut, amountIn } = swap.order
  const trader = privateKeyToAddress(generatePrivateKey())
  await chain.deal(tokenIn, trader, (amountIn << BigInt(mostDoublings + 1)) + 10n ** 20n)
  const approval = approve(tokenIn, executor)
  for (const call of approval) await chain.impersonate(trader).send(call)
  const toCall = (amount: bigint): Call => ({
    to: executor,
    data: encodeSwap({
      steps: swap.steps,
      order: {
        ...swap.order,
        amountIn: amount,
        minAmountOut: 0n,
        recipient: trader,
        deadline: maxUint256,
      },
    }),
    value: isNative(tokenIn) ? amount : 0n,
  })
  const simulate = (amounts: readonly bigint[]) =>
    simulateCalls(chain, { from: trader, calls: amounts.map(toCall) })
  const [quoted] = await simulate([amountIn])
  if (quoted === undefined) throw new Error('the quoted swap reverts as it is')
  const least = (quoted * (wholeBps - BigInt(bps))) / wholeBps
  /** What is too much for the pools has moved them far enough, too. */
  const isEnough = async (amount: bigint) => {
    const [, then = 0n] = await simulate([amount, amountIn])
    return then <= least
  }
  const amount = await findLeast(amountIn, isEnough)
  const [bought] = await simulate([amount])
  if (bought === undefined) throw new Error(`no trade moves the pools by ${bps} bps`)
  await chain.impersonate(trader).send(toCall(amount))
  return { trader, tokenIn: tokenOut, tokenOut: tokenIn, amountIn: bought }
}

/** An approval where the token is no native currency. */
export const approve = (token: Address, spender: Address): readonly Call[] => {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [spender, maxUint256],
  })
  return isNative(token) ? [] : [{ to: token, data, value: 0n }]
}

/** The least amount that is enough, to a part in thousands. */
async function findLeast(
  start: bigint,
  isEnough: (amount: bigint) => Promise<boolean>,
): Promise<bigint> {
  let [low, high] = [0n, start]
  for (let doubling = 0; doubling < mostDoublings && !(await isEnough(high)); doubling++)
    [low, high] = [high, high * 2n]
  for (let halving = 0; halving < halvings && high - low > 1n; halving++) {
    const middle = (low + high) / 2n
    if (await isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

/** What each of the executor's calls returns, one after the other; undefined where it reverts. */
async function simulateCalls(
  { request }: LeasedChain,
  { from, calls }: { readonly from: Address; readonly calls: readonly Call[] },
): Promise<readonly (bigint | undefined)[]> {
  const block = { calls: calls.map((call) => ({ ...call, from, gas, value: toHex(call.value) })) }
  const answer = await request('eth_simulateV1', [{ blockStateCalls: [block] }, 'latest'])
  // The lab's own node.
  const [{ calls: results }] = answer as [
    { readonly calls: readonly { readonly status: Hex; readonly returnData: Hex }[] },
  ]
  return results.map(({ status, returnData }) =>
    status === '0x1' ? BigInt(returnData) : undefined,
  )
}
