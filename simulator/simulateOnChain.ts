import { type Address, hexToBigInt, toHex, zeroAddress } from 'viem'
import type { SlotResolver } from './balanceSlot/resolveBalanceSlot.ts'
import { type Bundle, buildBundle, type Candidate, heldOf } from './buildBundle.ts'
import { type CandidateResult, unavailable } from './classifyOutcome.ts'
import type { FindWhales } from './findWhales.ts'
import { type Funding, fundByWhale, fundTaker } from './fundTaker.ts'
import type { Generation } from './generation.ts'
import { type BundleReading, readBundle } from './readBundle.ts'
import { readRecipients } from './readRecipients.ts'
import type { ErrorTable } from './revertReason.ts'
import { type CallShape, gasOf } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'
import type { Entrant } from './turnstile.ts'
import { toTag, type Upstream } from './upstream.ts'

export type OnChainDeps = {
  readonly upstream: Pick<Upstream, 'sendApart'>
  readonly slots: SlotResolver
  readonly findWhales: FindWhales
  readonly errors: ErrorTable
}

type Run = {
  readonly candidate: Candidate
  readonly taker: Address
  readonly generation: Generation
  readonly timeSecs: bigint
  /** Who waits for it. */
  readonly entrant: Entrant
}

const readTimeoutMs = 4_000
/** Each is a call of the node's. */
const mostWhales = 8
/** Nodes let all calls of one `eth_simulateV1` use so much together, and give the last ones what is left. */
export const gasPot = 50_000_000n
const methodNotFound = -32601

const sentence = (what: string) => `a token without code, and the chain's node ${what}`
const silence = unavailable('rpc_error', sentence('did not answer in time'))

/**
 * Dry-runs a candidate on the chain's own node, as of the generation's block: some of its tokens are the
 * node's, and no fork has them. Within what simulations may ask of the node; a node that does not answer
 * makes it unavailable, never failed.
 */
export async function simulateOnChain(
  deps: OnChainDeps,
  run: Run & { readonly isInputCodeless: boolean },
): Promise<CandidateResult> {
  const { candidate } = run
  if (candidate.disguise)
    return unavailable('unsupported', 'a token without code, which no disguise reaches')
  const outcome = await orSilent(simulate(deps, run))
  return outcome === 'silent' ? silence : outcome
}

type OnChainRun = Run & {
  readonly isInputCodeless: boolean
  /** Who is not to pay. */
  readonly exceptBy?: Address | undefined
}

/** Whoever paid may be a pool that the candidate swaps through: where it fails, somebody else pays, once. */
async function simulate(deps: OnChainDeps, run: OnChainRun): Promise<CandidateResult> {
  const funding = await fund(deps, run)
  if (funding.status === 'refused') return funding.result
  const result = await runFunded(deps, run, funding)
  if (result.status !== 'simulation_failed' || !funding.payer) return result
  const other = await fund(deps, { ...run, exceptBy: funding.payer })
  return other.status === 'funded' ? runFunded(deps, run, other) : result
}

async function runFunded(
  deps: OnChainDeps,
  run: Run,
  funding: Funding & { readonly status: 'funded' },
): Promise<CandidateResult> {
  const { candidate, taker } = run
  const first = await runOnce(deps, run, { funding, holders: [candidate.recipient ?? taker] })
  if (first.kind !== 'no_output' || candidate.recipient !== undefined) return first.result
  const { target, tokenIn, tokenOut, data } = candidate
  const named = readRecipients(data, { exclude: [taker, target, tokenIn, tokenOut] })
  if (named.length === 0) return first.result
  return (await runOnce(deps, run, { funding, holders: [taker, ...named] })).result
}

/** Balances of what has no code lie in no slot: somebody rich pays. */
function fund(
  { upstream, slots, findWhales }: OnChainDeps,
  {
    candidate,
    taker,
    generation: { fork, blockNumber },
    timeSecs,
    entrant,
    isInputCodeless,
    exceptBy,
  }: OnChainRun,
): Promise<Funding> {
  const whales = {
    blockNumber,
    findWhales: (asked: Parameters<FindWhales>[0]) => findWhales({ ...asked, entrant }),
    mostWhales,
  }
  if (!isInputCodeless || candidate.funding === 'real')
    return fundTaker(
      { ...whales, rpc: fork.rpc, timeoutMs: readTimeoutMs, slots },
      { candidate, taker, timeSecs, exceptBy },
    )
  const batch = (calls: readonly RpcCall[]) => send(upstream, calls, { blockNumber, entrant })
  return fundByWhale({ ...whales, rpc: { batch } }, { candidate, taker, exceptBy })
}

async function runOnce(
  { upstream, errors }: OnChainDeps,
  { candidate, taker, generation: { blockNumber, timestampSecs }, timeSecs, entrant }: Run,
  {
    funding,
    holders,
  }: {
    readonly funding: Funding & { readonly status: 'funded' }
    readonly holders: readonly Address[]
  },
): Promise<BundleReading> {
  const bundle = buildBundle({
    candidate,
    taker,
    holders,
    funding: funding.overrides,
    prelude: funding.prelude,
    gasCap: gasOf.chainSwap,
    // Nodes want a block's time to be later than its parent's.
    timeSecs: timeSecs > timestampSecs ? timeSecs : timestampSecs + 1n,
    baseOverrides: {},
    share: shareGasPot,
  })
  const [outcome] = await send(upstream, [bundle.rpcCall], { blockNumber, entrant })
  if (!outcome?.ok) return { kind: 'done', result: classifyRefusal(outcome) }
  const expected = { amount: heldOf(candidate), tolerance: funding.tolerance }
  const gasCap = swapGasOf(bundle)
  const reading = readBundle(outcome, { bundle, gasCap, errors, expected })
  return reading.kind === 'out_of_gas'
    ? { kind: 'done', result: unavailable('unsupported', sentence('gives no more gas')) }
    : reading
}

const swapGasOf = ({ calls, swapIndex }: Bundle) => hexToBigInt(calls[swapIndex]?.gas ?? '0x0')

/** What nodes say here is about themselves: no word of theirs is a verdict about the candidate. */
function classifyRefusal(outcome: (RpcOutcome & { ok: false }) | undefined): CandidateResult {
  if (outcome?.code === methodNotFound)
    return unavailable('unsupported', sentence('has no eth_simulateV1'))
  return unavailable('rpc_error', sentence('refused the simulation'))
}

/** Gives each call its part of the pot, where all together ask for more. */
export function shareGasPot(calls: readonly CallShape[]): readonly CallShape[] {
  const asked = calls.reduce((sum, { gas }) => sum + hexToBigInt(gas), 0n)
  if (asked <= gasPot) return calls
  return calls.map((call) => ({ ...call, gas: toHex((hexToBigInt(call.gas) * gasPot) / asked) }))
}

/** A fork's `latest` is its block; here the block has to be named. */
function send(
  upstream: OnChainDeps['upstream'],
  calls: readonly RpcCall[],
  { blockNumber, entrant }: { readonly blockNumber: bigint; readonly entrant: Entrant },
): Promise<readonly RpcOutcome[]> {
  const pinned = calls.map(({ method, params }) => ({
    method,
    params: params.map((param) => (param === 'latest' ? toTag(blockNumber) : param)),
  }))
  return upstream.sendApart(pinned, entrant)
}

/** Tokens of a candidate that a dry run has to move. */
export const tokensOf = ({ tokenIn, tokenOut }: Candidate): readonly Address[] =>
  [tokenIn, tokenOut].filter((token) => token !== zeroAddress)
