import { type Address, type Chain, type Client, getAddress, type Transport } from 'viem'
import type { Dex, Protocol } from '../../chain/dexes.ts'
import type {
  ConcentratedRecord,
  PairRecord,
  PoolRecord,
  SolidlyRecord,
} from '../protocols/poolRecord.ts'
import { callLens, type LensResult } from './lens.ts'

export type PoolAddress = { readonly dex: Dex; readonly address: Address }

type Deps = { readonly client: Client<Transport, Chain> }
type Range = LensResult<'readRanges'>[number]

const pairsPerCall = 500
/** A 60-spacing pool scans 116 words of its tick table, about 0.4M gas. */
const rangesPerCall = 40
/** Few pools get a call each, in one batch: none of them has to be continued in another round trip. */
const fewRanges = 16
const firstWord = -32_768

function isConcentrated(protocol: Protocol): protocol is ConcentratedRecord['protocol'] {
  return protocol === 'uniswap_v3' || protocol === 'pancake_v3' || protocol === 'slipstream'
}

export function chunk<item>(items: readonly item[], size: number): item[][] {
  const chunks: item[][] = []
  for (let start = 0; start < items.length; start += size)
    chunks.push(items.slice(start, start + size))
  return chunks
}

/** Reads the whole state of pools at a block. What does not answer as a pool is left out. */
export async function loadPools(
  deps: Deps,
  { pools, blockNumber }: { readonly pools: readonly PoolAddress[]; readonly blockNumber: bigint },
): Promise<PoolRecord[]> {
  const pairs = pools.filter(({ dex }) => dex.protocol === 'uniswap_v2')
  const solidly = pools.filter(({ dex }) => dex.protocol === 'aerodrome_v2')
  const ranges = pools.filter(({ dex }) => isConcentrated(dex.protocol))
  const perCall = ranges.length <= fewRanges ? 1 : rangesPerCall
  const loaded = await Promise.all([
    ...chunk(pairs, pairsPerCall).map((part) => loadPairs(deps, { pools: part, blockNumber })),
    ...[...Map.groupBy(solidly, ({ dex }) => dex).values()].flatMap((group) =>
      chunk(group, pairsPerCall).map((part) => loadSolidly(deps, { pools: part, blockNumber })),
    ),
    ...chunk(ranges, perCall).map((part) => loadRanges(deps, { pools: part, blockNumber })),
  ])
  return loaded.flat()
}

function toHead({ dex, address }: PoolAddress, token0: Address, token1: Address, block: bigint) {
  return {
    id: address.toLowerCase(),
    address: getAddress(address),
    dex: dex.name,
    token0: token0.toLowerCase(),
    token1: token1.toLowerCase(),
    changedBlock: block,
    swapsSeen: 0,
  }
}

async function loadPairs(
  { client }: Deps,
  { pools, blockNumber }: { readonly pools: readonly PoolAddress[]; readonly blockNumber: bigint },
): Promise<PairRecord[]> {
  const answers = await callLens(client, {
    functionName: 'readPairs',
    args: [pools.map(({ address }) => address)],
    blockNumber,
  })
  return answers.flatMap((answer, index) => {
    const pool = pools[index]
    if (!pool || !answer.ok) return []
    const { token0, token1, reserve0, reserve1, isFresh } = answer
    const head = toHead(pool, token0, token1, blockNumber)
    const feePips = pool.dex.feesPips[0] ?? 3000
    const state = { feePips, reserve0, reserve1, isFresh: [isFresh, isFresh] as const }
    return [{ ...head, ...state, protocol: 'uniswap_v2' as const }]
  })
}

/** Pools of one factory. */
async function loadSolidly(
  { client }: Deps,
  { pools, blockNumber }: { readonly pools: readonly PoolAddress[]; readonly blockNumber: bigint },
): Promise<SolidlyRecord[]> {
  const [first] = pools
  if (!first) return []
  const answers = await callLens(client, {
    functionName: 'readSolidly',
    args: [first.dex.factory, pools.map(({ address }) => address)],
    blockNumber,
  })
  return answers.flatMap((answer, index) => {
    const pool = pools[index]
    if (!pool || !answer.ok) return []
    const { token0, token1, reserve0, reserve1, unit0, unit1, stable, isFresh, feeBps } = answer
    const head = toHead(pool, token0, token1, blockNumber)
    const state = { reserve0, reserve1, unit0, unit1, stable, feePips: Number(feeBps) * 100 }
    const fresh = [isFresh, isFresh] as const
    return [{ ...head, ...state, isFresh: fresh, protocol: 'aerodrome_v2' as const }]
  })
}

type OpenRange = { readonly pool: PoolAddress; readonly fromWord: number; readonly parts: Range[] }

/** Reads tick tables in as many calls as the gas of one call asks for. */
async function loadRanges(
  { client }: Deps,
  { pools, blockNumber }: { readonly pools: readonly PoolAddress[]; readonly blockNumber: bigint },
): Promise<ConcentratedRecord[]> {
  const done: ConcentratedRecord[] = []
  let open: OpenRange[] = pools.map((pool) => ({ pool, fromWord: firstWord, parts: [] }))
  while (open.length > 0) {
    const answers = await callLens(client, {
      functionName: 'readRanges',
      args: [open.map(({ pool, fromWord }) => ({ pool: pool.address, fromWord }))],
      blockNumber,
    })
    const before = progressOf(open)
    open = open.flatMap((partial, index) => {
      const answer = answers[index]
      if (!answer?.ok) return []
      // A request that the gas did not reach at all has no tick spacing yet.
      const parts = answer.tickSpacing > 0 ? [...partial.parts, answer] : partial.parts
      if (!answer.done) return [{ ...partial, parts, fromWord: answer.nextWord }]
      const record = joinParts(partial.pool, parts, blockNumber)
      if (record) done.push(record)
      return []
    })
    // A pool whose tables cost more gas than a whole call gives is no pool.
    if (open.length > 0 && progressOf(open) === before) break
  }
  return done
}

function progressOf(open: readonly OpenRange[]): string {
  return open.map(({ pool, fromWord }) => `${pool.address}:${fromWord}`).join()
}

function joinParts(
  pool: PoolAddress,
  parts: readonly Range[],
  blockNumber: bigint,
): ConcentratedRecord | undefined {
  const first = parts[0]
  const { protocol } = pool.dex
  if (!first || !isConcentrated(protocol)) return undefined
  const words = parts.flatMap(({ ticks }) => ticks)
  const ticks = Array.from({ length: words.length / 2 }, (_, index) => {
    const packed = words[2 * index] ?? 0n
    return {
      index: Number(BigInt.asIntN(24, packed >> 128n)),
      gross: BigInt.asUintN(128, packed),
      net: BigInt.asIntN(128, words[2 * index + 1] ?? 0n),
    }
  })
  return {
    ...toHead(pool, first.token0, first.token1, blockNumber),
    protocol,
    feePips: first.feePips,
    isFresh: [first.isFresh0, first.isFresh1],
    tickSpacing: first.tickSpacing,
    sqrtPriceX96: first.sqrtPriceX96,
    tick: first.tick,
    liquidity: first.liquidity,
    ticks,
  }
}
