import { type Abi, parseAbi } from 'viem'
import { getChain } from '../../../chain/chains.ts'
import { isNative } from '../../../chain/native.ts'
import type { LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import {
  type CurveHead,
  curveDiscovery,
  curveExecution,
  curvePrice,
  curveTopics,
  feeUnit,
  toPips,
  toTokens,
} from './curveChain.ts'
import { createCurvePlainPool, curvePlainAmountOut } from './curvePlain.ts'

export type CurvePlainRecord = CurveHead & { readonly protocol: 'curve_plain' }

const mostCoins = 4
const abi: Abi = parseAbi([
  'function coins(uint256) view returns (address)',
  'function balances(uint256) view returns (uint256)',
  'function A_precise() view returns (uint256)',
  'function fee() view returns (uint256)',
  'function admin_fee() view returns (uint256)',
  'function base_pool() view returns (address)',
  'function decimals() view returns (uint256)',
  'function get_dy(int128 i, int128 j, uint256 dx) view returns (uint256)',
])
const nativeDecimals = 18n
const mostDecimals = 36n
/** Of the first balance: what the pool is asked to price when it is loaded. */
const sampleParts = 1_000n
/** Views and swaps of some pools round apart; a coin that lies is off by a factor. */
const roundingWei = 2n
const roundingParts = 10_000n
const stepGas = 90_000
const gasPerCoin = 7_000

type Pool = PoolRef
const coinIndexes = Array.from({ length: mostCoins }, (_, k) => BigInt(k))
const movingCalls = ({ address }: Pick<Pool, 'address'>) => [
  ...coinIndexes.map((k) => readCall(address, { abi, functionName: 'balances', args: [k] })),
  ...['A_precise', 'fee', 'admin_fee'].map((functionName) =>
    readCall(address, { abi, functionName }),
  ),
]
const movingCount = mostCoins + 3
const coinCalls = ({ address }: Pool) => [
  ...coinIndexes.map((k) => readCall(address, { abi, functionName: 'coins', args: [k] })),
  readCall(address, { abi, functionName: 'base_pool' }),
]
const coinCount = mostCoins + 1

type Words = readonly (readonly bigint[] | undefined)[]

function readMoving(words: Words, count: number) {
  const balances = words.slice(0, count).flatMap((word) => (word?.[0] === undefined ? [] : word))
  const [aPrecise, fee, adminFee] = words.slice(mostCoins).map((word) => word?.[0])
  if (balances.length !== count || !aPrecise || fee === undefined || adminFee === undefined)
    return undefined
  return fee < feeUnit ? { balances, aPrecise, fee, adminFee, feePips: toPips(fee) } : undefined
}

/** `10 ^ (36 - decimals)` by lower-case token. */
async function readRates(
  deps: ReadDeps,
  { coins, blockNumber }: { readonly coins: ReadonlySet<string>; readonly blockNumber: bigint },
): Promise<ReadonlyMap<string, bigint>> {
  const addresses = [...coins] as `0x${string}`[]
  const answers = await readCalls(deps, {
    calls: addresses.map((address) => readCall(address, { abi, functionName: 'decimals' })),
    blockNumber,
  })
  return new Map(
    addresses.flatMap((address, index) => {
      const decimals = isNative(address) ? nativeDecimals : answers[index]?.[0]
      if (decimals === undefined || decimals > mostDecimals) return []
      return [[address, 10n ** (mostDecimals - decimals)] as const]
    }),
  )
}

type Plain = {
  readonly pool: Pool
  readonly coins: readonly `0x${string}`[]
  readonly state: NonNullable<ReturnType<typeof readMoving>>
}

const sampleOf = ({ balances: [first = 0n] }: Pick<CurveHead, 'balances'>) =>
  first / sampleParts || 1n
const sampleCalls = ({ pool, state }: Plain) =>
  coinIndexes.slice(1).map((j) => {
    const args = [0n, j, sampleOf(state)]
    return readCall(pool.address, { abi, functionName: 'get_dy', args })
  })

/**
 * Whether the pool prices its first coin as we do. It has asked its coins for their decimals once and
 * for all; a coin that tells another number now would have every swap priced wrong.
 */
function isConfirmed(record: CurvePlainRecord, samples: Words): boolean {
  return record.tokens.slice(1).every((_, k) => {
    const trade = { i: 0, j: k + 1, amountIn: sampleOf(record) }
    const [told, own] = [samples[k]?.[0] ?? 0n, curvePlainAmountOut(record, trade) ?? 0n]
    const apart = told > own ? told - own : own - told
    return apart <= roundingWei + told / roundingParts
  })
}

async function load(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<CurvePlainRecord[]> {
  const perPool = coinCount + movingCount
  const calls = pools.flatMap((pool) => [...coinCalls(pool), ...movingCalls(pool)])
  const answers = await readCalls(deps, { calls, blockNumber })
  const plain = pools.flatMap((pool, index) => {
    const words = answers.slice(index * perPool, (index + 1) * perPool)
    // A pool upon another pool's share token prices that token by the other pool: no plain one.
    if (words[mostCoins]?.[0]) return []
    const coins = words
      .slice(0, mostCoins)
      .flatMap((word) => (word?.[0] ? [wordToAddress(word[0])] : []))
    const state = readMoving(words.slice(coinCount), coins.length)
    return state && coins.length >= 2 ? [{ pool, coins, state }] : []
  })
  const coinsOfAll = new Set(plain.flatMap(({ coins }) => coins))
  const [rateOf, told] = await Promise.all([
    readRates(deps, { coins: coinsOfAll, blockNumber }),
    readCalls(deps, { calls: plain.flatMap(sampleCalls), blockNumber }),
  ])
  const samples = plain.map(() => told.splice(0, mostCoins - 1))
  const wrapped = getChain(deps.client.chain.id)?.wrappedNative
  return plain.flatMap(({ pool, coins, state }, index): CurvePlainRecord[] => {
    const rates = coins.flatMap((coin) => rateOf.get(coin) ?? [])
    if (!wrapped || rates.length !== coins.length) return []
    const record: CurvePlainRecord = {
      ...toHead(pool, { tokens: toTokens(coins, wrapped), blockNumber }),
      protocol: 'curve_plain',
      ...state,
      rates,
      isFresh: coins.map(() => false),
      native: coins.map(isNative),
    }
    return isConfirmed(record, samples[index] ?? []) ? [record] : []
  })
}

/** Curve's plain pools of 2 to 4 coins from factories before NG. */
export const curvePlainFamily: PoolFamily<CurvePlainRecord> = {
  ...curveDiscovery,
  ...curveExecution,
  apply: (record, log) => ({ ...record, ...curveExecution.apply(record, log) }) as typeof record,
  topics: curveTopics,
  load,
  /** Amplification moves on its own; balances come with it, so that no event has to be replayed. */
  async refresh(deps, { records, blockNumber }) {
    const answers = await readCalls(deps, { calls: records.flatMap(movingCalls), blockNumber })
    return new Map(
      records.flatMap(({ id, tokens }, index) => {
        const words = answers.slice(index * movingCount, (index + 1) * movingCount)
        const state = readMoving(words, tokens.length)
        return state ? [[id, state] as const] : []
      }),
    )
  },
  toEnginePool: createCurvePlainPool,
  midPrice: curvePrice,
  stepGas: ({ tokens }) => stepGas + gasPerCoin * tokens.length,
}
