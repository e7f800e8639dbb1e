import type { SharedBuckets } from '../access/limits/sharedBuckets.ts'
import type { ChainStatus } from '../routing/registry.ts'
import type { Routing } from '../routing/service/routing.ts'
import type { Store } from '../store/ports.ts'

export type Readiness = {
  readonly ready: boolean
  /** Why nothing is served, one sentence each; empty when ready. */
  readonly reasons: readonly string[]
  /** What works in part only; none of it keeps a service from its work. */
  readonly warnings: readonly string[]
}

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
  {
    buckets,
    store,
  }: {
    readonly buckets: SharedBuckets | undefined
    readonly store?: { warnings(): readonly string[] }
  },
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
        ...(store?.warnings() ?? []),
        ...(now() - refusedAt < rememberedMs ? ['the database has refused the last charge'] : []),
      ]
    },
  }
}

type Parts = {
  readonly routing: Pick<Routing, 'health'> & {
    status(): readonly Pick<ChainStatus, 'troubles'>[]
  }
  readonly store: Pick<Store, 'isReachable' | 'isWritable'>
  readonly warnings: () => readonly string[]
}

async function readDatabase({ store }: Parts): Promise<readonly string[]> {
  const [isReachable, isWritable] = await Promise.all([
    within(databaseWithinMs, store.isReachable()),
    within(databaseWithinMs, store.isWritable()),
  ])
  if (!isReachable) return ['the database does not answer']
  return isWritable ? [] : ['the database takes no writes']
}

export type ReadinessState = Readiness & {
  /** Undefined before the database is open and after it is closed. */
  readonly takesWrites: boolean | undefined
}

/**
 * Ready is who can serve anything. Gateways share the causes of a chain's trouble: were each to step back
 * for one, none would be left for the other chains.
 */
export async function readReadiness(parts: Parts): Promise<ReadinessState> {
  const { routing, warnings } = parts
  const database = await readDatabase(parts)
  const reasons =
    routing.health() === 'error' ? [...database, 'no chain can be quoted'] : [...database]
  const troubles = routing.status().flatMap((chain) => chain.troubles)
  return {
    ready: reasons.length === 0,
    reasons,
    warnings: [...troubles, ...warnings()],
    takesWrites: database.length === 0,
  }
}

export type GatewayReadiness = ReturnType<typeof createReadiness>
export type ReadinessReader = Pick<GatewayReadiness, 'read' | 'hasStarted'>

/** What to answer to whoever asks for readiness, from the first moment of the process to its last. */
export function createReadiness() {
  const unready = (reason: string, takesWrites?: false) => async (): Promise<ReadinessState> => ({
    ready: false,
    reasons: [reason],
    warnings: [],
    takesWrites,
  })
  const starting = unready('the gateway is starting')
  let look = starting
  let reading: Promise<ReadinessState> | undefined
  let wasReady = false

  /** However many ask at once, the parts are asked once. */
  function read(): Promise<ReadinessState> {
    reading ??= look().finally(() => {
      reading = undefined
    })
    return reading
  }
  return {
    read,
    /** Whether it was ever ready: what came later is no reason to start it once more. */
    async hasStarted(): Promise<boolean> {
      wasReady ||= (await read()).ready
      return wasReady
    },
    starts(): void {
      look = starting
    },
    lacksDatabase(): void {
      look = unready('the gateway is starting: the database does not answer', false)
    },
    serves(parts: Parts): void {
      look = () => readReadiness(parts)
    },
    drains(): void {
      look = unready('the gateway is shutting down')
    },
  }
}
