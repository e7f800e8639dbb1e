import type { Address } from 'viem'
import { getBalance } from 'viem/actions'
import type { RelayStore } from '../store/relay.ts'
import type { Observe } from './events.ts'
import { quoteFees, readFees } from './fees.ts'
import { firstAnswer } from './gates.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'

export type ChainIntent = {
  readonly chainId: number
  readonly servable: boolean
  /** Code of what stands in the way; absent when servable. */
  readonly reason?: string | undefined
  readonly factory: Address
  readonly relayer: Address
  readonly deploysThisHour: number
  readonly maxDeploysPerHour: number
  readonly spendThisHourWei: bigint
  readonly maxSpendPerHourWei: bigint
  /** Undefined while the chain does not answer. */
  readonly relayerBalanceWei: bigint | undefined
}

/** Gas of a usual deployment, to tell whether gate 6 would pass; the gate itself uses the simulated gas. */
const usualGas = 72_000n

type Reading =
  | { readonly reason: string | undefined; readonly balanceWei: bigint }
  | { readonly reason: 'chain_unreachable'; readonly balanceWei: undefined }

/** Whether the relay would sponsor an owner of this chain now: gates 6, 7, 9 and 10 without an owner. */
export async function readIntent(
  { store, observe }: { readonly store: RelayStore; readonly observe: Observe },
  chain: RelayChain,
): Promise<ChainIntent> {
  const { chainId, signer, limits, clock } = chain
  const windows = { chainId, nowMs: clock.now(), windowMs: capWindowMs }
  const totals = await store.totals(windows)
  const { reason, balanceWei } = await readServable({ store, chain, observe }, totals)
  return {
    chainId,
    servable: reason === undefined,
    reason,
    factory: signer.factory,
    relayer: signer.address,
    deploysThisHour: totals.deploys,
    maxDeploysPerHour: limits.maxDeploysPerHour,
    spendThisHourWei: totals.spendWei,
    maxSpendPerHourWei: limits.maxSpendPerHourWei,
    relayerBalanceWei: balanceWei,
  }
}

async function readServable(
  {
    store,
    chain: { chainId, client, signer, limits },
    observe,
  }: { readonly store: RelayStore; readonly chain: RelayChain; readonly observe: Observe },
  totals: Awaited<ReturnType<RelayStore['totals']>>,
): Promise<Reading> {
  const { factory, address: relayer } = signer
  try {
    const [relayerBalance, snapshot] = await Promise.all([
      getBalance(client.client, { address: relayer }),
      readFees(client, { relayer, factory, owner: relayer }),
    ])
    const from = snapshot.relayerNonce
    const [missing] = await store.missingNonces({ chainId, signer: relayer, from })
    const fees = quoteFees(snapshot, { gasUsed: usualGas, limits })
    const stopped =
      firstAnswer('fees', { limits, fees, relayerBalance }) ??
      firstAnswer('ledger', {
        limits,
        fees,
        marker: undefined,
        deploysThisHour: totals.deploys,
        spendThisHourWei: totals.spendWei,
        secsToRelief: 1,
      })
    const paused = totals.pausedReason === undefined ? undefined : 'relay_paused'
    const code = stopped?.answer.status === 'refused' ? stopped.answer.code : undefined
    const gap = missing === undefined ? undefined : 'nonce_gap'
    return { reason: code ?? paused ?? gap, balanceWei: relayerBalance }
  } catch (cause) {
    // Whatever went wrong, the answer to "can the relay serve this chain" is no, and says why.
    observe({ kind: 'chain_unreachable', chainId, cause })
    return { reason: 'chain_unreachable', balanceWei: undefined }
  }
}
