import type { Dex } from '../../chain/dex.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolFamily } from '../protocols/family/poolFamily.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { askInParts } from '../reads/askInParts.ts'
import { noteFailures } from '../reads/noteFailures.ts'
import type { ReadDeps, ReadFailure } from '../reads/poolRef.ts'

type Deps = ReadDeps & { readonly dexes: readonly Dex[] }
type At = { readonly pools: readonly PoolRecord[]; readonly blockNumber: bigint }

export type Refreshed = {
  /** Fields to lay over the records of these ids. */
  readonly fields: ReadonlyMap<string, Partial<PoolRecord>>
  /** Pools that can no longer be read: what they would give is not known. */
  readonly failed: ReadonlyMap<string, ReadFailure>
}

/** What moves without events, at the head. Each pool answers for itself only. */
export async function refreshPools(deps: Deps, { pools, blockNumber }: At): Promise<Refreshed> {
  const byProtocol = Map.groupBy(pools, ({ protocol }) => protocol)
  const parts = await Promise.all(
    [...byProtocol].map(([protocol, records]) => {
      const { refresh } = familyOf({ protocol })
      return refresh ? refreshFamily(deps, { refresh, records, blockNumber }) : []
    }),
  )
  const all = parts.flat()
  return {
    fields: new Map(all.flatMap(({ id, fields }) => (fields ? [[id, fields] as const] : []))),
    failed: new Map(all.flatMap(({ id, failure }) => (failure ? [[id, failure] as const] : []))),
  }
}

async function refreshFamily(
  deps: Deps,
  {
    refresh,
    records,
    blockNumber,
  }: {
    readonly refresh: NonNullable<PoolFamily<PoolRecord>['refresh']>
    readonly records: readonly PoolRecord[]
    readonly blockNumber: bigint
  },
) {
  const { note, failed } = noteFailures(new Set(records.map(({ id }) => id)))
  const answers = await askInParts(deps, {
    items: records,
    size: records.length,
    blockNumber,
    ask: async (part) => {
      const asking = { client: deps.client, noteFailure: note }
      const found = await refresh(asking, { records: part, dexes: deps.dexes, blockNumber })
      return part.map(({ id }) => ({ fields: found.get(id) }))
    },
  })
  return records.map(({ id }, index) => {
    const answer = answers[index]
    const failure = answer ? failed.get(id) : 'unreadable'
    // A view that a pool lacks is no trouble as long as the others tell what there is to tell.
    const isLacking = failure === 'reverted' && answer?.fields !== undefined
    return { id, fields: answer?.fields, failure: isLacking ? undefined : failure }
  })
}
