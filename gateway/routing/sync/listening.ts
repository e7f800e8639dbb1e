import type { Hex } from 'viem'
import { type Dex, factoriesOf } from '../../chain/dex.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
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
    filter: makeFilter(dexes, {
      known: [...pools, ...shelved, ...expected.slice(0, mostExpected)],
      pools,
    }),
    pools,
    mayConcern: (bloom) =>
      listNamed(bloom, pools).length > 0 || shelved.some((pool) => mayBeOf(bloom, pool)),
    mayBringNew: (bloom) =>
      dexes.some((dex) => maySpeak(bloom, dex)) || expected.some((pool) => mayBeOf(bloom, pool)),
  }
}

function makeFilter(
  dexes: readonly Dex[],
  {
    known,
    pools,
  }: {
    readonly known: readonly { readonly address: PoolRef['address'] }[]
    readonly pools: readonly PoolRecord[]
  },
): LogFilter {
  const emitters = () => {
    const others = dexes.flatMap((dex) => [...factoriesOf(dex), ...emittersOf(dex)])
    return [...new Set([...known.map(({ address }) => address), ...others])]
  }
  return {
    topics: followedTopics(dexes),
    addresses: known.length > mostAddresses ? undefined : emitters(),
    crowd: { emitters, namesOf: (emitter) => pools.flatMap((pool) => nameBy(emitter, pool)) },
  }
}

function nameBy(emitter: Hex, record: PoolRecord): readonly Hex[] {
  const named = familyOf(record).nameInLogs?.(record)
  return named?.by.some((one) => isSameAddress(one, emitter)) ? [named.name] : []
}

/** Pools whose own events, or those that name them, are among what was not told. */
export function listUntold(
  untold: readonly Hex[],
  pools: readonly PoolRecord[],
): readonly PoolRecord[] {
  if (untold.length === 0) return []
  return pools.filter((record) => {
    const own = [record.address, familyOf(record).nameInLogs?.(record).name]
    return own.some((name) => name !== undefined && untold.includes(name))
  })
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
