import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { balanceReaderAt, balanceReaderOverride, readBalancesCall } from './balanceReader.ts'
import type { Costume, Disguise } from './disguise.ts'
import { type Holding, holdingsReaderOverride, readHoldingsCall } from './holdingsReader.ts'
import type { Trade } from './readEffects.ts'
import {
  approveData,
  type CallShape,
  gasOf,
  type StateOverrides,
  simulateParams,
} from './rpc/callShapes.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'

export type Candidate = {
  /** Transaction `to`. */
  readonly target: Address
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  /** The zero address is the native currency, in and out. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** What the taker has and allows in the dry run, where that is more: taking it all then shows. Default: amountIn. */
  readonly heldAmount?: bigint | undefined
  /** Has and allows what it really has, where that is more still: who asks for just that then shows. */
  readonly keepsWealth?: boolean | undefined
  /** What it is known to have without anybody's help. */
  readonly ownAmount?: bigint | undefined
  /** Gets the allowance before the call. */
  readonly spender: Address | undefined
  /** Default: the simulated taker. */
  readonly taker?: Address | undefined
  /** Whose balance counts; default: the taker, else whom the calldata pays. */
  readonly recipient?: Address | undefined
  /** What else the taker must not lose by; read before and after. Its logs are always looked at. */
  readonly holdings?: readonly Holding[] | undefined
  /** `override` (default) gives the taker exactly what the candidate spends; `real` uses what it really has. */
  readonly funding?: 'override' | 'real' | undefined
  /** For code that may know a dry run by its gas price, block or anything else. */
  readonly disguise?: Disguise | undefined
}

/** One candidate as one `eth_simulateV1`: approve, balances, the call itself, balances. */
export type Bundle = {
  readonly rpcCall: RpcCall
  readonly calls: readonly CallShape[]
  readonly stateOverrides: StateOverrides
  readonly approveIndex: number | undefined
  /** Balances are read by the call before and the one after it. */
  readonly swapIndex: number
  readonly holders: readonly Address[]
  /** The first balance of the call before is then the taker's of the input token. */
  readonly readsFunding: boolean
  readonly holdings: readonly Holding[]
  readonly trade: Trade
  /** What the taker's own gas costs it of the native currency; 0 without a disguise. */
  readonly gasPriceWei: bigint
}

/** Above `msg.value`, for targets that look at their caller's balance. */
const nativeSlackWei = 10n ** 18n
const mostWei = 2n ** 256n - 1n

/** A value near the end of the range leaves no room for more. */
const fundsFor = (value: bigint, costume: Costume | undefined) => {
  const slackWei = costume
    ? costume.purseWei + 2n * BigInt(costume.gas) * costume.gasPriceWei
    : nativeSlackWei
  return value + slackWei > mostWei ? mostWei : value + slackWei
}

/** Above what anybody's gas costs. */
const purse = toHex(10n ** 24n)

/** Whoever calls has to pay for gas. */
const dressed = (costume: Costume, prelude: readonly CallShape[]): StateOverrides => ({
  ...costume.overrides,
  ...balanceReaderAt(costume.reader, purse),
  ...Object.fromEntries(prelude.map(({ from }) => [from, { balance: purse }])),
})

export function buildBundle({
  candidate,
  taker,
  holders,
  funding,
  prelude = [],
  gasCap,
  timeSecs,
  baseOverrides,
  costume,
  share = (asked) => asked,
}: {
  candidate: Candidate
  taker: Address
  /** Whose output balance is read before and after. */
  holders: readonly Address[]
  /** State that gives the taker its input tokens. */
  funding: StateOverrides
  prelude?: readonly CallShape[]
  gasCap: bigint
  timeSecs: bigint
  baseOverrides: StateOverrides
  costume?: Costume | undefined
  /** Where all calls together may use so much gas only. */
  share?: ((calls: readonly CallShape[]) => readonly CallShape[]) | undefined
}): Bundle {
  const { tokenIn, tokenOut, value, amountIn, spender, holdings = [] } = candidate
  const isFunded = candidate.funding !== 'real'
  const approvals = approvalCalls(candidate, taker)
  const readsFunding = isFunded && tokenIn !== zeroAddress
  const outputs = holders.map((holder) => ({ token: tokenOut, holder }))
  const before = readsFunding ? [{ token: tokenIn, holder: taker }, ...outputs] : outputs
  const swap: CallShape = {
    from: taker,
    to: candidate.target,
    gas: costume?.gas ?? toHex(gasCap),
    data: candidate.data,
    value: toHex(value),
  }
  const watch = holdings.length > 0 ? [readHoldingsCall(holdings)] : []
  const calls = share([
    ...prelude,
    ...approvals,
    ...watch,
    readBalancesCall(before, costume?.reader),
    swap,
    readBalancesCall(outputs, costume?.reader),
    ...watch,
  ])
  const stateOverrides: StateOverrides = {
    ...baseOverrides,
    ...funding,
    ...(costume ? dressed(costume, prelude) : balanceReaderOverride),
    ...(watch.length > 0 ? holdingsReaderOverride : {}),
    ...(isFunded
      ? { [taker]: { ...funding[taker], balance: toHex(fundsFor(value, costume)) } }
      : {}),
  }
  const lead = prelude.length + approvals.length + watch.length
  return {
    rpcCall: {
      method: 'eth_simulateV1',
      params: simulateParams({
        stateOverrides,
        calls: costume
          ? calls.map((call) => ({ ...call, gasPrice: toHex(costume.gasPriceWei) }))
          : calls,
        blockOverrides: costume?.blockOverrides ?? { time: toHex(timeSecs) },
        validation: costume !== undefined,
      }),
    },
    calls,
    stateOverrides,
    approveIndex: approvals.length > 0 ? lead - watch.length - 1 : undefined,
    swapIndex: lead + 1,
    holders,
    readsFunding,
    holdings,
    gasPriceWei: costume?.gasPriceWei ?? 0n,
    trade: {
      taker,
      recipient: candidate.recipient ?? taker,
      tokenIn,
      tokenOut,
      amountIn,
      spender,
      allowance: heldOf(candidate),
    },
  }
}

/** What the taker has of the input token, and allows the spender. */
export const heldOf = ({ heldAmount, amountIn }: Candidate): bigint => heldAmount ?? amountIn

function approvalCalls(candidate: Candidate, taker: Address) {
  const { tokenIn, spender, funding } = candidate
  const held = heldOf(candidate)
  if (tokenIn === zeroAddress || spender === undefined) return []
  const approve = (amount: bigint): CallShape => ({
    from: taker,
    to: tokenIn,
    gas: toHex(gasOf.approve),
    data: approveData(spender, amount),
  })
  // A real taker may have an allowance left, which USDT-like tokens want reset first.
  return funding === 'real' ? [approve(0n), approve(held)] : [approve(held)]
}
