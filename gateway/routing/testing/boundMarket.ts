import { getAddress, numberToHex } from 'viem'
import { base } from '../../chain/base.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { gridSize, samplesAt } from '../protocols/quoted/quoted.ts'
import { createPoolBounds } from '../sync/bounds/poolBounds.ts'
import type { PoolLimits } from '../sync/bounds/standing.ts'

export const usdc = base.usdc.address.toLowerCase()
export const weth = base.wrappedNative.toLowerCase()
export const dai = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb'
const dex = base.dexes.find(({ protocol }) => protocol === 'uniswap_v2')
if (!dex) throw new Error('Base has a Uniswap v2')
export const fake = (n: number) => numberToHex(0xfa0000 + n, { size: 20 })
let serial = 0
/** A pair with so many raw units of each token. */
export function pair(
  tokens: readonly [string, string],
  reserves: readonly [bigint, bigint],
): PoolRecord {
  serial += 1
  const id = numberToHex(serial, { size: 20 })
  const [reserve0, reserve1] = reserves
  return {
    id,
    address: getAddress(id),
    dex: dex?.name ?? '',
    protocol: 'uniswap_v2',
    tokens,
    feePips: 3_000,
    changedBlock: 1n,
    isFresh: [false, false],
    swapsSeen: 0,
    reserve0,
    reserve1,
  }
}
export const e18 = 10n ** 18n
export const usd = (amount: number) => BigInt(Math.round(amount * 1e6))
/** Whole tokens of 18 decimals against dollars. */
export const against = (token: string, dollars: number, whole = 1_000) =>
  pair([token, usdc], [BigInt(whole) * e18, usd(dollars)])
/** So many dollars and a thousand of each other token, of which each costs a dollar. */
export function basket(tokens: readonly string[], dollars: number): PoolRecord {
  const held = tokens.map((_, i) => (i === 0 ? usd(dollars) : 1_000n * e18))
  const amounts = new Array<bigint>(tokens.length ** 2 * gridSize).fill(0n)
  const outputs = [...amounts]
  for (const i of tokens.keys())
    for (const j of tokens.keys()) {
      const start = samplesAt({ tokens }, i, j)
      amounts.fill(held[i] ?? 0n, start, start + gridSize)
      outputs.fill(held[j] ?? 0n, start, start + gridSize)
    }
  return {
    ...pair([usdc, usdc], [0n, 0n]),
    protocol: 'curve_crypto',
    tokens,
    held,
    amounts,
    outputs,
  } as unknown as PoolRecord
}
export const honest = pair([weth, usdc], [1_000n * e18, usd(3_000_000)])

/** A market of Base with bounds, on a clock of its own. */
export function boundMarket(limits: Partial<PoolLimits> = {}) {
  const clock = { ms: 0 }
  const bounds = createPoolBounds({
    assets: base,
    limits: { floorUsd: 100, mostPools: 1_000, mostTokens: 1_000, ...limits },
    dexes: () => [dex as NonNullable<typeof dex>],
    now: () => clock.ms,
  })
  let pools = new Map<string, PoolRecord>()
  const put = (records: Iterable<PoolRecord>) => {
    for (const record of records) pools.set(record.id, record)
  }
  function come(...news: PoolRecord[]): number {
    const { taken, gone } = bounds.admit({ pools, news })
    for (const id of gone) pools.delete(id)
    put(taken)
    return taken.length
  }
  return {
    bounds,
    clock,
    begin(records: readonly PoolRecord[]) {
      pools = new Map()
      put(bounds.begin(records))
    },
    come,
    change: (record: PoolRecord) => put([record]),
    has: ({ id }: PoolRecord) => pools.has(id),
    size: () => pools.size,
    review() {
      clock.ms += 60_000
      for (const id of bounds.review(pools) ?? []) pools.delete(id)
    },
    /** What the loop does with pools on the shelf: they are read as they are now. */
    look(...asTheyAre: PoolRecord[]) {
      clock.ms += 5_000
      const due = bounds.due()
      const read = asTheyAre.filter(({ id }) =>
        due.some(({ address }) => address === getAddress(id)),
      )
      const ids = bounds.sift({ pools, asked: due, read })
      return come(...read.filter(({ id }) => ids.includes(id)))
    },
  }
}
