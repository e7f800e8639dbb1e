import type { PoolRecord } from '../../protocols/poolRecord.ts'
import {
  heldOf,
  type ReferenceAssets,
  readOffer,
  referencePrices,
  type UsdPerRaw,
} from './referencePrices.ts'

/** What a token's pools against reference assets say of it. */
type Backing = {
  readonly usdPerRaw: number
  /** In reference assets, over all its pools. */
  readonly usd: number
}

/** How depths are measured, as of some state of the market. */
export type Gauge = {
  readonly prices: UsdPerRaw
  readonly backings: ReadonlyMap<string, Backing>
  /** Pools without a reference asset that lean on a token's backing; they go on being counted. */
  readonly leaning: Map<string, number>
}

/** Before anything is known: nothing has a depth that could be told. */
export const blankGauge: Gauge = { prices: new Map(), backings: new Map(), leaning: new Map() }

/**
 * The depth of pools in USD for each token they bring, by what they hold of reference assets. What a stranger makes up has none; a
 * pool without such an asset leans on the pools that price its tokens, each on what the deeper ones
 * before it leave, so that a thousand of them are not deeper together than what backs them. Undefined
 * for all where the market has no price for the chain's own currency.
 */
export function measureDepths(
  records: readonly PoolRecord[],
  assets: ReferenceAssets,
): { readonly gauge: Gauge; readonly depths: ReadonlyMap<string, number | undefined> } {
  const prices = referencePrices(records, assets)
  const depths = new Map<string, number | undefined>()
  if (!prices.has(assets.wrappedNative.toLowerCase())) return { gauge: blankGauge, depths }
  const backings = listBackings(records, prices)
  const gauge = { prices, backings, leaning: new Map<string, number>() }
  const others: { readonly record: PoolRecord; readonly usd: number }[] = []
  for (const record of records) {
    const usd = referenceUsd(record, prices)
    if (usd !== undefined) depths.set(record.id, usd / placesOf(record, prices))
    else others.push({ record, usd: leaningOn(record, gauge).usd })
  }
  for (const { record } of others.toSorted((one, other) => other.usd - one.usd)) {
    depths.set(record.id, leaningOn(record, gauge).usd / placesOf(record, prices))
    countLeaning(record, gauge)
  }
  return { gauge, depths }
}

/** The same for a pool that comes between two measurements. */
export function depthOf(record: PoolRecord, gauge: Gauge): number | undefined {
  if (gauge.prices.size === 0) return undefined
  const usd = referenceUsd(record, gauge.prices) ?? leaningOn(record, gauge).usd
  return usd / placesOf(record, gauge.prices)
}

/**
 * Tokens that a pool may bring into a market, one at least: each costs as much as a pool of its own, or
 * one pool of many would take places of many. The token that a pool leans on is there already.
 */
function placesOf({ tokens }: PoolRecord, prices: UsdPerRaw): number {
  const others = tokens.filter((token) => !prices.has(token)).length
  return Math.max(1, others === tokens.length ? others - 1 : others)
}

/** Who comes after the pool leans on what it leaves, also between two measurements. */
export function countLeaning(record: PoolRecord, gauge: Gauge): void {
  if (record.tokens.some((token) => gauge.prices.has(token))) return
  const { usd, token } = leaningOn(record, gauge)
  if (usd > 0) gauge.leaning.set(token, (gauge.leaning.get(token) ?? 0) + 1)
}

/** Undefined where the pool holds no reference asset. */
function referenceUsd(record: PoolRecord, prices: UsdPerRaw): number | undefined {
  let sum: number | undefined
  for (const [i, token] of record.tokens.entries()) {
    const price = prices.get(token)
    if (price !== undefined) sum = (sum ?? 0) + heldOf(record, i) * price
  }
  return sum
}

function listBackings(
  records: readonly PoolRecord[],
  prices: UsdPerRaw,
): ReadonlyMap<string, Backing> {
  const backings = new Map<string, Backing & { readonly weight: number }>()
  for (const record of records) {
    const usd = referenceUsd(record, prices)
    if (!usd) continue
    const known = record.tokens.find((token) => prices.has(token)) ?? ''
    const usdPerKnown = prices.get(known) ?? 0
    const backed = record.tokens.filter((token) => !prices.has(token))
    for (const token of backed) {
      const before = backings.get(token) ?? { usdPerRaw: 0, usd: 0, weight: -1 }
      const { price: usdPerRaw, weight } = readOffer(record, { token, known, usdPerKnown })
      const isBetter = weight > before.weight && usdPerRaw > 0 && Number.isFinite(usdPerRaw)
      const news = isBetter ? { usdPerRaw, weight } : {}
      // A pool of many tokens backs no more than it holds.
      backings.set(token, { ...before, ...news, usd: before.usd + usd / backed.length })
    }
  }
  return backings
}

/** The token that a pool without a reference asset is deepest in, and how deep. */
function leaningOn(
  record: PoolRecord,
  { backings, leaning }: Gauge,
): { readonly usd: number; readonly token: string } {
  let best = { usd: 0, token: '' }
  for (const [i, token] of record.tokens.entries()) {
    const backing = backings.get(token)
    if (!backing) continue
    const share = backing.usd / ((leaning.get(token) ?? 0) + 1)
    const usd = Math.min(heldOf(record, i) * backing.usdPerRaw, share)
    if (usd > best.usd) best = { usd, token }
  }
  return best
}
