import type { FeedEntry } from '../../store/feeds.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { decodePool, encodePool, fromText, toText } from './poolCodec.ts'
import type { BlockHead } from './readHead.ts'
import type { TokenInfo } from './readTokens.ts'
import type { LeftOut } from './verifyDexes.ts'

/**
 * A chain's pools as the elected gateway writes them and the others read them. Symbols are anybody's text,
 * so tokens are plain JSON, apart from pools, whose texts mark bigints.
 */
export type FeedChange = {
  readonly pools: readonly PoolChange[]
  readonly tokens: readonly TokenInfo[]
}

/** A pool that came or was read again is `whole`; one that an event changed has the fields that differ. */
export type PoolChange = {
  readonly id: string
  readonly isWhole: boolean
  readonly fields: Readonly<Record<string, unknown>>
}

export type FeedHead = { readonly head: BlockHead; readonly leftOut: readonly LeftOut[] }

export function encodeHead({ head, leftOut }: FeedHead): string {
  const { number, timestampSecs, ...hashes } = head
  const numbers = { number: number.toString(), timestampSecs: timestampSecs.toString() }
  return JSON.stringify({ head: { ...hashes, ...numbers }, leftOut })
}

export function decodeHead(text: string): FeedHead {
  const { head, leftOut } = JSON.parse(text) as {
    head: Omit<BlockHead, 'number' | 'timestampSecs'> & { number: string; timestampSecs: string }
    leftOut: readonly LeftOut[]
  }
  const numbers = { number: BigInt(head.number), timestampSecs: BigInt(head.timestampSecs) }
  return { head: { ...head, ...numbers }, leftOut }
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

export function encodeChange({ pools, tokens }: FeedChange): string {
  return `${toText(pools)}\n${JSON.stringify(tokens)}`
}

export function decodeChange(text: string): FeedChange {
  const [pools = '[]', tokens = '[]'] = text.split('\n')
  return {
    pools: fromText(pools) as readonly PoolChange[],
    tokens: JSON.parse(tokens) as readonly TokenInfo[],
  }
}

const [poolPrefix, tokenPrefix] = ['pool ', 'token ']

export const toPoolEntry = (record: PoolRecord): FeedEntry => ({
  name: `${poolPrefix}${record.id}`,
  body: encodePool(record),
})

export const toTokenEntry = (token: TokenInfo): FeedEntry => ({
  name: `${tokenPrefix}${token.address.toLowerCase()}`,
  body: JSON.stringify(token),
})

/** Undefined for an entry that is no pool, or one of another version. */
export function fromPoolEntry({ name, body }: FeedEntry): PoolRecord | undefined {
  return name.startsWith(poolPrefix) ? decodePool(body) : undefined
}

export function fromTokenEntry({ name, body }: FeedEntry): TokenInfo | undefined {
  return name.startsWith(tokenPrefix) ? (JSON.parse(body) as TokenInfo) : undefined
}
