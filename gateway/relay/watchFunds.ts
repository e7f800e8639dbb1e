import { getBalance } from 'viem/actions'
import type { RelayStore } from '../store/relay.ts'
import type { Observe } from './events.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'

const everyMs = 30_000
/** Warn while the balance still pays for this many deployments at the fee ceiling above gate 7's floor. */
const warnBelowDeploys = 25n

/** Tells now and then what the relayer has and what this hour has cost, and warns while little is left. */
export function createFundsWatch(
  {
    store,
    now,
    observe,
  }: { readonly store: RelayStore; readonly now: () => number; readonly observe: Observe },
  { chainId, client, signer, limits, clock }: RelayChain,
): () => Promise<void> {
  let readAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = now()
    if (nowMs - readAtMs < everyMs) return
    readAtMs = nowMs
    const [balanceWei, { deploys, spendWei, open }] = await Promise.all([
      getBalance(client.client, { address: signer.address }),
      store.totals({ chainId, nowMs: clock.now(), windowMs: capWindowMs }),
    ])
    const hour = { deploysThisHour: deploys, spendThisHourWei: spendWei }
    observe({ kind: 'funds', chainId, balanceWei, pending: open, ...hour, limits })
    const spendableWei = balanceWei - limits.minRelayerBalanceWei
    const deploysLeft = spendableWei < 0n ? 0n : spendableWei / limits.maxRelayFeeWei
    if (deploysLeft >= warnBelowDeploys) return
    const relayer = signer.address
    observe({ kind: 'low_balance', chainId, relayer, balanceWei, deploysLeft: Number(deploysLeft) })
  }
}
