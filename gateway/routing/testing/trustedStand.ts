import { getAddress } from 'viem'
import type { Simulator } from '../../../simulator/simulator.ts'
import { poolOf } from '../engine/market.ts'
import type { Planned } from '../finishQuote.ts'
import type { PairRecord } from '../protocols/pair/uniswapV2Chain.ts'
import type { QuoteDeps, QuoteParameters } from '../quoteRequest.ts'
import type { RoutingChain } from '../routingChain.ts'
import { createSyncedState } from '../sync/syncedState.ts'
import { createTrust } from '../trust/trust.ts'
import { fakeAddress } from './viewNode.ts'

const [tokenIn, tokenOut] = [fakeAddress(1), fakeAddress(2)]
const e24 = 10n ** 24n
/** What each pool has of the token out for a million of the other; code that nobody knows has a say in two of them. */
const worths = { strange: 1_040_000n, stranger: 1_030_000n, known: 1_000_000n, poor: 900_000n }
export type PoolName = keyof typeof worths
const names = Object.keys(worths) as readonly PoolName[]
const addressOf = (name: PoolName) => fakeAddress(100 + names.indexOf(name))

function recordOf(name: PoolName): PairRecord {
  const address = addressOf(name)
  return {
    id: address,
    address: getAddress(address),
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    tokens: [tokenIn, tokenOut],
    feePips: 3_000,
    changedBlock: 1n,
    swapsSeen: 0,
    isFresh: [false, false],
    reserve0: e24,
    reserve1: worths[name] * 10n ** 18n,
    ...(name.startsWith('strange') && { parts: [{ address: fakeAddress(999) }] }),
  }
}
const head = {
  number: 1n,
  hash: '0x1',
  parentHash: '0x0',
  timestampSecs: BigInt(Math.floor(Date.now() / 1_000)),
} as const

export type TrustedStandOptions = {
  /** Through which pools dry runs fail. */
  readonly failing?: readonly PoolName[] | undefined
  /** Dry runs never end. */
  readonly isSlow?: boolean | undefined
  readonly hasSimulator?: boolean | undefined
  readonly patienceMs?: number | undefined
  /** What is otherwise of a pool. */
  readonly change?: ((name: PoolName) => Partial<PairRecord>) | undefined
}

/** Once so much is sold to a pool it gives what is named, or a unit. */
export const giving =
  (sold: bigint, given: Partial<Record<PoolName, bigint>>) =>
  (name: PoolName): Partial<PairRecord> => ({
    feePips: 0,
    reserve0: e24 - sold,
    reserve1: (given[name] ?? 1n) * (e24 / sold),
  })

type Trial = {
  readonly ids: readonly string[]
  readonly isAlone: boolean
  readonly waitMs: number
  /** Whether it is believed for what came of it. */
  readonly holds: boolean
}

/** Plans whose trials are noted down as they end. */
export function watchTrials() {
  const seen: Trial[] = []
  function watch(planned: Planned): Planned {
    const { trust } = planned.chain
    const trials: typeof trust.trials = {
      ...trust.trials,
      run: (ids, asked) =>
        trust.trials.run(ids, asked).then((result) => {
          const { isAlone, waitMs } = asked
          seen.push({ ids, isAlone, waitMs, holds: result !== 'late' && asked.holds(result) })
          return result
        }),
    }
    return { ...planned, chain: { ...planned.chain, trust: { ...trust, trials } } }
  }
  return { seen, watch }
}

/** Plans through pools by their names, on a chain whose dry runs fail through some. */
export function createTrustedStand(
  generated: RoutingChain,
  {
    failing = [],
    isSlow = false,
    hasSimulator = true,
    patienceMs,
    change = () => ({}),
  }: TrustedStandOptions = {},
) {
  const records = names.map((name): PairRecord => ({ ...recordOf(name), ...change(name) }))
  const state = createSyncedState({ taxOf: () => 0 }, { head, records })
  const chain: RoutingChain = {
    ...generated,
    trust: createTrust({ chainId: generated.chainId, now: () => performance.now() }),
    sync: { ...generated.sync, current: () => state, fresh: async () => state },
  }
  const dryRuns: PoolName[] = []
  const simulateCandidates: Simulator['simulateCandidates'] = async ({ candidates }) => {
    const results = candidates.map(({ data }) => {
      const name = names.find((one) => data.includes(addressOf(one).slice(2)))
      if (!name) throw new Error('a payload goes through no pool')
      dryRuns.push(name)
      return failing.includes(name)
        ? ({ status: 'simulation_failed', reason: 'it reverts' } as const)
        : ({ status: 'ok', amountOut: e24, gasUsed: 1n } as const)
    })
    if (isSlow) await new Promise(() => undefined)
    return { blockNumber: 1n, blockHash: '0x1', results: results as never }
  }
  const deps: QuoteDeps = {
    chains: new Map([[chain.chainId, chain]]),
    simulator: hasSimulator ? ({ simulateCandidates } as Simulator) : undefined,
    now: () => performance.now(),
    maxLagMs: 30_000,
    patienceMs,
  }
  function plan(name: PoolName, own: Partial<QuoteParameters> = {}): Planned {
    const poolId = addressOf(name)
    const amountIn = own.amountIn ?? 10n ** 18n
    const amountOut = poolOf(state.market, poolId)?.swap(0, 1, amountIn)?.amountOut ?? 0n
    const step = { poolId, tokenIn, tokenOut, amountIn, amountOut, share: 1n << 64n }
    return {
      chain,
      state,
      source: 'local',
      route: { amountIn, amountOut, gas: 80_000, steps: [{ ...step, path: 0, shareBps: 10_000 }] },
      parameters: {
        chainId: chain.chainId,
        tokenIn,
        tokenOut,
        amountIn,
        slippageBps: 50,
        ...own,
      },
    }
  }
  return {
    deps,
    plan,
    /** Through which pools dry runs went, each once. */
    tried: () => [...new Set(dryRuns)],
    idOf: addressOf,
    /** The pool that a quote goes through. */
    nameOf: (quote: { readonly steps: readonly { readonly pool: string }[] } | undefined) =>
      names.find((name) => addressOf(name) === quote?.steps[0]?.pool.toLowerCase()),
  }
}
