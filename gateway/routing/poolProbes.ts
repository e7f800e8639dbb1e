import { type Address, type Chain, type Client, getAddress, type Transport } from 'viem'
import { buildExecution, encodeSteps } from './buildExecution.ts'
import { type Market, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { closed } from './protocols/quoted.ts'
import { type ProbeVerdict, probePools, type SwapTrial } from './sync/probePools.ts'
import type { SyncedState } from './sync/syncedState.ts'

/**
 * Whether pools swap at all. One whose views work and whose swap reverts (paused, or made to deceive)
 * looks like any other from outside: before a pool is first quoted it is tried on the chain.
 */
export type PoolProbes = {
  /** The market without the pools that refused. */
  usable(market: Market): Market
  /** Tries the pools of a route that were not tried lately; whether one of them refuses. */
  hasRefusing(route: Route): Promise<boolean>
  /** A dry run failed: these are tried again at their next use. */
  doubt(poolIds: readonly string[]): void
}

type Verdict = { readonly verdict: ProbeVerdict; readonly atMs: number }

/** How long a verdict counts: who refused may soon work again, who works seldom stops. */
const lifeMs: Readonly<Record<ProbeVerdict, number>> = {
  works: 600_000,
  refuses: 60_000,
  unknown: 300_000,
}
/** Parts of what a pool could take that are tried as amounts, the least first. */
const parts = [100_000, 1_000]
const leastOutput = 1_000n
const mostHolders = 3
const mostRanked = 8

export function createPoolProbes({
  client,
  executor,
  current,
  now,
}: {
  readonly client: Client<Transport, Chain>
  readonly executor: Address | undefined
  readonly current: () => SyncedState | undefined
  readonly now: () => number
}): PoolProbes {
  const known = new Map<string, Verdict>()
  const running = new Map<string, Promise<void>>()
  const usableOf = new WeakMap<Market, { readonly version: number; readonly market: Market }>()
  const refusing = new Set<string>()
  let version = 0

  function learn(id: string, verdict: ProbeVerdict) {
    known.set(id, { verdict, atMs: now() })
    const changes = verdict === 'refuses' ? !refusing.has(id) : refusing.delete(id)
    if (verdict === 'refuses') refusing.add(id)
    if (changes) version += 1
  }

  /** Who refused long ago gets another chance. */
  function forgive() {
    for (const id of refusing) {
      const { atMs = 0 } = known.get(id) ?? {}
      if (now() - atMs < lifeMs.refuses) continue
      refusing.delete(id)
      known.delete(id)
      version += 1
    }
  }

  function isDue(id: string): boolean {
    const last = known.get(id)
    return !running.has(id) && (!last || now() - last.atMs >= lifeMs[last.verdict])
  }

  async function tryPools(state: SyncedState, route: Route): Promise<void> {
    const due = route.steps.filter(({ poolId }) => isDue(poolId))
    const steps = [...new Map(due.map((step) => [step.poolId, step])).values()]
    const trials = steps.flatMap(({ poolId, tokenIn, tokenOut }) => {
      const trial = executor && makeTrial(state, { poolId, tokenIn, tokenOut, executor })
      if (!trial) learn(poolId, 'unknown')
      return trial ? [{ poolId, trial }] : []
    })
    if (trials.length > 0) {
      const work = probePools(
        { client },
        { trials: trials.map(({ trial }) => trial), blockNumber: state.head.number },
      )
        // The node's trouble is reported by sync, and says nothing about pools.
        .catch((): ProbeVerdict[] => [])
        .then((verdicts) => {
          for (const [index, { poolId }] of trials.entries()) {
            learn(poolId, verdicts[index] ?? 'unknown')
            running.delete(poolId)
          }
        })
      for (const { poolId } of trials) running.set(poolId, work)
    }
    await Promise.all(route.steps.map(({ poolId }) => running.get(poolId)))
  }

  return {
    usable(market) {
      if (refusing.size === 0) return market
      forgive()
      const made = usableOf.get(market)
      if (made?.version === version) return made.market
      const pools = [...refusing].flatMap(
        (id) => market.pools[market.poolIndex.get(id) ?? -1] ?? [],
      )
      const usable = pools.length > 0 ? updateMarket(market, pools.map(closed)) : market
      usableOf.set(market, { version, market: usable })
      return usable
    },
    async hasRefusing(route) {
      const state = current()
      if (!state || !executor) return false
      await tryPools(state, route)
      return route.steps.some(({ poolId }) => refusing.has(poolId))
    },
    doubt(poolIds) {
      for (const id of poolIds) known.delete(id)
    },
  }
}

type Way = {
  readonly poolId: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly executor: Address
}

/** A swap that the pool's own maths says pays; undefined where none is known, or nobody to make it. */
function makeTrial(
  state: SyncedState,
  { poolId, tokenIn, tokenOut, executor }: Way,
): SwapTrial | undefined {
  const record = state.pools.get(poolId)
  const amountIn = record && pickAmount(state, record, { tokenIn, tokenOut })
  if (!record || !amountIn) return undefined
  const step = familyOf(record).encodeStep(record, { tokenIn, tokenOut })
  const busy = new Set([record.address, step.pool, executor].map((one) => one.toLowerCase()))
  const holders = (holdersOf(state).get(tokenIn) ?? [])
    .filter(({ address }) => !busy.has(address))
    .slice(0, mostHolders)
    .map(({ address }) => getAddress(address))
  if (holders.length === 0) return undefined
  const [sold, bought] = [getAddress(tokenIn), getAddress(tokenOut)]
  const own = { poolId, tokenIn, tokenOut, amountIn, amountOut: 0n, share: wholeShare }
  const route = { ...own, gas: 0, steps: [{ ...own, path: 0, shareBps: 10_000 }] }
  const { data } = buildExecution({
    ...{ tokenIn: sold, tokenOut: bought, amountIn, executor, minAmountOut: 0n },
    // What nobody gets is undone with everything else.
    ...{ taker: nobody, deadlineSecs: noDeadline },
    encodedSteps: encodeSteps({ route, pools: state.pools }),
  })
  return { holders, tokenIn: sold, amountIn, executor, data }
}
const nobody: Address = '0x00000000000000000000000000000000f0fa9b0f'
const noDeadline = 1n << 64n
const wholeShare = 1n << 64n

function pickAmount(
  { market }: SyncedState,
  record: PoolRecord,
  { tokenIn, tokenOut }: { readonly tokenIn: string; readonly tokenOut: string },
): bigint | undefined {
  const pool = market.pools[market.poolIndex.get(record.id) ?? -1]
  const [i, j] = [record.tokens.indexOf(tokenIn), record.tokens.indexOf(tokenOut)]
  const curve = pool?.curve(i, j)
  if (!pool || !curve) return undefined
  const reach = Math.min(curve.x[curve.count] ?? 0, 2 / (curve.b[0] ?? 1))
  return parts
    .map((part) => BigInt(Math.floor(reach / part)))
    .find((amount) => amount > 0n && (pool.swap(i, j, amount)?.amountOut ?? 0n) >= leastOutput)
}

type Holder = { readonly address: string; readonly depth: number }
const holdersByPools = new WeakMap<SyncedState['pools'], ReadonlyMap<string, readonly Holder[]>>()

/** By token the contracts that swaps through known pools are paid from, the deepest first. */
function holdersOf({ pools }: SyncedState): ReadonlyMap<string, readonly Holder[]> {
  const made = holdersByPools.get(pools)
  if (made) return made
  const found = new Map<string, Map<string, number>>()
  for (const record of pools.values()) {
    const family = familyOf(record)
    const address = ('vault' in record ? record.vault : record.address).toLowerCase()
    for (const [i, token] of record.tokens.entries()) {
      const depths = found.get(token) ?? new Map<string, number>()
      found.set(token, depths)
      depths.set(address, Math.max(depths.get(address) ?? 0, family.depth(record, i) ?? 0))
    }
  }
  const ranked = new Map(
    [...found].map(([token, depths]) => [
      token,
      [...depths]
        .map(([address, depth]) => ({ address, depth }))
        .sort((one, other) => other.depth - one.depth)
        .slice(0, mostRanked),
    ]),
  )
  holdersByPools.set(pools, ranked)
  return ranked
}
