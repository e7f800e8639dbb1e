import { type Dex, factoriesOf } from '../../chain/dex.ts'
import { familyOf, followedTopics } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { Bloom } from '../reads/bloom.ts'
import type { PoolRef } from '../reads/poolRef.ts'
import type { LogFilter } from '../reads/readHead.ts'
import type { PoolBounds } from './bounds/poolBounds.ts'
import { listNamed } from './findSilent.ts'
import type { SyncedState } from './syncedState.ts'
import type { TroubledPools } from './troubledPools.ts'

type Deps = {
  readonly dexes: readonly Dex[]
  readonly troubled?: TroubledPools | undefined
  readonly bounds?: PoolBounds | undefined
}

/** Which events count. */
export type Listening = {
  readonly filter: LogFilter
  readonly pools: readonly PoolRecord[]
  /** Whether a block with this bloom may have any of pools that are known. */
  mayConcern(bloom: Bloom): boolean
  /** Whether it may make or open a pool. */
  mayBringNew(bloom: Bloom): boolean
}

/** Above this many pools the log filter has topics only: nodes limit lists of addresses. */
const mostAddresses = 500
/** Pools that are not open yet, in such a list. */
const mostExpected = 100

const emittersOf = (dex: Dex) => familyOf(dex).emitters?.(dex) ?? []

export function listenFor(
  { dexes, bounds, troubled }: Deps,
  { pools: followed }: Pick<SyncedState, 'pools'>,
): Listening {
  const pools = [...followed.values()]
  const expected = troubled?.expected() ?? []
  const shelved = bounds?.shelved() ?? []
  return {
    filter: makeFilter(dexes, [...pools, ...shelved, ...expected.slice(0, mostExpected)]),
    pools,
    mayConcern: (bloom) =>
      listNamed(bloom, pools).length > 0 || shelved.some((pool) => mayBeOf(bloom, pool)),
    mayBringNew: (bloom) =>
      dexes.some((dex) => maySpeak(bloom, dex)) || expected.some((pool) => mayBeOf(bloom, pool)),
  }
}

function makeFilter(
  dexes: readonly Dex[],
  known: readonly { readonly address: PoolRef['address'] }[],
): LogFilter {
  const topics = followedTopics(dexes)
  if (known.length > mostAddresses) return { topics, addresses: undefined }
  const pools = known.map(({ address }) => address)
  const others = dexes.flatMap((dex) => [...factoriesOf(dex), ...emittersOf(dex)])
  return { topics, addresses: [...new Set([...pools, ...others])] }
}

/** Of a new pool, or of any where nothing in an event of theirs names one as others do. */
function maySpeak(bloom: Bloom, dex: Dex): boolean {
  const { creations, topics, nameInLogs } = familyOf(dex)
  const emitters = emittersOf(dex)
  const isMade =
    creations.some(({ topic }) => bloom.has(topic)) &&
    [...factoriesOf(dex), ...emitters].some(bloom.has)
  return isMade || (!nameInLogs && emitters.some(bloom.has) && topics.some(bloom.has))
}

const mayBeOf = (bloom: Bloom, { id, address, dex }: PoolRef) =>
  bloom.has(id ?? address) || (id === undefined && emittersOf(dex).some(bloom.has))
