import type { Simulator } from '../../simulator/simulator.ts'
import type { SharedBuckets } from '../access/sharedBuckets.ts'
import type { Chain } from '../chain/chains.ts'
import type { Routing } from '../routing/createRouting.ts'
import type { Store } from '../store/createPorts.ts'
import type { Readiness } from './routes.ts'

/** A database that answers later than this is none: whoever asks for health waits no longer. */
const databaseWithinMs = 3_000
/** A charge refused longer ago says nothing of now. */
const rememberedMs = 10_000

async function within(limitMs: number, work: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limitMs, false)
  })
  const isDone = await Promise.race([work, late])
  clearTimeout(timer)
  return isDone
}

/** What works in part only, one sentence each. */
export function createWarnings(
  { buckets }: { readonly buckets: SharedBuckets | undefined },
  { now = () => performance.now() } = {},
) {
  let refusedAt = Number.NEGATIVE_INFINITY
  return {
    observeCharge(outcome: 'taken' | 'refused'): void {
      refusedAt = outcome === 'refused' ? now() : Number.NEGATIVE_INFINITY
    },
    warnings(): readonly string[] {
      return [
        ...(buckets && !buckets.isConnected()
          ? ['the shared rate limits do not answer: each gateway limits by itself']
          : []),
        ...(now() - refusedAt < rememberedMs ? ['the database has refused the last charge'] : []),
      ]
    },
  }
}

/** One sentence for each thing that keeps a service from doing its work. */
export async function readReadiness({
  chains,
  routing,
  simulator,
  store,
  warnings,
}: {
  readonly chains: readonly Chain[]
  readonly routing: Pick<Routing, 'health'>
  readonly simulator: Pick<Simulator, 'status'>
  readonly store: Pick<Store, 'isReachable' | 'isWritable'>
  readonly warnings: () => readonly string[]
}): Promise<Readiness> {
  const reasons = chains.flatMap(({ chainId, name }) =>
    simulator.status(chainId).ready ? [] : [`${name}: no simulation fork is ready`],
  )
  if (!(await within(databaseWithinMs, store.isReachable())))
    reasons.push('the database does not answer')
  else if (!(await within(databaseWithinMs, store.isWritable())))
    reasons.push('the database takes no writes')
  if (routing.health() !== 'ok') reasons.push(`routing is ${routing.health()}`)
  return { ready: reasons.length === 0, reasons, warnings: warnings() }
}
