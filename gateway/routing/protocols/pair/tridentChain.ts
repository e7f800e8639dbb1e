import {
  type Address,
  encodeAbiParameters,
  parseAbi,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { findByLookup, pagesByNumber } from '../../reads/findPools.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { type ReadCall, readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import type { PairPages } from '../../reads/readDeepest.ts'
import { type PoolCreation, type PoolFamily, toHead } from '../family/poolFamily.ts'
import { stablePairPrice } from '../maths/stablePairPrice.ts'
import { createTridentPool, type TridentState, toAmount } from './trident.ts'

/** A Sushi Trident pool: its tokens lie in a BentoBox, as shares whose value moves. */
export type TridentRecord = PoolHead &
  TridentState & { readonly protocol: 'trident'; readonly bentoBox: Address }

const poolAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function swapFee() view returns (uint256)',
  'function getReserves() view returns (uint256, uint256)',
  'function poolIdentifier() view returns (bytes32)',
  'function bento() view returns (address)',
])
const boxAbi = parseAbi([
  'function balanceOf(address token, address owner) view returns (uint256)',
  'function totals(address token) view returns (uint128 elastic, uint128 base)',
])
const tokenAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
])
const factoryAbi = parseAbi([
  'function pools(address token0, address token1, uint256 at) view returns (address)',
])
const kinds = ['Trident:ConstantProduct', 'Trident:StablePool'].map((name) =>
  BigInt(stringToHex(name, { size: 32 })),
)
/** A factory keeps its pools of a pair by number, one for each fee. */
const numbers = [0, 1, 2, 3]
const pipsPerBps = 100
const stepGas = { volatile: 79_500, stable: 99_700 } as const
/** An event's bytes: offset and length, then what the pool was made from. */
const wordsBeforeTokens = 2

const poolDeployed: PoolCreation = {
  topic: toEventSelector('DeployPool(address,address,bytes)'),
  read({ topics, data }) {
    const words = data.slice(2).match(/.{64}/g) ?? []
    const tokens = words.slice(wordsBeforeTokens, wordsBeforeTokens + 2)
    const pool = topics[2]
    if (!pool || tokens.length < 2) return undefined
    const toAddress = (word: string) => `0x${word.slice(-40)}` as const
    return { tokens: tokens.map(toAddress), address: toAddress(pool) }
  },
}

type Opened = Pick<TridentRecord, 'stable' | 'feeBps' | 'bentoBox' | 'reserves'> & {
  readonly pool: PoolRef
  readonly tokens: readonly [Address, Address]
}

/** What a pool says of itself; empty where it is none, or keeps its tokens elsewhere than the row says. */
async function readPools(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly Opened[]> {
  const names = ['token0', 'token1', 'swapFee', 'poolIdentifier', 'bento', 'getReserves'] as const
  const calls = pools.flatMap(({ address }) =>
    names.map((functionName) => readCall(address, { abi: poolAbi, functionName }, 2)),
  )
  const answers = await readCalls(deps, { calls, blockNumber })
  return pools.flatMap((pool, index): readonly Opened[] => {
    const own = answers.slice(index * names.length, (index + 1) * names.length)
    const [token0, token1, fee, kind, box] = own.map((words) => words?.[0])
    const [reserve0, reserve1] = own.at(-1) ?? []
    const { holder } = pool.dex
    if (!token0 || !token1 || fee === undefined || kind === undefined || !box || !holder) return []
    if (reserve0 === undefined || reserve1 === undefined) return []
    if (!kinds.includes(kind) || wordToAddress(box) !== holder.toLowerCase()) return []
    return [
      {
        pool,
        feeBps: fee,
        bentoBox: holder,
        stable: kind === kinds[1],
        reserves: [reserve0, reserve1],
        tokens: [wordToAddress(token0), wordToAddress(token1)],
      },
    ]
  })
}

type Held = Pick<TridentRecord, 'shares' | 'elastics' | 'bases' | 'liquid'>
type Holding = {
  readonly address: Address
  readonly bentoBox: Address
  readonly tokens: readonly string[]
}

/** What the box holds for a pool, and of its tokens in all: it moves without an event of the pool. */
async function readHeld(
  deps: ReadDeps,
  { holdings, blockNumber }: { holdings: readonly Holding[]; blockNumber: bigint },
): Promise<readonly (Held | undefined)[]> {
  const calls = holdings.flatMap(({ address, bentoBox, tokens }) =>
    (tokens as readonly Address[]).flatMap((token): readonly ReadCall[] => [
      readCall(bentoBox, { abi: boxAbi, functionName: 'balanceOf', args: [token, address] }),
      readCall(bentoBox, { abi: boxAbi, functionName: 'totals', args: [token] }, 2),
      readCall(token, { abi: tokenAbi, functionName: 'balanceOf', args: [bentoBox] }),
    ]),
  )
  const answers = await readCalls(deps, { calls, blockNumber })
  return holdings.map((_, index) => {
    const [shares0, total0, liquid0, shares1, total1, liquid1] = answers.slice(6 * index)
    const held = {
      shares: [shares0?.[0], shares1?.[0]],
      elastics: [total0?.[0], total1?.[0]],
      bases: [total0?.[1], total1?.[1]],
      liquid: [liquid0?.[0], liquid1?.[0]],
    }
    const isWhole = Object.values(held).every((pair) => !pair.includes(undefined))
    return isWhole ? (held as Held) : undefined
  })
}

async function load(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly TridentRecord[]> {
  const opened = await readPools(deps, { pools, blockNumber })
  const holdings = opened.map(({ pool, ...rest }) => ({ ...rest, address: pool.address }))
  const decimalsOf = { abi: tokenAbi, functionName: 'decimals' }
  const [helds, decimals] = await Promise.all([
    readHeld(deps, { holdings, blockNumber }),
    readCalls(deps, {
      calls: opened.flatMap(({ tokens }) => tokens.map((token) => readCall(token, decimalsOf))),
      blockNumber,
    }),
  ])
  return opened.flatMap(({ pool, tokens, feeBps, ...rest }, index) => {
    const held = helds[index]
    const digits = decimals.slice(2 * index, 2 * index + 2).map((words) => words?.[0])
    if (!held || digits.some((count) => count === undefined || count > mostDecimals)) return []
    return [
      {
        ...toHead(pool, { tokens, blockNumber }),
        ...rest,
        ...held,
        feeBps,
        protocol: 'trident' as const,
        feePips: Number(feeBps) * pipsPerBps,
        units: digits.map((count = 0n) => 10n ** count),
        isFresh: [false, false],
      },
    ]
  })
}
const mostDecimals = 36n

/** Anybody adds to a pair's pools, with other parameters; what is theirs lies in the box. */
function pagesOf({ holder }: PoolRef['dex']): PairPages {
  return pagesByNumber(
    (factory, pair, at) =>
      readCall(factory, { abi: factoryAbi, functionName: 'pools', args: [...pair, at] }),
    {
      askHeld:
        holder &&
        ((token, pool) =>
          readCall(holder, { abi: boxAbi, functionName: 'balanceOf', args: [token, pool] })),
    },
  )
}

/** Sushi Trident's constant product and stable pools; a factory each. */
export const tridentFamily: PoolFamily<TridentRecord> = {
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      keys: numbers,
      selector: toFunctionSelector('pools(address,address,uint256)'),
      pages: pagesOf(parameters.dex),
    }),
  load,
  topics: [toEventSelector('Sync(uint256,uint256)')],
  creations: [poolDeployed],
  emitters: ({ announcer }) => (announcer ? [announcer] : []),
  /** What the box holds afterwards is not in the event. */
  apply: () => undefined,
  async refresh(deps, { records, blockNumber }) {
    const helds = await readHeld(deps, { holdings: records, blockNumber })
    return new Map(
      records.flatMap(({ id }, index) => {
        const held = helds[index]
        return held ? [[id, held] as const] : []
      }),
    )
  },
  toEnginePool: createTridentPool,
  encodeStep: ({ address, bentoBox }) => ({
    kind: stepKinds.trident,
    pool: address,
    data: encodeAbiParameters([{ type: 'address' }], [bentoBox]),
  }),
  midPrice(record, i) {
    const [reserve0 = 0n, reserve1 = 0n] = heldAmounts(record)
    const [unit0 = 1n, unit1 = 1n] = record.units
    return stablePairPrice({ stable: record.stable, reserve0, reserve1, unit0, unit1 }, i)
  },
  // What a stable pool moves by near its peg says nothing about its depth.
  depth: (record, i) => (record.stable ? undefined : Number(heldAmounts(record)[i] ?? 0n)),
  held: (record, i) => Number(heldAmounts(record)[i] ?? 0n),
  stepGas: ({ stable }) => (stable ? stepGas.stable : stepGas.volatile),
  takesTaxedInput: false,
}

function heldAmounts({ shares, elastics, bases }: TridentRecord): readonly bigint[] {
  return shares.map((held, k) =>
    toAmount(held, { elastic: elastics[k] ?? 0n, base: bases[k] ?? 0n }),
  )
}
