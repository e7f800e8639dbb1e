import { type Abi, type Address, parseAbi, toEventSelector } from 'viem'
import { getChain } from '../../../chain/chains.ts'
import type { PoolRef } from '../../reads/poolRef.ts'
import { arrayHead, readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { pickParts, readParts } from '../../reads/readParts.ts'
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
import { createCurveStableNgPool } from './curveStableNg.ts'

export type CurveStableNgRecord = CurveHead & {
  readonly protocol: 'curve_stable_ng'
  readonly offpegFeeMultiplier: bigint
}

const mostCoins = 8
/** The part of the fee that a pool keeps for its admin unless it says otherwise. */
const usualAdminFee = 5n * 10n ** 9n
const abi: Abi = parseAbi([
  'function coins(uint256) view returns (address)',
  'function get_balances() view returns (uint256[])',
  'function stored_rates() view returns (uint256[])',
  'function A_precise() view returns (uint256)',
  'function fee() view returns (uint256)',
  'function offpeg_fee_multiplier() view returns (uint256)',
  'function admin_fee() view returns (uint256)',
  'function get_pool_asset_types(address pool) view returns (uint8[])',
])
/** Of a pool upon another's shares: it is listed and priced as any. */
const metaCreation = {
  topic: toEventSelector('MetaPoolDeployed(address,address,uint256,uint256,address)'),
  read: () => undefined,
}
const stepGas = 68_000
const gasPerCoin = 19_000

type Pool = Pick<PoolRef, 'address'>
const moving = ({ address }: Pool) => [
  readCall(address, { abi, functionName: 'get_balances' }, arrayHead + mostCoins),
  readCall(address, { abi, functionName: 'stored_rates' }, arrayHead + mostCoins),
  readCall(address, { abi, functionName: 'A_precise' }),
  readCall(address, { abi, functionName: 'fee' }),
  readCall(address, { abi, functionName: 'offpeg_fee_multiplier' }),
  readCall(address, { abi, functionName: 'admin_fee' }),
]
const movingCount = 6
const coinCalls = ({ address }: Pool) =>
  Array.from({ length: mostCoins }, (_, k) =>
    readCall(address, { abi, functionName: 'coins', args: [BigInt(k)] }),
  )

/** Asset types, as the factory knows them: plain, by an oracle, rebasing, ERC-4626. */
const plainCoin = 0n
const oracleCoin = 1n
const typesCall = ({ address, dex }: PoolRef) =>
  readCall(
    dex.factory,
    { abi, functionName: 'get_pool_asset_types', args: [address] },
    arrayHead + mostCoins,
  )

/**
 * Whose code is asked for rates and balances: a coin's own, or an oracle's. No view names oracles; the
 * pool itself stands for them, as it does where the factory says nothing of its coins.
 */
function listParts(
  { address }: Pool,
  {
    coins,
    types,
  }: { readonly coins: readonly Address[]; readonly types: readonly bigint[] | undefined },
): readonly Address[] {
  if (!types) return [address]
  return types.flatMap((type, k) => {
    if (type === plainCoin) return []
    const coin = coins[k]
    return type === oracleCoin || !coin ? [address] : [coin]
  })
}

type Words = readonly (readonly bigint[] | undefined)[]

/** The items of an answered array; undefined where it is no such array. */
function readArray(words: readonly bigint[] | undefined, count: number) {
  if (words?.[0] !== 32n || words[1] !== BigInt(count)) return undefined
  const items = words.slice(arrayHead, arrayHead + count)
  return items.length === count ? items : undefined
}

function readMoving(words: Words, count: number) {
  const [balanceWords, rateWords, aWords, feeWords, multiplierWords, adminWords] = words
  const balances = readArray(balanceWords, count)
  const rates = readArray(rateWords, count)
  const [aPrecise, fee, offpegFeeMultiplier] = [aWords?.[0], feeWords?.[0], multiplierWords?.[0]]
  if (!balances || !rates || !aPrecise || fee === undefined || offpegFeeMultiplier === undefined)
    return undefined
  if (fee >= feeUnit) return undefined
  const adminFee = adminWords?.[0] ?? usualAdminFee
  return { balances, rates, aPrecise, fee, offpegFeeMultiplier, adminFee, feePips: toPips(fee) }
}

/** Curve StableSwap NG: 2 to 8 coins, a fee that rises with the imbalance. */
export const curveStableNgFamily: PoolFamily<CurveStableNgRecord> = {
  ...curveDiscovery,
  ...curveExecution,
  creations: [...curveDiscovery.creations, metaCreation],
  apply: (record, log) => ({ ...record, ...curveExecution.apply(record, log) }) as typeof record,
  topics: curveTopics,
  async load(deps, { pools, blockNumber }) {
    const perPool = mostCoins + movingCount + 1
    const calls = pools.flatMap((pool) => [...coinCalls(pool), ...moving(pool), typesCall(pool)])
    const answers = await readCalls(deps, { calls, blockNumber })
    const wrapped = getChain(deps.client.chain.id)?.wrappedNative
    const coinsOf = pools.map((_, index) =>
      answers
        .slice(index * perPool, index * perPool + mostCoins)
        .flatMap((word) => (word?.[0] ? [wordToAddress(word[0])] : [])),
    )
    const partsOf = pools.map((pool, index) => {
      const coins = coinsOf[index] ?? []
      const types = readArray(answers[(index + 1) * perPool - 1], coins.length)
      return listParts(pool, { coins, types })
    })
    const parts = await readParts(deps, { addresses: partsOf.flat(), blockNumber })
    return pools.flatMap((pool, index): CurveStableNgRecord[] => {
      const words = answers.slice(index * perPool, (index + 1) * perPool)
      const addresses = coinsOf[index] ?? []
      const state = readMoving(words.slice(mostCoins), addresses.length)
      if (!state || !wrapped || addresses.length < 2) return []
      const tokens = toTokens(addresses, wrapped)
      return [
        {
          ...toHead(pool, { tokens, blockNumber }),
          protocol: 'curve_stable_ng',
          ...state,
          parts: pickParts(parts, partsOf[index]),
          isFresh: addresses.map(() => false),
          native: addresses.map((_, k) => tokens[k] !== addresses[k]),
        },
      ]
    })
  },
  /** Amplification, rates of tokens and rebasing balances move on their own. */
  async refresh(deps, { records, blockNumber }) {
    const answers = await readCalls(deps, { calls: records.flatMap(moving), blockNumber })
    return new Map(
      records.flatMap(({ id, tokens }, index) => {
        const words = answers.slice(index * movingCount, (index + 1) * movingCount)
        const state = readMoving(words, tokens.length)
        return state ? [[id, state] as const] : []
      }),
    )
  },
  toEnginePool: createCurveStableNgPool,
  asksOracles: true,
  midPrice: curvePrice,
  stepGas: ({ tokens }) => stepGas + gasPerCoin * tokens.length,
}
