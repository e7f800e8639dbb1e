import { familyOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { askInParts } from '../reads/askInParts.ts'
import { noteFailures } from '../reads/noteFailures.ts'
import {
  idOf,
  type LoadParameters,
  type PoolRef,
  type ReadDeps,
  type ReadFailure,
} from '../reads/poolRef.ts'
import { holdsPart } from './holdsPart.ts'
import type { TroubledPools } from './troubledPools.ts'

type Deps = ReadDeps & {
  readonly troubled?: TroubledPools | undefined
  readonly isSmall?: (() => boolean) | undefined
}

/** Said of a pool that is left out, by what its reads met. */
export const failureReasons: Readonly<Record<ReadFailure, string>> = {
  reverted: 'it does not answer as a pool of its kind',
  unopened: 'it is not open',
  burnt: 'its views burn all the gas they are given',
  unreadable: 'no call that asks it comes to an end',
  endless: 'it has more initialised ticks than are read',
}

type Loading = LoadParameters & {
  /** What is known of them at that block: it stays where it holds as far as it could be read. */
  readonly followed?: Pick<ReadonlyMap<string, PoolRecord>, 'get'> | undefined
}

const isPart = (record: PoolRecord | undefined): record is PoolRecord & { readonly isPart: true } =>
  record !== undefined && 'isPart' in record && record.isPart === true

/**
 * Reads the whole state of pools at a block. What does not answer as a pool is left out, and whatever one
 * of them does concerns that one only; what was left out a short while ago is not asked.
 */
export async function loadPools(
  deps: Deps,
  { pools, ...parameters }: Loading,
): Promise<PoolRecord[]> {
  const few = deps.isSmall?.() === true && { isBrief: true, isThrifty: true }
  const asked = pools.filter((pool) => !deps.troubled?.isResting(idOf(pool)))
  const groups = [...Map.groupBy(asked, ({ dex }) => dex.protocol).values()]
  const loaded = await Promise.all(
    groups.map((group) => loadGroup(deps, { pools: group, ...parameters, ...few })),
  )
  return loaded.flat()
}

/** Pools of one family. */
async function loadGroup(deps: Deps, { pools, followed, ...how }: Loading): Promise<PoolRecord[]> {
  const { note, failed } = noteFailures(new Set(pools.map(idOf)))
  const declined = new Set<string>()
  const decline = (pool: Parameters<typeof idOf>[0]) => void declined.add(idOf(pool))
  const load = async (part: readonly PoolRef[]) => {
    const [first] = part
    if (!first) return []
    const family = familyOf(first.dex)
    const telling = { ...deps, noteFailure: note, decline }
    const records = await family.load(telling, { pools: part, ...how })
    const byId = new Map(records.map((record) => [record.id, record]))
    return part.map((pool) => ({ record: byId.get(idOf(pool)) }))
  }
  const size = Math.max(1, pools.length)
  const { blockNumber } = how
  const answers = await askInParts(deps, { items: pools, size, blockNumber, ask: load })
  return pools.flatMap((pool, index) => {
    const id = idOf(pool)
    const record = answers[index]?.record
    const known = followed?.get(id)
    if (known && isPart(record) && holdsPart(known, record)) return [known]
    if (record && !isPart(record)) {
      deps.troubled?.takeIn(id)
      return [record]
    }
    const met = answers[index] ? (failed.get(id) ?? 'reverted') : 'unreadable'
    // Pools lack a view here and there: it says nothing of one that is known for what it is.
    if (met === 'unopened') {
      deps.troubled?.expect(pool)
      return []
    }
    const failure = met === 'reverted' && declined.has(id) ? undefined : met
    deps.troubled?.leaveOut(pool, failure && failureReasons[failure])
    return []
  })
}
