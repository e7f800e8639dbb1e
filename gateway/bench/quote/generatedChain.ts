import { type Address, getAddress, keccak256, toHex } from 'viem'
import { getChain, getDexes } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { createHotQuestions } from '../../routing/hotQuestions.ts'
import { createPoolMoves } from '../../routing/poolMoves.ts'
import type { PoolRecord } from '../../routing/protocols/poolRecord.ts'
import { createRouteCache } from '../../routing/routeCache.ts'
import type { RoutingChain } from '../../routing/routingChain.ts'
import { createSearchQueue } from '../../routing/searchQueue.ts'
import { createSharedHints } from '../../routing/sharedHints.ts'
import {
  advanceState,
  createSyncedState,
  type SyncedState,
} from '../../routing/sync/syncedState.ts'
import type { SearchThreads } from '../../routing/threads/searchThreads.ts'
import { createTrust } from '../../routing/trust/trust.ts'
import { createUsdPrices } from '../../routing/usdPrices.ts'
import { generateMarket } from '../routing/generateMarket.ts'
import type { PoolRecord as RecordedPool } from '../routing/readPools.ts'
import { movePool } from './movePool.ts'

export const chainId = 8453
/** How far a block moves a pool's price, in millionths. */
const moved = 300

/** A chain's pace: what a block changes, and how often one comes. */
export const paces = {
  moving: { changedPerBlock: 20, blockMs: 2_000 },
  fast: { changedPerBlock: 5, blockMs: 250 },
} as const

function toRecord({ id, tokens, feePips, ...rest }: RecordedPool): PoolRecord {
  const head = {
    id,
    tokens,
    feePips,
    address: getAddress(id),
    changedBlock: 1n,
    isFresh: [false, false],
    swapsSeen: 0,
  }
  if (rest.type === 'v2')
    return {
      ...head,
      dex: 'uniswap-v2',
      protocol: 'uniswap_v2',
      reserve0: BigInt(rest.r0),
      reserve1: BigInt(rest.r1),
    }
  const { tickSpacing, tick, liquidity, sqrtPriceX96, ticks } = rest
  return {
    ...head,
    dex: 'uniswap-v3',
    protocol: 'uniswap_v3',
    feePips1: feePips,
    tickSpacing,
    tick,
    liquidity: BigInt(liquidity),
    sqrtPriceX96: BigInt(sqrtPriceX96),
    ticks: ticks.map(([index, net]) => {
      const value = BigInt(net)
      return { index, net: value, gross: value < 0n ? -value : value }
    }),
  }
}

function toHead(number: bigint) {
  const hash = keccak256(toHex(number))
  const timestampSecs = BigInt(Math.floor(Date.now() / 1000))
  return { number, hash, parentHash: hash, timestampSecs }
}

/**
 * Half of the pool's fee is all that its price was off by when it was made: so far again, and the market has
 * no arbitrage still. On a real chain what goes further is taken back within the block.
 */
const movedWithinFee = ({ feePips }: PoolRecord) => BigInt(Math.min(moved, Math.floor(feePips / 2)))

/**
 * A chain as quotes see it, its pools generated instead of read from a node: use cases, engine and
 * caches are the real ones. `advance` is a block that changes some pools.
 */
export function createGeneratedChain({
  pools,
  tokens,
  seed,
  changedPerBlock = paces.moving.changedPerBlock,
  isArbitraged = true,
  threads,
}: {
  readonly pools: number
  readonly tokens: number
  readonly seed: number
  readonly changedPerBlock?: number | undefined
  /** Whether pools stay within their fees of the others. */
  readonly isArbitraged?: boolean | undefined
  readonly threads?: SearchThreads | undefined
}) {
  const facts = getChain(chainId)
  if (!facts) throw new Error(`chain ${chainId} is built in`)
  const market = generateMarket({ pools, tokens, seed })
  const [weth, usdc] = market.addresses as [Address, Address]
  const chainClient = createChainClient({
    chain: { ...facts, wrappedNative: weth, usdc: { ...facts.usdc, address: usdc } },
    rpcUrls: ['http://127.0.0.1:9'],
  })
  const records = market.records.map(toRecord)
  const infos = new Map(
    market.addresses.map((address, index) => [
      address,
      { address: getAddress(address), symbol: `T${index}`, decimals: market.decimals[index] ?? 18 },
    ]),
  )
  let state: SyncedState = createSyncedState({ taxOf: () => 0 }, { head: toHead(1n), records })
  const chain: RoutingChain = {
    chainId,
    chainClient,
    dexes: getDexes(chainId),
    routes: createRouteCache(),
    executor: getAddress(`0x${'ee'.repeat(20)}`),
    searches: createSearchQueue({ atOnce: threads?.atOnce }),
    threads,
    trust: createTrust({ chainId, now: () => performance.now() }),
    taxes: {
      get: () => 0,
      measured: () => 0,
      extraTransferGas: () => 0,
      measure: async () => false,
      isOld: () => false,
      remeasure: async () => [],
    },
    taxWatch: { traded: () => undefined },
    hot: createHotQuestions({ now: () => performance.now() }),
    hints: createSharedHints({ now: () => performance.now() }),
    usdPrices: createUsdPrices({
      chainClient,
      feeds: [],
      decimalsOf: () => undefined,
      now: () => performance.now(),
    }),
    gasPriceWei: () => 10_000_000n,
    moves: createPoolMoves({ now: () => performance.now() }),
    sought: { isDue: () => false, add: () => undefined },
    sync: {
      chainId,
      role: () => 'alone',
      start: async () => undefined,
      loading: () => undefined,
      current: () => state,
      fresh: async () => state,
      lagMs: () => 0,
      discover: async () => ({ status: 'looked', state }),
      leftOut: () => [],
      leftOutPools: () => [],
      asked: () => undefined,
      bounds: () => undefined,
      audit: () => undefined,
      coverage: () => undefined,
      loadLeftMs: () => undefined,
      tokens: () => infos,
      reprice: async () => state,
      close: async () => undefined,
    },
  }

  const pushed = new Set<string>()
  /** Trades back and forth: every block moves some pools by a little. */
  function advance(): void {
    const number = state.head.number + 1n
    const changed = Array.from({ length: changedPerBlock }, (_, index): PoolRecord => {
      const at = (Number(number) * changedPerBlock + index) % records.length
      const record = state.pools.get(records[at]?.id ?? '')
      if (!record) throw new Error('every generated pool stays')
      const isBack = pushed.delete(record.id)
      if (!isBack) pushed.add(record.id)
      const by = isArbitraged ? movedWithinFee(record) : BigInt(moved)
      return { ...movePool(record, isBack ? -by : by), changedBlock: number }
    })
    state = advanceState({ taxOf: () => 0 }, { state, head: toHead(number), changed })
  }

  return { chain, market, advance }
}
