import type { Address, Hex } from 'viem'
import { lessBps } from '../../../amounts/amounts.ts'
import { isNative } from '../../../chain/native.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import {
  type BatchCall,
  type BatchReader,
  decodeResult,
  readBatch,
} from '../../provider/readBatch.ts'
import {
  fail,
  guardBps,
  inputCap,
  type Source,
  type SourceOutcome,
  type SourceRequest,
} from '../../provider/source.ts'

/** One exchange of one chain, as a source needs it. */
export type DirectDex = {
  readonly factory: Address
  readonly router: Address
  readonly quoter?: Address | undefined
  readonly feesPips: readonly number[]
  /** Where pools are found by something else than their fee. */
  readonly poolKeys?: readonly number[] | undefined
  /** Known pools that hold both tokens, where contracts list none by pair. */
  readonly poolsBetween: (a: Address, b: Address) => readonly Address[]
  readonly reader: BatchReader
  readonly wrappedNative: Address
  /** Tokens worth going through. */
  readonly hubTokens: readonly Address[]
}

/** Contracts of a chain that the chain itself names, and which payloads may name then. */
export type NamedContracts = (chainId: number) => Set<Address>

/** Output of an exact input, input of an exact output, and the gas of the pools alone. */
export type Price = { readonly amount: bigint; readonly gas: bigint }

/** With the whole path, where the exchange itself says which pools it priced. */
type Priced<path> = Price & { readonly path?: path | undefined }

export type Swap<path> = {
  readonly request: SourceRequest
  readonly path: path
  readonly amounts:
    | {
        readonly type: 'exactInput'
        readonly amountIn: bigint
        readonly minAmountOut: bigint
      }
    | {
        readonly type: 'exactOutput'
        readonly amountOut: bigint
        readonly maxAmountIn: bigint
      }
  /** In seconds. */
  readonly deadline: bigint
}

export type Payload = {
  readonly target: Address
  readonly spender: Address
  readonly calldata: Hex
}

/** How one kind of exchange is asked, and how its own router is told to swap. */
export type DirectFamily<path> = {
  /** Whether its router measures what arrived, and so serves tokens that tax their transfers. */
  readonly takesTaxedInput: boolean
  /** Why it takes no token, where its router takes the native currency only. */
  readonly takesNativeOnly?: string | undefined
  readonly exactOutput: boolean
  /** Whether its pools hold the native currency itself. */
  readonly hasNativePools: boolean
  /** Gas of a swap beyond what `readPrice` says. */
  readonly gas: bigint
  /** Whether what stands at the router's address is one that swaps. May reject. */
  readonly isRouter: (dex: DirectDex, signal: AbortSignal) => Promise<boolean>
  /** Every way from token to token over pools that exist, the most direct first. */
  readonly listPaths: (
    dex: DirectDex,
    p: { readonly tokenIn: Address; readonly tokenOut: Address; readonly signal: AbortSignal },
  ) => Promise<readonly path[]>
  readonly askPrice: (dex: DirectDex, path: path, trade: SourceRequest['trade']) => BatchCall
  readonly readPrice: (data: Hex, path: path, trade: SourceRequest['trade']) => Priced<path>
  readonly encode: (dex: DirectDex, swap: Swap<path>) => Payload
  readonly describe: (path: path) => string
}

export type DirectDeps = {
  readonly dexOf: (chainId: number) => DirectDex | undefined
  readonly now: () => number
  /** Part of each transfer that does not arrive, in basis points; undefined while nobody knows. */
  readonly taxOf: (chainId: number, token: Address) => number | undefined
}

/** A source, and whether its router stands on a chain; that is asked once. */
export type DirectSource = Source & {
  readonly isThere: (chainId: number, signal: AbortSignal) => Promise<boolean>
  /** What it does not do, and why. */
  readonly note: string | undefined
}

/** Paths priced per request; each may run a whole swap in the node. */
const maxPaths = 24
const validitySecs = 1_200n
const nativeGas = 25_000n

/** What happens at both ends of a swap. */
type Ends = { readonly taxInBps: number; readonly taxOutBps: number }

async function pricePaths<path>(
  family: DirectFamily<path>,
  dex: DirectDex,
  {
    paths,
    trade,
    signal,
  }: {
    readonly paths: readonly path[]
    readonly trade: SourceRequest['trade']
    readonly signal: AbortSignal
  },
): Promise<{ readonly path: path; readonly price: Price } | undefined> {
  const asked = paths.slice(0, maxPaths)
  const calls = asked.map((path) => family.askPrice(dex, path, trade))
  const results = await readBatch(dex.reader, { calls, signal })
  let best: { readonly path: path; readonly price: Price } | undefined
  for (const [index, path] of asked.entries()) {
    const price = decodeResult(results[index], (data) => family.readPrice(data, path, trade))
    if (!price || price.amount === 0n) continue
    const isBetter =
      !best ||
      (trade.type === 'exactInput'
        ? price.amount > best.price.amount
        : price.amount < best.price.amount)
    if (isBetter) best = { path: price.path ?? path, price }
  }
  return best
}

/** Amounts of the payload and of the quote, taxes and guards included. */
function planAmounts(request: SourceRequest, { amount }: Price, { taxOutBps }: Ends) {
  const { trade } = request
  if (trade.type === 'exactInput') {
    const amountOut = lessBps(amount, taxOutBps)
    const minAmountOut = lessBps(amountOut, guardBps(request, 10_000))
    const { amountIn } = trade
    return { type: trade.type, amountIn, maxAmountIn: amountIn, amountOut, minAmountOut } as const
  }
  const { targetOut, maxIn } = trade
  const maxAmountIn = inputCap(amount, { slippageBps: request.slippageBps, maxIn })
  const amountOut = targetOut
  return {
    type: trade.type,
    amountIn: amount,
    maxAmountIn,
    amountOut,
    minAmountOut: targetOut,
  } as const
}

function toOutcome<path>(
  name: string,
  { family, dex }: { readonly family: DirectFamily<path>; readonly dex: DirectDex },
  {
    request,
    path,
    price,
    ends,
    deadline,
  }: {
    readonly request: SourceRequest
    readonly path: path
    readonly price: Price
    readonly ends: Ends
    readonly deadline: bigint
  },
): SourceOutcome {
  const { trade, tokenIn, tokenOut } = request
  if (trade.type === 'exactOutput' && price.amount > trade.maxIn)
    return fail('no_route', `needs an input of ${price.amount}`)
  const { type, ...amounts } = planAmounts(request, price, ends)
  const payload = family.encode(dex, { request, path, amounts: { type, ...amounts }, deadline })
  const wraps = isNative(tokenIn) || isNative(tokenOut)
  return {
    status: 'quote',
    quote: {
      ...amounts,
      ...ends,
      provider: name,
      target: payload.target,
      approveTarget: isNative(tokenIn) ? undefined : payload.spender,
      calldata: payload.calldata,
      value: isNative(tokenIn) ? amounts.maxAmountIn : 0n,
      gasEstimate: price.gas + family.gas + (wraps ? nativeGas : 0n),
      route: family.describe(path),
    },
  }
}

/** What the pools see of a trade: taxed tokens arrive in part, and native may travel wrapped. */
function toPools(
  { hasNativePools }: Pick<DirectFamily<unknown>, 'hasNativePools'>,
  { wrappedNative }: DirectDex,
  { request, ends }: { readonly request: SourceRequest; readonly ends: Ends },
) {
  const { trade } = request
  const held = (token: Address) => (isNative(token) && !hasNativePools ? wrappedNative : token)
  const wrapped = (token: Address) => (isNative(token) ? wrappedNative : token)
  return {
    tokenIn: held(request.tokenIn),
    tokenOut: held(request.tokenOut),
    isWrap: isSameAddress(wrapped(request.tokenIn), wrapped(request.tokenOut)),
    trade:
      trade.type === 'exactInput'
        ? { type: trade.type, amountIn: lessBps(trade.amountIn, ends.taxInBps) }
        : trade,
  }
}

/** An exchange through its own router, priced by its own contracts on the newest block. */
export function createDirectSource<path>(
  { dexOf, now, taxOf }: DirectDeps,
  { name, family }: { readonly name: string; readonly family: DirectFamily<path> },
): DirectSource {
  const there = new Map<number, Promise<boolean>>()

  async function isThere(chainId: number, signal: AbortSignal): Promise<boolean> {
    const known = there.get(chainId)
    if (known) return known
    const dex = dexOf(chainId)
    if (!dex) return false
    const asked = family.isRouter(dex, signal)
    there.set(chainId, asked)
    // A failed probe is asked again next time; the caller of this one sees the error itself.
    asked.catch(() => there.delete(chainId))
    return asked
  }

  async function quote(
    request: SourceRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<SourceOutcome> {
    const { chainId } = request
    const dex = dexOf(chainId)
    if (!dex) return fail('unsupported_chain')
    const taxed = (token: Address) => (isNative(token) ? 0 : (taxOf(chainId, token) ?? 0))
    const ends = { taxInBps: taxed(request.tokenIn), taxOutBps: taxed(request.tokenOut) }
    const isTaxed = ends.taxInBps > 0 || ends.taxOutBps > 0
    if (ends.taxInBps > 0 && !family.takesTaxedInput)
      return fail('unsupported_token', 'the router takes no token that taxes its transfers')
    if (family.takesNativeOnly && !isNative(request.tokenIn))
      return fail('unsupported_token', family.takesNativeOnly)
    if (request.trade.type === 'exactOutput' && (isTaxed || !family.exactOutput))
      return fail('unsupported_exact_output')
    const { tokenIn, tokenOut, trade, isWrap } = toPools(family, dex, { request, ends })
    if (isWrap) return fail('no_route', 'wrapping needs no DEX')
    const [paths, isHere] = await Promise.all([
      family.listPaths(dex, { tokenIn, tokenOut, signal }),
      isThere(chainId, signal),
    ])
    if (!isHere) return fail('not_configured', 'there is no router at its address')
    const best = await pricePaths(family, dex, { paths, trade, signal })
    if (!best) return fail('no_route')
    const deadline = BigInt(Math.floor(now() / 1000)) + validitySecs
    return toOutcome(name, { family, dex }, { request, ...best, ends, deadline })
  }
  return { name, quote, isThere, note: family.takesNativeOnly }
}
