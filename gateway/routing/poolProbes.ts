import { LRUCache } from 'lru-cache'
import { type Address, type Chain, type Client, getAddress, type Transport } from 'viem'
import { lessBps } from '../amounts/amounts.ts'
import { buildExecution, encodeSteps } from './buildExecution.ts'
import { type Market, poolOf, updateMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { familyOf, isQuoted, toEnginePool } from './protocols/families.ts'
import { afterTax } from './protocols/maths/taxedPool.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { closed } from './protocols/quoted/quoted.ts'
import { askQuoters, type Question } from './reads/askQuoters.ts'
import { type ProbeVerdict, probePools, type SwapTrial } from './reads/probePools.ts'
import { type SyncedState, type TaxOf, withTaxes } from './sync/syncedState.ts'
import { holdersOf } from './tokenHolders.ts'

/**
 * Whether pools swap at all. One whose views work and whose swap reverts (paused, or made to deceive)
 * looks like any other from outside: before a pool is first quoted it is tried on the chain.
 */
export type PoolProbes = {
  /** The market without the pools that refused. */
  usable(market: Market): Market
  /** Tries the pools of a route that were not tried lately; whether one of them refuses. */
  hasRefusing(route: Tried): Promise<boolean>
  /** What the last try of a pool came to; undefined where there was none. */
  verdictOf(poolId: string): ProbeVerdict | undefined
  /** A dry run failed: these are tried again at their next use. */
  doubt(poolIds: readonly string[]): void
}

type Tried = {
  readonly steps: readonly Pick<Route['steps'][number], 'poolId' | 'tokenIn' | 'tokenOut'>[]
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
/** Some for each pool that a market holds: whoever was forgotten is tried again. */
const usuallyKept = 32_768

export function createPoolProbes({
  client,
  executor,
  current,
  gasPriceWei,
  taxOf = () => 0,
  mostKept = usuallyKept,
  now,
}: {
  readonly client: Client<Transport, Chain>
  readonly executor: Address | undefined
  readonly current: () => SyncedState | undefined
  /** As a swap would pay it; some pools look at it. */
  readonly gasPriceWei: () => bigint
  /** Transfer taxes as far as they are known. */
  readonly taxOf?: TaxOf | undefined
  /** Verdicts; beyond it those go that nobody looked at for longest. */
  readonly mostKept?: number | undefined
  readonly now: () => number
}): PoolProbes {
  const known = new LRUCache<string, Verdict>({ max: mostKept })
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

  async function tryPools(state: SyncedState, route: Tried): Promise<void> {
    const due = route.steps.filter(({ poolId }) => isDue(poolId))
    const steps = [...new Map(due.map((step) => [step.poolId, step])).values()]
    const trials = steps.flatMap(({ poolId, tokenIn, tokenOut }) => {
      const found = executor && makeTrial(state, { poolId, tokenIn, tokenOut, executor, taxOf })
      if (!found) learn(poolId, 'unknown')
      return found ? [{ poolId, ...found }] : []
    })
    if (trials.length > 0) {
      const work = judgeTrials(client, { trials, blockNumber: state.head.number, gasPriceWei })
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
      const pools = [...refusing].flatMap((id) => poolOf(market, id) ?? [])
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
    verdictOf: (poolId) => known.peek(poolId)?.verdict,
    doubt(poolIds) {
      for (const id of poolIds) known.delete(id)
    },
  }
}

/** A trial, and who is asked meanwhile what it should pay where no maths here can tell. */
type Examined = {
  readonly trial: SwapTrial
  readonly question?: Question | undefined
  /** What has to arrive, of what the quoter says. */
  toLeast(words: readonly bigint[]): bigint | undefined
}

/** All of it side by side: a quoter's answer and the swap are of one block. */
async function judgeTrials(
  client: Client<Transport, Chain>,
  {
    trials,
    blockNumber,
    gasPriceWei,
  }: {
    readonly trials: readonly Examined[]
    readonly blockNumber: bigint
    readonly gasPriceWei: () => bigint
  },
): Promise<readonly ProbeVerdict[]> {
  const asked = trials.flatMap(({ question }) => question ?? [])
  const [outcomes, answers] = await Promise.all([
    probePools(
      { client },
      { trials: trials.map(({ trial }) => trial), blockNumber, gasPriceWei: gasPriceWei() },
    ),
    askQuoters({ client }, { questions: asked, blockNumber }),
  ])
  let next = 0
  return trials.map(({ question, toLeast }, index) => {
    const words = question && answers[next++]
    const { verdict = 'unknown', paid = 0n } = outcomes[index] ?? {}
    const least = words && toLeast(words)
    return verdict === 'works' && least !== undefined && paid < least ? 'refuses' : verdict
  })
}

type Way = {
  readonly poolId: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly executor: Address
  readonly taxOf: TaxOf
}

/** A swap that the pool's own maths says pays; undefined where none is known, or nobody to make it. */
function makeTrial(state: SyncedState, way: Way): Examined | undefined {
  const { poolId, tokenIn, tokenOut, executor } = way
  const record = state.pools.get(poolId)
  const picked = record && pickAmount(state, record, way)
  if (!record || !picked) return undefined
  const { amountIn, least, question, toLeast } = picked
  const step = familyOf(record).encodeStep(record, { tokenIn, tokenOut })
  const busy = new Set([record.address, step.pool, executor].map((one) => one.toLowerCase()))
  const holders = holdersOf(state, tokenIn)
    .filter((address) => !busy.has(address.toLowerCase()))
    .slice(0, mostHolders)
  if (holders.length === 0) return undefined
  const [sold, bought] = [getAddress(tokenIn), getAddress(tokenOut)]
  const own = { poolId, tokenIn, tokenOut, amountIn, amountOut: 0n, share: wholeShare }
  const route = { ...own, gas: 0, steps: [{ ...own, path: 0, shareBps: 10_000 }] }
  const { data } = buildExecution({
    tokenIn: sold,
    tokenOut: bought,
    amountIn,
    executor,
    minAmountOut: 0n,
    // What nobody gets is undone with everything else.
    taker: nobody,
    deadlineSecs: noDeadline,
    encodedSteps: encodeSteps({ route, pools: state.pools }),
  })
  return {
    trial: { holders, tokenIn: sold, amountIn, executor, least, data },
    question,
    toLeast,
  }
}
const nobody: Address = '0x00000000000000000000000000000000f0fa9b0f'
const noDeadline = 1n << 64n
const wholeShare = 1n << 64n

type Picked = Omit<Examined, 'trial'> & Pick<SwapTrial, 'amountIn' | 'least'>

/** An amount to try, and what has to arrive of what is foretold: by the pool's maths, or its quoter's. */
function pickAmount(
  { market, head }: SyncedState,
  record: PoolRecord,
  { tokenIn, tokenOut, taxOf }: Pick<Way, 'tokenIn' | 'tokenOut' | 'taxOf'>,
): Picked | undefined {
  const pool = poolOf(market, record.id)
  const [i, j] = [record.tokens.indexOf(tokenIn), record.tokens.indexOf(tokenOut)]
  const curve = pool?.curve(i, j)
  if (!pool || !curve) return undefined
  const taxes = [taxOf(tokenIn), taxOf(tokenOut)] as const
  const toLeast = (amountOut: bigint) => leastOf(amountOut, taxes)
  const reach = Math.min(curve.x[curve.count] ?? 0, 2 / (curve.b[0] ?? 1))
  for (const part of parts) {
    const amountIn = BigInt(Math.floor(reach / part))
    const arriving = afterTax(amountIn, taxes[0])
    const foretold = arriving > 0n ? (pool.swap(i, j, arriving)?.amountOut ?? 0n) : 0n
    if (foretold < leastOutput) continue
    const { quoter } = familyOf(record)
    // The engine only guesses between a quoter's samples.
    if (quoter && isQuoted(record)) {
      const trade = { i, j, amountIn: arriving }
      const question = quoter.question(record, trade)
      const read = (words: readonly bigint[]) => {
        const amountOut = quoter.readAnswer(words, trade, record)
        return amountOut === undefined ? undefined : toLeast(amountOut)
      }
      return { amountIn, least: 1n, question, toLeast: read }
    }
    const then = withTaxes(record, toEnginePool(record, Number(head.timestampSecs)), taxOf)
    const thenForetold = then.swap(i, j, arriving)?.amountOut ?? foretold
    const sure = thenForetold < foretold ? thenForetold : foretold
    return { amountIn, least: toLeast(sure), toLeast: () => undefined }
  }
  return undefined
}

/** What a pool may pay less than its maths says: under the slippage that somebody might skim. */
const toleratedBps = 10
/** Taxes are measured to the basis point, and may be taken on the way in and out. */
const toleratedTaxBps = 2
const roundingWei = 2n

function leastOf(amountOut: bigint, [taxInBps, taxOutBps]: readonly [number, number]): bigint {
  const taxed = [taxInBps, taxOutBps].filter((tax) => tax > 0).length
  const arriving = afterTax(amountOut, taxOutBps)
  const least = lessBps(arriving, toleratedBps + toleratedTaxBps * taxed) - roundingWei
  return least > 1n ? least : 1n
}
