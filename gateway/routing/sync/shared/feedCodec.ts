import type { FeedEntry } from '../../../store/feeds.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import type { BlockHead } from '../../reads/readHead.ts'
import type { TokenInfo } from '../../reads/readTokens.ts'
import type { DexCoverage } from '../coverage.ts'
import { decodePool, encodePool, fromText, toText } from '../poolCodec.ts'
import type { LeftOutPool } from '../troubledPools.ts'
import type { LeftOut } from '../verifyDexes.ts'
import { type CoverageRows, fromCoverageRows, toCoverageRows } from './coverageCodec.ts'

/**
 * A chain's pools as the elected gateway writes them and the others read them. Symbols are anybody's text,
 * so tokens are plain JSON, apart from pools, whose texts mark bigints.
 */
export type FeedChange = {
  readonly pools: readonly PoolChange[]
  readonly tokens: readonly TokenInfo[]
  /** What is not followed any more. */
  readonly gone: Gone
}

/** Ids of pools, and tokens (lower case). */
export type Gone = { readonly pools: readonly string[]; readonly tokens: readonly string[] }

/** A pool that came or was read again is `whole`; one that an event changed has the fields that differ. */
export type PoolChange = {
  readonly id: string
  readonly isWhole: boolean
  readonly fields: Readonly<Record<string, unknown>>
}

export type FeedHead = {
  readonly head: BlockHead
  readonly leftOut: readonly LeftOut[]
  readonly leftOutPools: readonly LeftOutPool[]
  /** Where the scan of creations is, which the pools are of; undefined where none has begun. */
  readonly scanned?: string | undefined
  /** Undefined where its writer told none. */
  readonly coverage?: readonly DexCoverage[] | undefined
}

/** A head is written with every block: of the pools that are left out it names so many. */
const mostNamed = 20

export function encodeHead({ head, leftOut, leftOutPools, scanned, coverage }: FeedHead): string {
  const { number, timestampSecs, ...hashes } = head
  const numbers = { number: number.toString(), timestampSecs: timestampSecs.toString() }
  const named = leftOutPools.slice(0, mostNamed)
  return JSON.stringify({
    head: { ...hashes, ...numbers },
    leftOut,
    leftOutPools: named,
    scanned,
    coverage: coverage && toCoverageRows(coverage),
  })
}

export function decodeHead(text: string): FeedHead {
  const {
    head,
    leftOut,
    leftOutPools = [],
    scanned,
    coverage,
  } = JSON.parse(text) as {
    head: Omit<BlockHead, 'number' | 'timestampSecs'> & { number: string; timestampSecs: string }
    leftOut: readonly LeftOut[]
    leftOutPools?: readonly LeftOutPool[]
    scanned?: string
    coverage?: CoverageRows
  }
  const numbers = { number: BigInt(head.number), timestampSecs: BigInt(head.timestampSecs) }
  return {
    head: { ...head, ...numbers },
    leftOut,
    leftOutPools,
    ...(scanned && { scanned }),
    ...(coverage && { coverage: fromCoverageRows(coverage, leftOut) }),
  }
}

/** What makes `after` of `before`: records are never changed in place, so their fields tell by identity. */
export function toPoolChange(before: PoolRecord | undefined, after: PoolRecord): PoolChange {
  const { id } = after
  const old: Readonly<Record<string, unknown>> = before ?? {}
  const now: Readonly<Record<string, unknown>> = after
  // Text has no word for a field that went.
  const isGone = (name: string) => old[name] !== undefined && now[name] === undefined
  const isWhole = !before || Object.keys(old).some(isGone)
  const fields = Object.entries(now).filter(([name, value]) => isWhole || old[name] !== value)
  return { id, isWhole, fields: Object.fromEntries(fields) }
}

/** The record after a change; undefined where the change is of a pool that is not followed here. */
export function applyPoolChange(
  before: PoolRecord | undefined,
  { isWhole, fields }: PoolChange,
): PoolRecord | undefined {
  // What the writer encoded is a record, or the part of one that the same writer encoded before.
  if (isWhole) return fields as unknown as PoolRecord
  return before && ({ ...before, ...fields } as PoolRecord)
}

export function encodeChange({ pools, tokens, gone }: FeedChange): string {
  return [toText(pools), JSON.stringify(tokens), JSON.stringify(gone)].join('\n')
}

export function decodeChange(text: string): FeedChange {
  const [pools = '[]', tokens = '[]', gone = '{"pools":[],"tokens":[]}'] = text.split('\n')
  return {
    pools: fromText(pools) as readonly PoolChange[],
    tokens: JSON.parse(tokens) as readonly TokenInfo[],
    gone: JSON.parse(gone) as Gone,
  }
}

const [poolPrefix, tokenPrefix] = ['pool ', 'token ']

export const toPoolName = (id: string) => `${poolPrefix}${id}`
export const toTokenName = (token: string) => `${tokenPrefix}${token.toLowerCase()}`

export const toPoolEntry = (record: PoolRecord): FeedEntry => ({
  name: toPoolName(record.id),
  body: encodePool(record),
})

export const toTokenEntry = (token: TokenInfo): FeedEntry => ({
  name: toTokenName(token.address),
  body: JSON.stringify(token),
})

/** Undefined for an entry that is no pool, or one of another version. */
export function fromPoolEntry({ name, body }: FeedEntry): PoolRecord | undefined {
  return name.startsWith(poolPrefix) ? decodePool(body) : undefined
}

export function fromTokenEntry({ name, body }: FeedEntry): TokenInfo | undefined {
  return name.startsWith(tokenPrefix) ? (JSON.parse(body) as TokenInfo) : undefined
}
