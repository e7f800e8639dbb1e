import { isQuoted } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { dedupePools } from '../reads/findPools.ts'
import { listRefs } from './catchUp.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { loadChain } from './loadChain.ts'
import { loadPools } from './loadPools.ts'

/**
 * What is quoted first, at the head, where nobody can go on from what was read. Pools stay where they are, but for
 * those whose creation is orphaned: none is looked for, and the others are read behind.
 */
export async function reloadChain(
  deps: SyncDeps,
  { state, unread: waiting = [] }: Pick<Following, 'state' | 'unread'>,
): Promise<Following> {
  if (deps.loadsFirst === 'all') return loadChain(deps)
  const majors = new Set([...deps.hubs, ...deps.majors].map((token) => token.toLowerCase()))
  const isFirst = (record: PoolRecord) =>
    !isQuoted(record) && record.tokens.every((token) => majors.has(token))
  const list = (isListed: (record: PoolRecord) => boolean) => {
    const records = [...state.pools.values()].filter(isListed)
    return listRefs(deps.dexes, { state, ids: records.map(({ id }) => id) })
  }
  const pools = list(isFirst)
  const loaded = await loadChain(deps, {
    readPools: (_, at) => loadPools(deps, { pools, isBrief: true, ...at }),
  })
  return { ...loaded, unread: dedupePools([...list((record) => !isFirst(record)), ...waiting]) }
}
