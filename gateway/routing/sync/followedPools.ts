import { at, each, listOthers } from '../engine/pieces.ts'
import { reseat, type Seated, seat } from '../engine/reseat.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

/** Pools by their ids. Never changed: see `changePools`. */
export type FollowedPools = ReadonlyMap<string, PoolRecord> & {
  readonly seated: Seated<PoolRecord>
}

/** Of two with one id the later counts. */
export function followPools(records: Iterable<PoolRecord>): FollowedPools {
  const byId = new Map<string, PoolRecord>()
  for (const record of records) byId.set(record.id, record)
  return show(seat([...byId.values()]))
}

/**
 * The pools with others in their places, new ones and without some. The old ones stay as they were, and what
 * did not change is copied side by side.
 */
export function changePools(
  { seated }: FollowedPools,
  { changed, gone }: { readonly changed: readonly PoolRecord[]; readonly gone: readonly string[] },
): FollowedPools {
  const came = new Map<string, PoolRecord>()
  const known: PoolRecord[] = []
  for (const record of changed) {
    if (seated.seats.has(record.id)) known.push(record)
    else came.set(record.id, record)
  }
  const { members, seats } = reseat(seated, { came: [...came.values()], gone })
  for (const record of known) members.set(seats.get(record.id) as number, record)
  return show({ members: members.done(), seats })
}

/** Those that are others than before, or were not there. */
export function listNews(now: FollowedPools, before: FollowedPools): readonly PoolRecord[] {
  const { members } = now.seated
  // Records are never changed in place: another object is another state.
  return listOthers(members, before.seated.members).flatMap((index) => {
    const record = at(members, index)
    return record && before.get(record.id) !== record ? [record] : []
  })
}

/** Ids of those that are there no more. */
export function listGone(now: FollowedPools, before: FollowedPools): readonly string[] {
  if (now.seated.seats === before.seated.seats) return []
  const { members } = before.seated
  return listOthers(members, now.seated.members).flatMap((index) => {
    const { id = '' } = at(members, index) ?? {}
    return now.has(id) ? [] : [id]
  })
}

export const noPools = followPools([])

function show(seated: Seated<PoolRecord>): FollowedPools {
  const { members, seats } = seated
  function* keys() {
    for (const { id } of each(members)) yield id
    return undefined
  }
  function* entries() {
    for (const record of each(members)) yield [record.id, record] satisfies [string, PoolRecord]
    return undefined
  }
  const pools: FollowedPools = {
    seated,
    size: members.length,
    get: (id) => at(members, seats.get(id) ?? -1),
    has: seats.has,
    keys,
    values: () => each(members),
    entries,
    [Symbol.iterator]: entries,
    forEach(visit) {
      for (const record of each(members)) visit(record, record.id, pools)
    },
  }
  return pools
}
