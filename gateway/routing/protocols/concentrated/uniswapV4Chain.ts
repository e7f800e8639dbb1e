import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  getAddress,
  type Hex,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { getChain } from '../../../chain/chains.ts'
import { askInParts } from '../../reads/askInParts.ts'
import { askPairs } from '../../reads/askPairs.ts'
import { chunk } from '../../reads/chunk.ts'
import { callManagerLens, lensGas, type ManagerLensResult, thriftyGas } from '../../reads/lens.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolLog } from '../../reads/poolLog.ts'
import type {
  FindParameters,
  LoadParameters,
  PoolKey,
  PoolRef,
  ReadDeps,
} from '../../reads/poolRef.ts'
import { type Part, pickParts, readParts } from '../../reads/readParts.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { addRange, isPositionMissing } from './concentratedLogs.ts'
import type { TickRecord } from './concentratedRecord.ts'
import { heldByTicks, toLiquidityTicks } from './heldByTicks.ts'
import { findHooked, hookedQuoter } from './readHookedPools.ts'
import { createUniswapV4Pool } from './uniswapV4.ts'

/** A pool inside Uniswap v4's manager. */
export type ManagedRecord = PoolHead & {
  readonly protocol: 'uniswap_v4'
  readonly key: PoolKey
  readonly tickSpacing: number
  readonly lpFeePips: number
  /** The protocol's part by direction, selling currency 0 first. */
  readonly protocolFeePips: readonly [number, number]
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Ascending. */
  readonly ticks: readonly TickRecord[]
  /** As in a `ConcentratedRecord`. */
  readonly isPart?: true | undefined
  /** Who runs the swaps of a pool whose hook acts on them; its own state says roughly what they give. */
  readonly quoter?: Address | undefined
}

const managedInitializeTopic = toEventSelector(
  'Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)',
)
export const managedSwapTopic = toEventSelector(
  'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
)
const modifyLiquidityTopic = toEventSelector(
  'ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)',
)
const protocolFeeTopic = toEventSelector('ProtocolFeeUpdated(bytes32,uint24)')
const topics = [managedSwapTopic, modifyLiquidityTopic, protocolFeeTopic]

/** A key's hash and its slot take 8,000 gas; of a thrifty call twice as many fit. */
const [lookupsPerCall, thriftyLookups] = [2_500, 5_000]
const poolsPerCall = 20
/** Of those that a call has left, and where few calls count: one of the narrowest spacing takes most of a call. */
const fewPerCall = 4
/** As of other pools of ticks: each call's gas is used up. */
const mostThrifty = 40
const thriftySizes = [mostThrifty, mostThrifty, mostThrifty, 8, 8]
/** Few pools get a call each: none of them has to be continued in another round trip. */
const fewPools = 16
const firstWord = -32_768
/** Some 2,700 ticks each: anybody may add more than any block can wait for. */
const mostRounds = 8
/** Bits of a hook's address that let it act on swaps: before, after, and both returning amounts. */
const swapHooks = 0b1100_1100n
/** A fee that a hook sets whenever it likes, without an event. */
const dynamicFee = 0x80_0000
const stepGas = 75_000
/** First fee of a currency in a pool. */
const freshGas = 17_100
const crossingGas = 20_000
/** Of a hook that acts before and after, and takes a fee. */
const hookGas = 90_000
const keyTypes = [
  {
    type: 'tuple',
    components: [
      { name: 'currency0', type: 'address' },
      { name: 'currency1', type: 'address' },
      { name: 'fee', type: 'uint24' },
      { name: 'tickSpacing', type: 'int24' },
      { name: 'hooks', type: 'address' },
    ],
  },
  { type: 'bytes' },
] as const
const swapData = [
  { type: 'int128' },
  { type: 'int128' },
  { type: 'uint160' },
  { type: 'uint128' },
  { type: 'int24' },
] as const
const rangeData = [{ type: 'int24' }, { type: 'int24' }, { type: 'int256' }] as const
const initializeData = [{ type: 'uint24' }, { type: 'int24' }, { type: 'address' }] as const

/** Whether swaps of such a pool follow from its own state alone. */
function isPlain({ fee, hooks }: PoolKey): boolean {
  return fee !== dynamicFee && (BigInt(hooks) & swapHooks) === 0n
}

const isPriced = ({ key, dex }: PoolRef): boolean =>
  key !== undefined && (isPlain(key) || dex.quoter !== undefined)

/** Hooks that act on swaps. */
const hooksOf = ({ key }: PoolRef): readonly Address[] => (key && !isPlain(key) ? [key.hooks] : [])

function splitProtocolFee(packed: number): readonly [number, number] {
  return [packed & 0xfff, packed >> 12]
}

/** The wrapped token also stands for native currency. */
function withNative({ client }: ReadDeps, tokens: readonly Address[]): Address[] {
  const wrapped = getChain(client.chain.id)?.wrappedNative.toLowerCase()
  const hasNative = tokens.some((token) => token.toLowerCase() === wrapped)
  return hasNative ? [zeroAddress, ...tokens] : [...tokens]
}

async function find(
  deps: ReadDeps,
  { dex, a, b, blockNumber, isThrifty = false }: FindParameters,
): Promise<PoolRef[]> {
  const tiers = dex.feesPips.map((fee, index) => ({
    fee,
    tickSpacing: dex.poolKeys?.[index] ?? 1,
  }))
  const lookups = isThrifty ? thriftyLookups : lookupsPerCall
  const gas = isThrifty ? thriftyGas : lensGas
  const pairs = { a: withNative(deps, a), b: withNative(deps, b) }
  const [found, hooked] = await Promise.all([
    askPairs(deps, {
      ...pairs,
      size: Math.floor(lookups / Math.max(1, tiers.length)),
      blockNumber,
      ask: (part) => {
        const args = [dex.factory, part.a, part.b, tiers] as const
        const view = { functionName: 'findManaged', args, blockNumber, gas } as const
        return callManagerLens(deps.client, view)
      },
    }),
    findHooked(deps, { ...pairs, dex, blockNumber }),
  ])
  const pools = new Map(found.map((pool) => [pool.id, pool]))
  const plain = [...pools.values()].map(({ id, ...key }) => ({
    dex,
    address: dex.factory,
    id,
    key: { ...key, hooks: zeroAddress },
  }))
  return [...plain, ...hooked]
}

type Managed = ManagerLensResult<'readManaged'>[number]
type OpenPool = { readonly pool: PoolRef; readonly fromWord: number; readonly parts: Managed[] }

/** Pools of one manager, in as many calls as the gas of one call asks for. */
async function loadOfManager(
  deps: ReadDeps,
  { pools, blockNumber, isBrief = false, isThrifty = false }: LoadParameters,
): Promise<ManagedRecord[]> {
  const done: ManagedRecord[] = []
  let open: OpenPool[] = pools.map((pool) => ({ pool, fromWord: firstWord, parts: [] }))
  for (let round = 0; round < mostRounds && open[0]; round += 1) {
    const { address } = open[0].pool
    const sizes = isThrifty ? thriftySizes : [poolsPerCall, isBrief ? fewPerCall : 1]
    const size = sizes[round] ?? 1
    const answers = await askInParts(deps, {
      items: open.map(toRequest),
      size,
      blockNumber,
      ask: (part) => {
        const args = [address, part] as const
        const gas = isThrifty ? thriftyGas : lensGas
        const view = { functionName: 'readManaged', args, blockNumber, gas } as const
        return callManagerLens(deps.client, view)
      },
    })
    const before = open.map(({ fromWord }) => fromWord).join()
    open = open.flatMap((partial, index) => {
      const answer = answers[index]
      const data: Hex = `0x00000000${partial.pool.id?.slice(2) ?? ''}`
      if (!answer) deps.noteFailure?.({ target: address, data }, 'unreadable')
      if (!answer?.ok) return []
      // A request that the gas did not reach at all has no price yet.
      const parts = answer.sqrtPriceX96 > 0n ? [...partial.parts, answer] : partial.parts
      if (!answer.done) return [{ ...partial, parts, fromWord: answer.nextWord }]
      const record = joinParts(deps, { pool: partial.pool, parts, blockNumber })
      if (record) done.push(record)
      return []
    })
    if (size === 1 && open.map(({ fromWord }) => fromWord).join() === before) break
  }
  for (const { pool, parts } of open) {
    const data: Hex = `0x00000000${pool.id?.slice(2) ?? ''}`
    deps.noteFailure?.({ target: pool.address, data }, 'endless')
    const record = joinParts(deps, { pool, parts, blockNumber })
    if (record) done.push({ ...record, isPart: true })
  }
  return done
}

function toRequest({ pool: { id = '0x', key }, fromWord }: OpenPool) {
  return { id, tickSpacing: key?.tickSpacing ?? 0, fromWord }
}

function joinParts(
  { client }: ReadDeps,
  {
    pool,
    parts,
    blockNumber,
  }: { readonly pool: PoolRef; readonly parts: readonly Managed[]; readonly blockNumber: bigint },
): ManagedRecord | undefined {
  const [first] = parts
  const { key } = pool
  const wrapped = getChain(client.chain.id)?.wrappedNative
  if (!first || !key || !wrapped) return undefined
  const tokens = [key.currency0, key.currency1].map((token) =>
    token === zeroAddress ? wrapped : token,
  )
  const words = parts.flatMap(({ ticks }) => ticks)
  const ticks = Array.from({ length: words.length / 2 }, (_, index) => {
    const packed = words[2 * index] ?? 0n
    return {
      index: Number(BigInt.asIntN(24, packed >> 128n)),
      gross: BigInt.asUintN(128, packed),
      net: BigInt.asIntN(128, words[2 * index + 1] ?? 0n),
    }
  })
  const { sqrtPriceX96, tick, liquidity, lpFee } = first
  return {
    ...toHead(pool, { tokens, blockNumber }),
    protocol: 'uniswap_v4',
    key,
    feePips: lpFee,
    lpFeePips: lpFee,
    protocolFeePips: splitProtocolFee(first.protocolFee),
    isFresh: [first.isFresh0, first.isFresh1],
    tickSpacing: key.tickSpacing,
    sqrtPriceX96,
    tick,
    liquidity,
    ticks,
    ...(isPlain(key) ? {} : { quoter: pool.dex.quoter }),
  }
}

/** A hook has a say in its pool's swaps: the trust table knows whose is believed. */
function withHooks(record: ManagedRecord, hooks: ReadonlyMap<string, Part>): ManagedRecord {
  return isPlain(record.key) ? record : { ...record, parts: pickParts(hooks, [record.key.hooks]) }
}

/** Undefined where an event tells that another before it is missing. */
function apply(record: ManagedRecord, log: PoolLog): ManagedRecord | undefined {
  // Ids are public: only the manager's own word counts.
  if (log.address !== record.address.toLowerCase()) return record
  const changed = { ...record, changedBlock: log.blockNumber }
  switch (log.topics[0]) {
    case managedSwapTopic: {
      const [amount0, amount1, sqrtPriceX96, liquidity, tick] = decodeAbiParameters(
        swapData,
        log.data,
      )
      if (isPositionMissing(record, { liquidity, tick })) return undefined
      // As the caller sees it: what it pays is negative.
      const isFresh = [
        record.isFresh[0] === true && amount0 >= 0n,
        record.isFresh[1] === true && amount1 >= 0n,
      ]
      const swapsSeen = record.swapsSeen + 1
      return { ...changed, sqrtPriceX96, liquidity, tick, isFresh, swapsSeen }
    }
    case modifyLiquidityTopic: {
      const [lower, upper, delta] = decodeAbiParameters(rangeData, log.data)
      return delta === 0n ? record : { ...changed, ...addRange(record, { lower, upper, delta }) }
    }
    case protocolFeeTopic: {
      const [packed] = decodeAbiParameters([{ type: 'uint24' }], log.data)
      return { ...changed, protocolFeePips: splitProtocolFee(packed) }
    }
    default:
      return record
  }
}

function readInitialize(log: PoolLog) {
  const [, id, topic0, topic1] = log.topics
  if (!id || !topic0 || !topic1) return undefined
  const [fee, tickSpacing, hooks] = decodeAbiParameters(initializeData, log.data)
  const [currency0, currency1] = [toAddress(topic0), toAddress(topic1)]
  const key = { currency0, currency1, fee, tickSpacing, hooks }
  const tokens = [currency0.toLowerCase(), currency1.toLowerCase()]
  return { tokens, address: getAddress(log.address), id: id as Hex, key }
}

function toAddress(topic: string): Address {
  return getAddress(`0x${topic.slice(26)}`)
}

/**
 * Uniswap v4's pools without hooks, with hooks that leave swaps alone, and with hooks that act on them:
 * those are searched by their own state and priced by the quoter.
 */
export const uniswapV4Family: PoolFamily<ManagedRecord> = {
  find,
  async load(deps, { pools, blockNumber, isBrief = false, isThrifty = false }) {
    const known = pools.filter(isPriced)
    for (const pool of pools) if (!known.includes(pool)) deps.decline?.(pool)
    const few = isBrief ? fewPerCall : 1
    const size = known.length <= fewPools ? few : poolsPerCall
    const parts = [...Map.groupBy(known, ({ address }) => address).values()].flatMap((group) =>
      chunk(group, isThrifty ? mostThrifty : size),
    )
    const [hooks, ...loaded] = await Promise.all([
      readParts(deps, { addresses: known.flatMap(hooksOf), blockNumber }),
      ...parts.map((part) => loadOfManager(deps, { pools: part, blockNumber, isBrief, isThrifty })),
    ])
    return loaded.flat().map((record) => withHooks(record, hooks))
  },
  topics,
  creations: [{ topic: managedInitializeTopic, keyedTokensAt: 2, read: readInitialize }],
  poolIdOf: ({ topics: [topic, id] }) => (topics.some((known) => known === topic) ? id : undefined),
  nameInLogs: ({ id, address }) => ({ name: id as Hex, by: [address] }),
  apply,
  toEnginePool: (record) =>
    createUniswapV4Pool({
      ...record,
      ticks: toLiquidityTicks(record.ticks),
    }),
  encodeStep: ({ address, key }) => ({
    kind: stepKinds.uniswapV4,
    pool: address,
    data: encodeAbiParameters(keyTypes, [key, '0x']),
  }),
  midPrice({ sqrtPriceX96 }, i) {
    const price = (Number(sqrtPriceX96) / 2 ** 96) ** 2
    return i === 0 ? price : 1 / price
  },
  depth({ sqrtPriceX96, liquidity }, i) {
    const root = Number(sqrtPriceX96) / 2 ** 96
    const depth = Number(liquidity) * (i === 0 ? 1 / root : root)
    return depth >= 0 ? depth : undefined
  },
  held: heldByTicks,
  isQuoted: ({ quoter }) => quoter !== undefined,
  quoter: hookedQuoter,
  stepGas: ({ isFresh, quoter }, i) =>
    stepGas + (isFresh[i] ? freshGas : 0) + (quoter ? hookGas : 0),
  crossingGas,
  takesTaxedInput: false,
}
