import {
  type Address,
  encodeAbiParameters,
  type Hex,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { isNative } from '../../../chain/native.ts'
import { dedupePools, findByLookup, pagesByNumber } from '../../reads/findPools.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import type { PoolFamily } from '../family/poolFamily.ts'

/** What records of Curve's stable pools share. */
export type CurveHead = PoolHead & {
  /** Whether a coin is the native currency itself; its token is the wrapped one then. */
  readonly native: readonly boolean[]
  readonly balances: readonly bigint[]
  readonly rates: readonly bigint[]
  readonly aPrecise: bigint
  readonly fee: bigint
  readonly adminFee: bigint
}

/** Fees are over 1e10. */
export const feeUnit = 10n ** 10n
const feePerPips = 10n ** 4n
const mostListed = 1_000n
/** Pools of one pair that a factory is asked for. */
const lookups = [0, 1, 2, 3, 4]
/** The dearest of its factories takes 18,300. */
const lookupGas = 20_000
const factoryAbi = parseAbi([
  'function pool_count() view returns (uint256)',
  'function pool_list(uint256) view returns (address)',
  'function find_pool_for_coins(address a, address b, uint256 at) view returns (address)',
])

/**
 * The events of exchanges and liquidity that both generations have, in all their shapes. Those of an amplification
 * that begins to move or stops do so by days, and it is read with the balances.
 */
const lists = ['uint256[2]', 'uint256[3]', 'uint256[4]', 'uint256[]']
export const curveTopics: readonly Hex[] = [
  'TokenExchange(address,int128,uint256,int128,uint256)',
  'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256)',
  'RemoveLiquidityOne(address,int128,uint256,uint256,uint256)',
  'ApplyNewFee(uint256,uint256)',
  'ApplyNewFee(uint256)',
  ...lists.flatMap((list) => [
    `AddLiquidity(address,${list},${list},uint256,uint256)`,
    `RemoveLiquidity(address,${list},${list},uint256)`,
    `RemoveLiquidityImbalance(address,${list},${list},uint256,uint256)`,
  ]),
].map((signature) => toEventSelector(signature))
/** The second is of pools upon another's shares, whose coins they trade as well. */
const exchangeTopics = curveTopics.slice(0, 2)

/** The factory's pools by its list. */
async function listCurvePools(
  deps: ReadDeps,
  { dex, blockNumber }: { readonly dex: PoolRef['dex']; readonly blockNumber: bigint },
): Promise<PoolRef[] | undefined> {
  const { factory } = dex
  const count = readCall(factory, { abi: factoryAbi, functionName: 'pool_count' })
  const [length = [0n]] = await readCalls(deps, { calls: [count], blockNumber })
  if ((length[0] ?? 0n) > mostListed) return undefined
  const calls = Array.from({ length: Number(length[0]) }, (_, index) =>
    readCall(factory, { abi: factoryAbi, functionName: 'pool_list', args: [BigInt(index)] }),
  )
  const answers = await readCalls(deps, { calls, blockNumber })
  return dedupePools(
    answers.flatMap((words) => (words?.[0] ? [{ dex, address: wordToAddress(words[0]) }] : [])),
  )
}

const pages = pagesByNumber((factory, pair, at) =>
  readCall(factory, {
    abi: factoryAbi,
    functionName: 'find_pool_for_coins',
    args: [...pair, at],
  }),
)

/** How Curve's factories know their pools. */
export const curveDiscovery: Pick<PoolFamily, 'find' | 'list' | 'creations'> = {
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      selector: toFunctionSelector('find_pool_for_coins(address,address,uint256)'),
      keys: lookups,
      lookupGas,
      pages,
    }),
  list: listCurvePools,
  creations: [
    'PlainPoolDeployed(address[],uint256,uint256,address)',
    'PlainPoolDeployed(address[4],uint256,uint256,address)',
  ].map((signature) => ({ topic: toEventSelector(signature), read: () => undefined })),
}

/** The tokens of a pool's coins: native currency stands as its wrapped token. */
export function toTokens(coins: readonly Address[], wrappedNative: Address): readonly Address[] {
  return coins.map((coin) => (isNative(coin) ? wrappedNative : coin))
}

export function toPips(fee: bigint): number {
  return Number(fee / feePerPips)
}

/** Steps and events of both generations; balances are read again with every block that moves them. */
export const curveExecution: Pick<
  PoolFamily<CurveHead>,
  'apply' | 'encodeStep' | 'depth' | 'held' | 'takesTaxedInput'
> = {
  apply: (record, log) => ({
    ...record,
    changedBlock: log.blockNumber,
    swapsSeen: record.swapsSeen + Number(exchangeTopics.some((topic) => topic === log.topics[0])),
  }),
  encodeStep({ address, tokens, native }, { tokenIn, tokenOut }) {
    const [i, j] = [tokens.indexOf(tokenIn), tokens.indexOf(tokenOut)]
    return {
      kind: stepKinds.curveStable,
      pool: address,
      data: encodeAbiParameters(
        [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }],
        [BigInt(i), BigInt(j), native[i] === true || native[j] === true],
      ),
    }
  },
  // What a stable pool moves by near its peg says nothing about its depth.
  depth: () => undefined,
  held: ({ balances }, i) => Number(balances[i] ?? 0n),
  takesTaxedInput: false,
}

/**
 * Mid price by the invariant's slope: for D, product P = D^(n+1) / (n^n * all balances) and Ann,
 * dx_j/dx_i = (Ann + P / x_i) / (Ann + P / x_j) in scaled amounts.
 */
export function curvePrice(
  { balances, rates, aPrecise }: Pick<CurveHead, 'balances' | 'rates' | 'aPrecise'>,
  i: number,
  j: number,
): number {
  const xp = balances.map((balance, k) => (Number(balance) * Number(rates[k] ?? 0n)) / 1e36)
  const n = xp.length
  const ann = (Number(aPrecise) / 100) * n
  const sum = xp.reduce((total, x) => total + x, 0)
  let invariant = sum
  const productOf = (d: number) => xp.reduce((product, x) => (product * d) / (x * n), d)
  for (let round = 0; round < 64; round++) {
    const product = productOf(invariant)
    invariant =
      ((ann * sum + product * n) * invariant) / ((ann - 1) * invariant + (n + 1) * product)
  }
  const product = productOf(invariant)
  const slope = (k: number) => ann + product / (xp[k] ?? Number.NaN)
  return ((slope(i) / slope(j)) * Number(rates[i] ?? 0n)) / Number(rates[j] ?? 0n)
}
