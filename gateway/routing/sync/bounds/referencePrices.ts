import type { Address } from 'viem'
import { familyOf } from '../../protocols/families.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'

/** What depth is measured in: tokens that anybody takes, by address; a symbol is anybody's text. */
export type ReferenceAssets = {
  /** A dollar. */
  readonly usdc: { readonly address: Address; readonly decimals: number }
  readonly wrappedNative: Address
  /** Tokens that most liquidity is paired with. */
  readonly hubTokens: readonly Address[]
}

/** USD of a raw unit, by lower-case token. */
export type UsdPerRaw = ReadonlyMap<string, number>

/** USD that a raw unit costs, and what whoever names a false price has to lose there. */
type Offer = { readonly price: number; readonly weight: number }

/** From the dollar to what is paired with it, and on to what is paired with that. */
const rounds = 2

/** By more than this a pool's price may be off, and nobody gains by trading it back. */
const mostFeePips = 30_000

/** Quoters name prices after a fee that nobody else tells: what is left of who goes there and back shows it. */
const leastBack = (1 - mostFeePips / 1e6) ** 2

/** Whether who names a false price loses by it: by a fee, or by code of its maker's, it could keep all others out. */
const isTradedBack = ({ feePips, parts = [] }: PoolRecord) =>
  feePips <= mostFeePips && parts.length === 0

/** A pool's price of a token by what is paired with it, weighted by what stands at it on the lesser side. */
export function readOffer(
  record: PoolRecord,
  {
    token,
    known,
    usdPerKnown,
  }: { readonly token: string; readonly known: string; readonly usdPerKnown: number },
): Offer {
  const paid = priceIn(record, token, known)
  const price = paid * usdPerKnown
  const isReturned = paid * priceIn(record, known, token) >= leastBack
  if (!isReturned || !isTradedBack(record)) return { price, weight: 0 }
  const sides = [standingAt(record, known) * usdPerKnown, standingAt(record, token) * price]
  return { price, weight: Math.min(...sides) }
}

/**
 * Prices of the reference assets among themselves. Each is the median over all pools, weighted by what
 * stands at the price on either side, since what stands on one alone is for nobody to trade back: who wants to move
 * it loses more money there than all others have together.
 */
export function referencePrices(
  records: Iterable<PoolRecord>,
  { usdc, wrappedNative, hubTokens }: ReferenceAssets,
): UsdPerRaw {
  const assets = new Set([usdc.address, wrappedNative, ...hubTokens].map((a) => a.toLowerCase()))
  const between = [...records].filter(
    ({ tokens }) => tokens.filter((token) => assets.has(token)).length > 1,
  )
  const prices = new Map([[usdc.address.toLowerCase(), 1 / 10 ** usdc.decimals]])
  for (let round = 0; round < rounds; round += 1) {
    const offers = listOffers(between, { prices, assets })
    for (const [token, found] of offers) prices.set(token, weightedMedian(found))
  }
  return prices
}

/** What pools with a known price say of the assets that have none yet. */
function listOffers(
  records: readonly PoolRecord[],
  { prices, assets }: { readonly prices: UsdPerRaw; readonly assets: ReadonlySet<string> },
): ReadonlyMap<string, readonly Offer[]> {
  const offers = new Map<string, Offer[]>()
  for (const record of records)
    for (const [token, known] of listDirections(record.tokens)) {
      const usdPerKnown = prices.get(known)
      if (usdPerKnown === undefined || prices.has(token) || !assets.has(token)) continue
      const { price, weight } = readOffer(record, { token, known, usdPerKnown })
      if (!(price > 0 && Number.isFinite(price) && weight > 0)) continue
      offers.set(token, [...(offers.get(token) ?? []), { price, weight }])
    }
  return offers
}

function listDirections(tokens: readonly string[]): readonly (readonly [string, string])[] {
  return tokens.flatMap((one) =>
    tokens.filter((other) => other !== one).map((o) => [one, o] as const),
  )
}

/** Raw units of `other` for one of `token`; not a number where the pool is made of impossible ones. */
export function priceIn(record: PoolRecord, token: string, other: string): number {
  const [i, j] = [record.tokens.indexOf(token), record.tokens.indexOf(other)]
  try {
    return familyOf(record).midPrice(record, i, j)
  } catch {
    return Number.NaN
  }
}

/** What a pool holds of a token, as far as it stands at the price: what lies far away prices nothing. */
export function standingAt(record: PoolRecord, token: string): number {
  const i = record.tokens.indexOf(token)
  const held = heldOf(record, i)
  return Math.min(held, familyOf(record).depth(record, i) ?? held)
}

export function heldOf(record: PoolRecord, i: number): number {
  try {
    const held = familyOf(record).held(record, i)
    return held > 0 && Number.isFinite(held) ? held : 0
  } catch {
    return 0
  }
}

function weightedMedian(offers: readonly Offer[]): number {
  const sorted = offers.toSorted((one, other) => one.price - other.price)
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2
  let sum = 0
  const middle = sorted.find(({ weight }) => {
    sum += weight
    return sum >= half
  })
  return middle?.price ?? 0
}
