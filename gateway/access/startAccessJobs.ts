import { createLoop } from '../runtime/loop.ts'
import type { AccessDeps } from './sale/accessConfig.ts'
import { recheckPayments } from './sale/recheckPayments.ts'
import { reconcileSettlements } from './x402/resolveSettlement.ts'

export type AccessJobs = {
  /** One pass over every chain. */
  runOnce(): Promise<void>
  /** Resolves when the pass under way is over. */
  close(): Promise<void>
}

/** Follows up settlements and credited payments, at once (what an earlier process left) and then regularly. */
export function startAccessJobs(deps: AccessDeps, { everyMs = 5_000 } = {}): AccessJobs {
  const loop = createLoop({
    everyMs,
    run: async () => void (await Promise.all(deps.chains.map((chain) => followUp(deps, chain)))),
  })
  loop.start()
  return { runOnce: loop.runNow, close: loop.stop }
}

async function followUp(deps: AccessDeps, chain: AccessDeps['chains'][number]): Promise<void> {
  const { chainId } = chain
  for (const job of [reconcileSettlements, recheckPayments])
    try {
      await job(deps, { chain })
    } catch (error) {
      // The chain is out of reach; the next pass starts from the same rows.
      deps.log.warn({ chainId, reason: (error as Error).name }, 'payments were not followed up')
    }
}
