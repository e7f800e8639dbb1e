import {
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  keccak256,
  parseAbi,
  zeroAddress,
} from 'viem'
import { getChain } from '../../../chain/chains.ts'
import type { Dex } from '../../../chain/dex.ts'
import { chunk } from '../../reads/chunk.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolKey, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'
import type { Quoter } from '../family/poolFamily.ts'

const managerAbi = parseAbi(['function extsload(bytes32[] slots) view returns (bytes32[])'])
const quoterAbi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct QuoteExactSingleParams { PoolKey poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }',
  'function quoteExactInputSingle(QuoteExactSingleParams params) returns (uint256 amountOut, uint256 gasEstimate)',
])
/** Where the manager keeps its pools by id; the first word of each is its price. */
const poolsSlot = '6'.padStart(64, '0')
/** As many words as an answer may have. */
const slotsPerCall = 90
/** A key costs two hashes: of more than these the first count. */
const mostKeys = 4_000
const mostAmount = 2n ** 128n - 1n

/**
 * Pools between any of `a` and any of `b` as the launchpads of the known hooks open them: against the
 * native currency, as it is or wrapped, or USDC.
 */
export async function findHooked(
  deps: ReadDeps,
  {
    dex,
    a,
    b,
    blockNumber,
  }: {
    readonly dex: Dex
    readonly a: readonly Address[]
    readonly b: readonly Address[]
    readonly blockNumber: bigint
  },
): Promise<readonly PoolRef[]> {
  const chain = getChain(deps.client.chain.id)
  const quotes = [zeroAddress, chain?.wrappedNative, chain?.usdc.address]
  const isQuote = new Set(quotes.map((token) => token?.toLowerCase()))
  const pairs = listPairs({ a, b }).filter((pair) =>
    pair.some((token) => isQuote.has(token.toLowerCase())),
  )
  const pools = listKeys(dex, pairs).map((key) => ({ key, id: idOfKey(key) }))
  const parts = chunk(pools, slotsPerCall)
  const prices = await readEach(deps, {
    abi: managerAbi,
    functionName: 'extsload',
    calls: parts.map((part) => ({
      target: dex.factory,
      args: [part.map(({ id }) => slotOf(id))] as const,
    })),
    blockNumber,
  })
  return parts.flatMap((part, index) =>
    part.flatMap(({ key, id }, k) => {
      const word = prices[index]?.[k]
      return word && hexToBigInt(word) > 0n ? [{ dex, address: dex.factory, id, key }] : []
    }),
  )
}

type Pair = readonly [currency0: Address, currency1: Address]

function listPairs({
  a,
  b,
}: {
  readonly a: readonly Address[]
  readonly b: readonly Address[]
}): readonly Pair[] {
  const pairs = new Map<string, Pair>()
  for (const one of a)
    for (const other of b) {
      const [left, right] = [one.toLowerCase(), other.toLowerCase()]
      if (left === right) continue
      const pair: Pair = left < right ? [one, other] : [other, one]
      pairs.set(pair.join().toLowerCase(), pair)
    }
  return [...pairs.values()]
}

function listKeys({ knownHooks = [] }: Dex, pairs: readonly Pair[]): readonly PoolKey[] {
  const ways = knownHooks.flatMap(({ addresses, keys }) =>
    addresses.flatMap((hooks) => keys.map(([fee, tickSpacing]) => ({ fee, tickSpacing, hooks }))),
  )
  return pairs
    .flatMap(([currency0, currency1]) => ways.map((way) => ({ currency0, currency1, ...way })))
    .slice(0, mostKeys)
}

/** By hand: an ABI encoder's care takes longer than the hash. */
const toWord = (value: string) => value.toLowerCase().padStart(64, '0')

function idOfKey({ currency0, currency1, fee, tickSpacing, hooks }: PoolKey): Hex {
  const [first, second, hook] = [currency0, currency1, hooks].map((each) => toWord(each.slice(2)))
  const [feeWord, spacing] = [fee, tickSpacing].map((each) => toWord(each.toString(16)))
  return keccak256(`0x${first}${second}${feeWord}${spacing}${hook}`)
}
const slotOf = (id: Hex): Hex => keccak256(`${id}${poolsSlot}`)

type Managed = PoolHead & { readonly key: PoolKey; readonly quoter?: Address | undefined }

/** V4Quoter runs the swap in the manager, hooks and all, and undoes it. */
export const hookedQuoter: Pick<Quoter<Managed>, 'question' | 'readAnswer'> = {
  question({ quoter, address, key }, { i, amountIn }) {
    const exactAmount = amountIn > mostAmount ? mostAmount : amountIn
    const args = [{ poolKey: key, zeroForOne: i === 0, exactAmount, hookData: '0x' }] as const
    const functionName = 'quoteExactInputSingle'
    return {
      target: quoter ?? address,
      data: encodeFunctionData({ abi: quoterAbi, functionName, args }),
    }
  },
  readAnswer: ([amountOut], { amountIn }) => (amountIn > mostAmount ? undefined : amountOut),
}
