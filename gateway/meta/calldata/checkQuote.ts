import { type Address, maxUint256 } from 'viem'
import { lesser, moreBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import {
  fail,
  type Source,
  type SourceFailure,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from '../provider/source.ts'
import { checkCalldata, findGuaranteed, guardToleranceBps } from './checkCalldata.ts'
import type { FindAllowance } from './findAllowance.ts'
import type { FindSettlers } from './findSettlers.ts'
import { findForbiddenCall } from './forbiddenCalls.ts'
import { findForbiddenTarget } from './forbiddenTargets.ts'
import { isFunctionOf, type PayloadSwap, type ReadSwap, readSwap } from './readSwap.ts'

export const calldataPolicies = ['standard', 'strict'] as const
export type CalldataPolicy = (typeof calldataPolicies)[number]

/** Where a provider may send a caller, and who may be given an allowance, on one chain. */
export type TargetRow = {
  readonly provider: string
  readonly chainId: number
  /**
   * Undefined: the provider's contracts vary, and the operator switched it on by name all the same. Only
   * the standard policy takes its quotes, and they win only after a successful dry run.
   */
  readonly targets: readonly Address[] | undefined
  readonly spenders: readonly Address[] | undefined
  /**
   * Payloads are a server's word: unproved they win by functions of the provider's own router that are read,
   * and by no other, whoever listed the contract. Default: they are our own.
   */
  readonly mustBeRead?: boolean | undefined
}

const has = (list: readonly Address[], address: Address) =>
  list.some((entry) => isSameAddress(entry, address))

const isOver = (amount: bigint) => amount > maxUint256

function checkAmounts(
  quote: SourceQuote,
  { trade, slippageBps }: SourceRequest,
): SourceFailure | undefined {
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
  if (maxAmountIn > moreBps(amountIn, slippageBps + guardToleranceBps))
    return fail('invalid_response', `may take ${maxAmountIn} for ${amountIn}`)
  if (minAmountOut < trade.targetOut)
    return fail('invalid_response', 'the payload does not guarantee the target output')
  return undefined
}

/** Whom nobody's payload may call, list or no list, and who may be given no allowance. */
function checkParties(
  { target, approveTarget }: SourceQuote,
  { request, isToken }: { request: SourceRequest; isToken: CheckDeps['isToken'] },
): SourceFailure | undefined {
  const { chainId, sender, recipient, tokenIn, tokenOut } = request
  const payers = [sender, recipient]
  const isTraded = (address: Address) => has([tokenIn, tokenOut], address) && !isNative(address)
  if (isTraded(target)) return fail('target_not_allowed', 'the target is one of the tokens')
  if (isToken(chainId, target)) return fail('target_not_allowed', 'the target is a token')
  if (has(payers, target)) return fail('target_not_allowed', 'the target is the caller')
  const why = findForbiddenTarget(chainId, target)
  if (why) return fail('target_not_allowed', why)
  if (!approveTarget) return undefined
  if (has(payers, approveTarget) || isNative(approveTarget))
    return fail('target_not_allowed', 'the spender is not a contract of the source')
  if (isTraded(approveTarget) || isToken(chainId, approveTarget))
    return fail('target_not_allowed', 'the spender is a token')
  return undefined
}

const swapOf = (read: ReadSwap): PayloadSwap | undefined =>
  read.status === 'read' ? read.swap : undefined

function checkPayload(
  quote: SourceQuote,
  request: SourceRequest,
  read: ReadSwap,
): SourceFailure | undefined {
  const { approveTarget, calldata, value, maxAmountIn } = quote
  if (calldata.length < 10) return fail('calldata_mismatch', 'the payload calls no function')
  const kind = findForbiddenCall(calldata)
  if (kind) return fail('calldata_mismatch', `the payload is a call of ${kind}, not a swap`)
  const expected = isNative(request.tokenIn) ? maxAmountIn : 0n
  if (value !== expected) return fail('calldata_mismatch', `the payload asks for ${value} wei`)
  if (!isNative(request.tokenIn) && !approveTarget)
    return fail('invalid_response', 'the quote names no spender')
  return checkCalldata(quote, request, read)
}

type Lists = Pick<CheckDeps, 'targets' | 'policy'>

const findRow = (targets: readonly TargetRow[], { provider }: SourceQuote, chainId: number) =>
  targets.find((row) => row.provider === provider && row.chainId === chainId)

function checkTargets(
  { quote, request: { chainId } }: Checked,
  read: ReadSwap,
  { targets, policy }: Lists,
): SourceFailure | undefined {
  const row = findRow(targets, quote, chainId)
  const { target, approveTarget } = quote
  if (!row?.targets || !row.spenders)
    return !row || policy === 'strict'
      ? fail('target_not_allowed', 'the source has no list of contracts for this chain')
      : undefined
  if (!has(row.targets, target)) return fail('target_not_allowed', `target ${target}`)
  if (approveTarget && !has(row.spenders, approveTarget))
    return fail('target_not_allowed', `spender ${approveTarget}`)
  const router = swapOf(read)?.router
  if (router && !has(row.targets, router)) return fail('target_not_allowed', `router ${router}`)
  return undefined
}

export type CheckDeps = {
  readonly targets: readonly TargetRow[]
  readonly policy: CalldataPolicy
  /** Whether the registry knows a token at this address. */
  readonly isToken: (chainId: number, address: Address) => boolean
}

type Checked = { readonly quote: SourceQuote; readonly request: SourceRequest }

/** Undefined when a quote may be shown to a caller. */
export function checkQuote(
  deps: CheckDeps,
  checked: Checked,
  read = readSwap(checked.quote.calldata),
): SourceFailure | undefined {
  const { quote, request } = checked
  return (
    checkAmounts(quote, request) ??
    checkParties(quote, { request, isToken: deps.isToken }) ??
    checkPayload(quote, request, read) ??
    checkTargets(checked, read, deps)
  )
}

/**
 * A target that may already take tokens of the caller's could do so within the call. Where the source's own
 * list names it as a spender, that is what it is for.
 */
async function checkAllowance(
  { targets, findAllowance }: Pick<CheckSourceDeps, 'targets' | 'findAllowance'>,
  { quote, request }: Checked,
  signal: AbortSignal,
): Promise<SourceFailure | undefined> {
  const { chainId, sender, recipient, tokenIn, tokenOut } = request
  const { target, approveTarget } = quote
  const row = findRow(targets, quote, chainId)
  if (has([...(row?.spenders ?? []), ...(approveTarget ? [approveTarget] : [])], target))
    return undefined
  const tokens = [tokenIn, tokenOut].filter((token) => !isNative(token))
  const owners = [sender, recipient]
  const found = await findAllowance({
    chainId,
    owners,
    spender: target,
    tokens,
    // What a listed router does with these, its commands tell.
    byPermit2: !row?.targets,
    signal,
  })
  if (found.status === 'held')
    return fail('target_not_allowed', `the target may already take ${found.token} of the caller`)
  // Of a listed target nothing is at stake that its list does not vouch for.
  return found.status === 'unknown' && !row?.targets
    ? fail('upstream_error', 'the allowances of the caller could not be read')
    : undefined
}

/** 0x's AllowanceHolder hands the input to whom the payload says, and what becomes of it there is their word. */
async function checkSettlers(
  { findSettlers }: Pick<CheckSourceDeps, 'findSettlers'>,
  { called, chainId }: { readonly called: readonly Address[]; readonly chainId: number },
): Promise<SourceFailure | undefined> {
  const settlers = await findSettlers({ chainId, called })
  if (!settlers) return fail('upstream_error', "0x's registry could not be read")
  const stranger = called.find((address) => !has(settlers, address))
  return stranger && fail('target_not_allowed', `0x's registry does not name ${stranger}`)
}

/** Whether a quote may win unproved: by its source's list, and by what is read of what its target is told. */
function isVouchedFor(
  row: TargetRow | undefined,
  { provider, calldata }: SourceQuote,
  swap: PayloadSwap | undefined,
): boolean {
  if (!row?.targets) return false
  return !row.mustBeRead || (swap !== undefined && isFunctionOf(provider, calldata))
}

export type CheckSourceDeps = CheckDeps & {
  readonly findAllowance: FindAllowance
  readonly findSettlers: FindSettlers
}

/** A source whose quotes are checked before anyone sees them. */
export function checkedSource(deps: CheckSourceDeps, source: Source): Source {
  async function check(
    outcome: SourceOutcome,
    request: SourceRequest,
    signal: AbortSignal,
  ): Promise<SourceOutcome> {
    if (outcome.status !== 'quote') return outcome
    const { quote } = outcome
    const checked = { quote, request }
    const { chainId } = request
    const read = readSwap(quote.calldata)
    const swap = swapOf(read)
    const called = swap?.settlers
    const failure =
      checkQuote(deps, checked, read) ??
      (await checkAllowance(deps, checked, signal)) ??
      (called && (await checkSettlers(deps, { called, chainId })))
    if (failure) return failure
    // What is read of the payload counts, whatever its source says that it guarantees.
    const guaranteed = (swap && findGuaranteed(swap, request)) ?? quote.minAmountOut
    const shown = { ...quote, minAmountOut: lesser(quote.minAmountOut, guaranteed) }
    const isVouched = isVouchedFor(findRow(deps.targets, quote, chainId), quote, swap)
    return { ...outcome, quote: isVouched ? shown : { ...shown, mustBeProved: true } }
  }
  return {
    ...source,
    quote: async (request, context) =>
      check(await source.quote(request, context), request, context.signal),
  }
}
