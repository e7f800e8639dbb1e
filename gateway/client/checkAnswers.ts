import {
  type Address,
  decodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  stringToBytes,
  zeroAddress,
} from 'viem'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { ForkyardError } from './forkyardError.ts'
import type { Call } from './wallet.ts'
import type { ProxyTransaction } from './wire/meta.ts'
import type { Challenge, Execution, KeyInfo, PricingContract, Quote } from './wire/routing.ts'

/** What was ordered: by this, and not by the answer, is judged what the wallet may sign. */
type Order = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly slippageBps?: number | undefined
  readonly minOut?: bigint | undefined
}

/** Of the call that a quote executes by, and of the one that a permit makes of it. */
export const executorAbi = parseAbi([
  'struct SwapParameters { address tokenIn; uint256 amountIn; address tokenOut; uint256 minAmountOut; address recipient; uint256 deadline; }',
  'struct Step { uint8 kind; address pool; address tokenIn; address tokenOut; uint256 share; bytes data; }',
  'function swap(SwapParameters params, Step[] steps) payable returns (uint256)',
  'function swapWithPermit(SwapParameters params, Step[] steps, uint256 permitDeadline, uint8 v, bytes32 r, bytes32 s) returns (uint256)',
])
const proxyAbi = parseAbi([
  'struct Swap { address tokenIn; uint256 amountIn; address tokenOut; uint256 minOut; address spender; address target; bytes data; uint256 deadline; }',
  'function execute(Swap swap) payable returns (uint256)',
])
/** Of both services, where the order says none. */
const usualSlippageBps = 50

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

function requireThat(isMet: boolean, sentence: string): void {
  if (!isMet) throw refusalFor(sentence)
}

const refusalFor = (sentence: string, cause?: unknown) =>
  new ForkyardError(sentence, { status: 0, code: 'refused_answer', cause })

/** The call of a quote, if it gives away no more than the order. */
export function checkExecution(
  order: Order & { readonly executor?: Address | undefined },
  {
    taker,
    quote,
    execution,
  }: { readonly taker: Address; readonly quote: Quote; readonly execution: Execution },
): Call & { readonly spender: Address } {
  const { target, spender } = execution
  const value = checkValue(order, execution.value)
  for (const address of [target, spender]) {
    const isToken = [order.tokenIn, order.tokenOut].some((token) => isSame(token, address))
    requireThat(!isToken, 'the quote calls or allows a token itself')
  }
  const minOut = BigInt(quote.min_output)
  requireThat(minOut >= leastOut(order, quote.output), 'the quote may bring less than was ordered')
  // As the document has it: calldata is hex.
  const call = { to: target, data: execution.calldata as Hex, value, spender }
  const { executor } = order
  if (!executor) return call
  const isExecutor = isSame(target, executor) && isSame(spender, executor)
  requireThat(isExecutor, `the quote is not for the executor ${executor}`)
  const { functionName, args } = decode(executorAbi, call.data)
  if (functionName !== 'swap') throw refusalFor('the calldata brings a permit of its own')
  const [{ minAmountOut, recipient, ...swap }] = args
  requireSwap(order, { ...swap, minOut: minAmountOut, least: minOut })
  const isOurs = [zeroAddress, taker].some((address) => isSame(address, recipient))
  requireThat(isOurs, `the calldata pays ${recipient}`)
  return call
}

/** After an approval: the same contracts, and a price that moved within what the first quote allowed. */
export function checkRequote(
  first: { readonly quote: Quote; readonly execution: Execution },
  second: { readonly quote: Quote; readonly execution: Execution },
): void {
  const isKept =
    isSame(first.execution.target, second.execution.target) &&
    isSame(first.execution.spender, second.execution.spender)
  requireThat(isKept, 'the quote after the approval is for another contract')
  const isWithin = BigInt(second.quote.output) >= BigInt(first.quote.min_output)
  requireThat(isWithin, 'the price moved by more than the slippage while the approval was sent')
}

/** The call of the owner's proxy, if it swaps what was ordered for no less than the quote says. */
export function checkProxyTx(
  order: Order,
  {
    proxy,
    quotedOut,
    proxyTx,
  }: {
    readonly proxy: Address
    readonly quotedOut: string
    readonly proxyTx: ProxyTransaction
  },
): Call {
  const { to, data } = proxyTx
  requireThat(isSame(to, proxy), `the transaction is for ${to}, not for the proxy ${proxy}`)
  const value = checkValue(order, proxyTx.value)
  const [swap] = decode(proxyAbi, data).args
  requireSwap(order, { ...swap, least: leastOut(order, quotedOut) })
  return { to, data, value }
}

function checkValue({ tokenIn, amountIn }: Order, answered: string): bigint {
  const value = BigInt(answered)
  const ordered = isSame(tokenIn, zeroAddress) ? amountIn : 0n
  requireThat(value === ordered, `the transaction takes ${value} wei instead of ${ordered}`)
  return value
}

function leastOut({ slippageBps = usualSlippageBps, minOut = 0n }: Order, quoted: string): bigint {
  const bound = (BigInt(quoted) * BigInt(10_000 - slippageBps)) / 10_000n
  return bound > minOut ? bound : minOut
}

function decode<const abi extends typeof executorAbi | typeof proxyAbi>(abi: abi, data: Hex) {
  try {
    return decodeFunctionData({ abi, data })
  } catch (cause) {
    throw refusalFor('the calldata is no swap', cause)
  }
}

function requireSwap(
  order: Order,
  {
    least,
    ...swap
  }: Required<Pick<Order, 'tokenIn' | 'tokenOut' | 'amountIn'>> & {
    readonly minOut: bigint
    readonly least: bigint
  },
): void {
  const isOrdered =
    isSame(swap.tokenIn, order.tokenIn) &&
    isSame(swap.tokenOut, order.tokenOut) &&
    swap.amountIn === order.amountIn
  requireThat(isOrdered, 'the calldata swaps something else')
  requireThat(swap.minOut >= least, `the calldata may bring ${swap.minOut}, less than ${least}`)
}

/** What the quotes cost, if the caller pays as much, and there. */
export function checkOffer(
  { quota_contract: manager, payment_token: token, amount_per_quote: price }: PricingContract,
  {
    quotes,
    maxAmount,
    quotaManager,
    paymentToken,
  }: {
    readonly quotes: number
    readonly maxAmount: bigint
    readonly quotaManager: Address | undefined
    readonly paymentToken: Address | undefined
  },
): bigint {
  // What maxAmount counts, the service is not to choose: of another token as much is worth anything.
  if (paymentToken === undefined) throw refusalFor('quotaManager or paymentToken has to be given')
  requireThat(isSame(token, paymentToken), `quota is paid in ${token}, not in ${paymentToken}`)
  const isKnown = quotaManager === undefined || isSame(manager, quotaManager)
  requireThat(isKnown, `quota is sold by ${manager}, not by ${quotaManager}`)
  const amount = BigInt(quotes) * BigInt(price)
  // Not `>`: without a bound, which only types ask for, nothing may be paid.
  requireThat(amount <= maxAmount, `${quotes} quotes cost ${amount}, and maxAmount is ${maxAmount}`)
  return amount
}

/** The key as the chain names it: by the hash of its name, or what is paid would be nobody's. */
export function checkKey({ key_id: name, key_id_hash: keyId }: KeyInfo): Hex {
  // As JavaScript without types would have it.
  const isNamed = typeof name === 'string' && keccak256(stringToBytes(name)) === keyId
  requireThat(isNamed, `the hash of the key ${name} is not ${keyId}`)
  return keyId
}

/** That the challenge signs the wallet in at this service, and is nothing else. */
export function checkChallenge(
  { message, nonce }: Challenge,
  {
    address,
    chainId,
    domain,
  }: {
    readonly address: Address
    readonly chainId: number | undefined
    readonly domain: string
  },
): void {
  const parsed = parseSiweMessage(message)
  // Parsing overlooks what stands between the fields: only the message made of them is the message.
  requireThat(writeChallenge(parsed) === message, 'the challenge is no EIP-4361 message')
  requireThat(parsed.domain === domain, `the challenge signs in at ${parsed.domain}, not ${domain}`)
  const isOurs = parsed.address !== undefined && isSame(parsed.address, address)
  requireThat(isOurs, `the challenge is for ${parsed.address}`)
  const isAnswered = parsed.nonce === nonce && (chainId ?? parsed.chainId) === parsed.chainId
  requireThat(isAnswered, 'the challenge has another nonce or chain')
}

function writeChallenge(parsed: ReturnType<typeof parseSiweMessage>): string {
  try {
    // What is missing makes it throw.
    return createSiweMessage(parsed as Parameters<typeof createSiweMessage>[0])
  } catch (cause) {
    throw refusalFor('the challenge is no EIP-4361 message', cause)
  }
}
