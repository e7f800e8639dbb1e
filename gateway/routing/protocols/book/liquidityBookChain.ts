import { encodeAbiParameters, parseAbi, toEventSelector, zeroHash } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { dedupePools } from '../../reads/findPools.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type {
  FindParameters,
  ListParameters,
  LoadParameters,
  PoolRef,
  ReadDeps,
} from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import {
  binPriceX128,
  createLiquidityBookPool,
  type LiquidityBookBin,
  type LiquidityBookState,
} from './liquidityBook.ts'

/** A Liquidity Book pair as the chain tells of it; its tokens are X and Y. */
export type BookRecord = PoolHead & {
  readonly protocol: 'liquidity_book'
} & Omit<LiquidityBookState, 'id' | 'tokenX' | 'tokenY' | 'nowSecs'>

const factoryAbi = parseAbi([
  'function getNumberOfLBPairs() view returns (uint256)',
  'function getLBPairAtIndex(uint256) view returns (address)',
  'function getAllLBPairs(address, address) view returns ((uint16 binStep, address pair, bool createdByOwner, bool ignored)[])',
])
const pairAbi = parseAbi([
  'function getTokenX() view returns (address)',
  'function getTokenY() view returns (address)',
  'function getBinStep() view returns (uint16)',
  'function getActiveId() view returns (uint24)',
  'function getReserves() view returns (uint128 x, uint128 y)',
  'function getBin(uint24) view returns (uint128 x, uint128 y)',
  'function getStaticFeeParameters() view returns (uint16 baseFactor, uint16 filterPeriod, uint16 decayPeriod, uint16 reductionFactor, uint24 variableFeeControl, uint16 protocolShare, uint24 maxVolatilityAccumulator)',
  'function getVariableFeeParameters() view returns (uint24 volatilityAccumulator, uint24 volatilityReference, uint24 idReference, uint40 timeOfLastUpdate)',
  'function getLBHooksParameters() view returns (bytes32)',
])
const createdTopic = toEventSelector('LBPairCreated(address,address,uint256,address,uint256)')
/** After any of them the pair is read again: events tell neither references nor times. */
const topics = [
  'Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)',
  'DepositedToBins(address,address,uint256[],bytes32[])',
  'WithdrawnFromBins(address,address,uint256[],bytes32[])',
  'StaticFeeParametersSet(address,uint16,uint16,uint16,uint16,uint24,uint16,uint24)',
  'ForcedDecay(address,uint24,uint24)',
  'FlashLoan(address,address,uint24,bytes32,bytes32,bytes32)',
  'HooksParametersSet(address,bytes32)',
].map((event) => toEventSelector(event))

const longestList = 3_000n
/** Bins read at each side of the active one: at first, then as far as reserves are unaccounted for. */
const windows = [60, 240, 960] as const
const idEnd = 1 << 24
const bookStepGas = 69_000
/** A bin more: pieces of the engine's curve are bins. */
const crossingGas = 22_000
const baseFactorPerPip = 100

async function list(
  deps: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<PoolRef[] | undefined> {
  const view = { abi: factoryAbi, blockNumber } as const
  const target = dex.factory
  const [count] = await readEach(deps, {
    ...view,
    functionName: 'getNumberOfLBPairs',
    calls: [{ target }],
  })
  if (count === undefined || count > longestList) return undefined
  const calls = Array.from({ length: Number(count) }, (_, index) => ({
    target,
    args: [BigInt(index)] as const,
  }))
  const pairs = await readEach(deps, { ...view, functionName: 'getLBPairAtIndex', calls })
  return dedupePools(pairs.flatMap((address) => (address ? [{ dex, address }] : [])))
}

async function find(
  deps: ReadDeps,
  { dex, a, b, blockNumber }: FindParameters,
): Promise<PoolRef[]> {
  const calls = a.flatMap((one) =>
    b.flatMap((other) =>
      one.toLowerCase() === other.toLowerCase()
        ? []
        : [{ target: dex.factory, args: [one, other] as const }],
    ),
  )
  const found = await readEach(deps, {
    abi: factoryAbi,
    functionName: 'getAllLBPairs',
    calls,
    blockNumber,
  })
  return dedupePools(
    found.flatMap((pairs) => (pairs ?? []).map(({ pair }) => ({ dex, address: pair }))),
  )
}

async function load(deps: ReadDeps, { pools, blockNumber }: LoadParameters): Promise<BookRecord[]> {
  const calls = pools.map(({ address: target }) => ({ target }))
  const view = { abi: pairAbi, calls, blockNumber } as const
  const [xs, ys, steps, activeIds, reserves, fixed, variable, hooks] = await Promise.all([
    readEach(deps, { ...view, functionName: 'getTokenX' }),
    readEach(deps, { ...view, functionName: 'getTokenY' }),
    readEach(deps, { ...view, functionName: 'getBinStep' }),
    readEach(deps, { ...view, functionName: 'getActiveId' }),
    readEach(deps, { ...view, functionName: 'getReserves' }),
    readEach(deps, { ...view, functionName: 'getStaticFeeParameters' }),
    readEach(deps, { ...view, functionName: 'getVariableFeeParameters' }),
    readEach(deps, { ...view, functionName: 'getLBHooksParameters' }),
  ])
  const records = await Promise.all(
    pools.map(async (pool, index): Promise<BookRecord[]> => {
      const [tokenX, tokenY, binStepBps, activeId] = [
        xs[index],
        ys[index],
        steps[index],
        activeIds[index],
      ] as const
      const [held, staticFees, variableFees] = [reserves[index], fixed[index], variable[index]]
      // Hooks may do anything around a swap; 2.1 knows none and has no such view.
      const isHooked = (hooks[index] ?? zeroHash) !== zeroHash
      if (isHooked) deps.decline?.(pool)
      if (!tokenX || !tokenY || !held || !staticFees || !variableFees || isHooked) return []
      if (typeof binStepBps !== 'number' || typeof activeId !== 'number') return []
      const bins = await readBins(deps, { pool, activeId, held, blockNumber })
      const [baseFactor, filterPeriodSecs, decayPeriodSecs, reductionFactorBps] = staticFees
      const [, , , , variableFeeControl, protocolShareBps, maxVolatilityAccumulator] = staticFees
      const [volatilityAccumulator, volatilityReference, idReference, lastUpdate] = variableFees
      return [
        {
          ...toHead(pool, { tokens: [tokenX, tokenY] as `0x${string}`[], blockNumber }),
          protocol: 'liquidity_book',
          binStepBps,
          activeId,
          bins,
          feePips: Math.round((baseFactor * binStepBps) / baseFactorPerPip),
          isFresh: [false, false],
          baseFactor,
          filterPeriodSecs,
          decayPeriodSecs,
          reductionFactorBps,
          variableFeeControl,
          protocolShareBps,
          maxVolatilityAccumulator,
          volatilityAccumulator,
          volatilityReference,
          idReference,
          lastUpdateSecs: Number(lastUpdate),
        },
      ]
    }),
  )
  return records.flat()
}

/** Bins around the active one, until they hold all of the pair's reserves. */
async function readBins(
  deps: ReadDeps,
  {
    pool,
    activeId,
    held: [heldX, heldY],
    blockNumber,
  }: {
    readonly pool: PoolRef
    readonly activeId: number
    readonly held: readonly [bigint, bigint]
    readonly blockNumber: bigint
  },
): Promise<readonly LiquidityBookBin[]> {
  const bins = new Map<number, LiquidityBookBin>()
  let done = -1
  for (const window of windows) {
    const ids = Array.from({ length: 2 * window + 1 }, (_, k) => activeId - window + k).filter(
      (id) => Math.abs(id - activeId) > done && id >= 0 && id < idEnd,
    )
    const answers = await readEach(deps, {
      abi: pairAbi,
      functionName: 'getBin',
      blockNumber,
      calls: ids.map((id) => ({ target: pool.address, args: [id] as const })),
    })
    for (const [index, id] of ids.entries()) {
      const [reserveX, reserveY] = answers[index] ?? [0n, 0n]
      if (reserveX > 0n || reserveY > 0n) bins.set(id, { id, reserveX, reserveY })
    }
    done = window
    const sum = (of: (bin: LiquidityBookBin) => bigint) =>
      [...bins.values()].reduce((total, bin) => total + of(bin), 0n)
    if (sum((bin) => bin.reserveX) >= heldX && sum((bin) => bin.reserveY) >= heldY) break
  }
  return [...bins.values()].sort((one, other) => one.id - other.id)
}

/** The fee ages with the clock: the block that will hold a swap is not older than this moment. */
function toEnginePool(record: BookRecord, atSecs?: number) {
  const [tokenX = '', tokenY = ''] = record.tokens
  const state = { ...record, tokenX, tokenY }
  const now = () => Math.max(record.lastUpdateSecs, atSecs ?? Math.floor(Date.now() / 1_000))
  const current = () => createLiquidityBookPool({ ...state, nowSecs: now() })
  const { id, tokens, gas } = current()
  return {
    id,
    tokens,
    gas,
    curve: (i: number, j: number) => current().curve(i, j),
    swap: (i: number, j: number, amountIn: bigint) => current().swap(i, j, amountIn),
  }
}

/** Liquidity Book 2.1 and 2.2: their swaps are the same. */
export const liquidityBookFamily: PoolFamily<BookRecord> = {
  find,
  list,
  load,
  topics,
  creations: [{ topic: createdTopic, read: () => undefined }],
  apply: () => undefined,
  toEnginePool,
  encodeStep: ({ address, tokens }, { tokenIn }) => ({
    kind: stepKinds.liquidityBook,
    pool: address,
    data: encodeAbiParameters([{ type: 'bool' }], [tokens[0] === tokenIn]),
  }),
  midPrice({ activeId, binStepBps }, i) {
    const price = Number(binPriceX128(activeId, binStepBps)) / 2 ** 128
    return i === 0 ? price : 1 / price
  },
  /** A bin has one price: what a trade moves depends on the bins behind it, not on any depth here. */
  depth: () => undefined,
  held: ({ bins }, i) =>
    bins.reduce((sum, { reserveX, reserveY }) => sum + Number(i === 0 ? reserveX : reserveY), 0),
  stepGas: () => bookStepGas,
  crossingGas,
  takesTaxedInput: true,
}
