import { type Address, type Hex, maxUint256 } from 'viem'
import { checkCalldata } from './calldata/checkCalldata.ts'
import {
  fail,
  isNative,
  type Source,
  type SourceFailure,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from './source.ts'
import type { CalldataPolicy } from './wire/quoteRequest.ts'

/** Where a provider may send a caller, and who may be given an allowance, on one chain. */
export type TargetRow = {
  readonly provider: string
  readonly chainId: number
  /** Undefined: the provider's contracts vary, so only the standard policy takes its quotes. */
  readonly targets: readonly Address[] | undefined
  readonly spenders: readonly Address[] | undefined
}

/** Calls of a token itself; a swap's payload is never one of these. */
const tokenCalls: ReadonlySet<Hex> = new Set([
  '0x095ea7b3', // approve
  '0xa9059cbb', // transfer
  '0x23b872dd', // transferFrom
  '0x39509351', // increaseAllowance
  '0xd505accf', // permit
  '0x42842e0e', // safeTransferFrom
  '0xa22cb465', // setApprovalForAll
])

// viem's isAddressEqual checks checksums again, for every quote of every request.
const has = (list: readonly Address[], address: Address) =>
  list.some((entry) => entry.toLowerCase() === address.toLowerCase())

const isOver = (amount: bigint) => amount > maxUint256

function checkAmounts(quote: SourceQuote, { trade }: SourceRequest): SourceFailure | undefined {
  const { amountIn, maxAmountIn, amountOut, minAmountOut, value, gasEstimate } = quote
  // No contract can be told more, and encoding it throws.
  if ([amountIn, maxAmountIn, amountOut, minAmountOut, value, gasEstimate].some(isOver))
    return fail('invalid_response', 'an amount is above 2^256 - 1')
  if (amountOut <= 0n) return fail('invalid_response', 'the quote has no output')
  if (minAmountOut > amountOut)
    return fail('invalid_response', 'the guaranteed output is above the quoted one')
  if (trade.type === 'exactInput')
    return amountIn === trade.amountIn && maxAmountIn === amountIn
      ? undefined
      : fail('invalid_response', `the quote is for an input of ${amountIn}`)
  if (amountIn <= 0n) return fail('invalid_response', 'the quote has no input')
  if (maxAmountIn < amountIn) return fail('invalid_response', 'takes more than it may')
  if (maxAmountIn > trade.maxIn) return fail('no_route', `needs an input of ${maxAmountIn}`)
  if (minAmountOut < trade.targetOut)
    return fail('invalid_response', 'the payload does not guarantee the target output')
  return undefined
}

function checkPayload(quote: SourceQuote, request: SourceRequest): SourceFailure | undefined {
  const { target, approveTarget, calldata, value, maxAmountIn } = quote
  const payers = [request.sender, request.recipient]
  if (has([request.tokenIn, request.tokenOut], target) && !isNative(target))
    return fail('target_not_allowed', 'the target is one of the tokens')
  if (has(payers, target)) return fail('target_not_allowed', 'the target is the caller')
  if (approveTarget && (has(payers, approveTarget) || isNative(approveTarget)))
    return fail('target_not_allowed', 'the spender is not a contract of the source')
  if (calldata.length < 10) return fail('calldata_mismatch', 'the payload calls no function')
  if (tokenCalls.has(calldata.slice(0, 10).toLowerCase() as Hex))
    return fail('calldata_mismatch', 'the payload moves tokens instead of swapping them')
  const expected = isNative(request.tokenIn) ? maxAmountIn : 0n
  if (value !== expected) return fail('calldata_mismatch', `the payload asks for ${value} wei`)
  if (!isNative(request.tokenIn) && !approveTarget)
    return fail('invalid_response', 'the quote names no spender')
  return checkCalldata(quote, request)
}

function checkTargets(
  quote: SourceQuote,
  { chainId }: SourceRequest,
  { targets, policy }: { targets: readonly TargetRow[]; policy: CalldataPolicy },
): SourceFailure | undefined {
  const row = targets.find(
    (candidate) => candidate.provider === quote.provider && candidate.chainId === chainId,
  )
  const { target, approveTarget } = quote
  if (!row?.targets || !row.spenders)
    return policy === 'strict'
      ? fail('target_not_allowed', 'the source has no list of contracts for this chain')
      : undefined
  if (!has(row.targets, target)) return fail('target_not_allowed', `target ${target}`)
  if (approveTarget && !has(row.spenders, approveTarget))
    return fail('target_not_allowed', `spender ${approveTarget}`)
  return undefined
}

export type CheckDeps = { readonly targets: readonly TargetRow[]; readonly policy: CalldataPolicy }

/** Undefined when a quote may be shown to a caller. */
export function checkQuote(
  deps: CheckDeps,
  { quote, request }: { readonly quote: SourceQuote; readonly request: SourceRequest },
): SourceFailure | undefined {
  return (
    checkAmounts(quote, request) ??
    checkPayload(quote, request) ??
    checkTargets(quote, request, deps)
  )
}

/** A source whose quotes are checked before anyone sees them. */
export function checkedSource(deps: CheckDeps, source: Source): Source {
  const check = (outcome: SourceOutcome, request: SourceRequest): SourceOutcome =>
    outcome.status === 'quote'
      ? (checkQuote(deps, { quote: outcome.quote, request }) ?? outcome)
      : outcome
  return {
    ...source,
    quote: async (request, context) => check(await source.quote(request, context), request),
  }
}
