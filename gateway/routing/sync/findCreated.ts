import { pad } from 'viem'
import { type Dex, factoriesOf } from '../../chain/dex.ts'
import { familyOf, isCreation } from '../protocols/families.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { idOf, type PoolRef, type ReadDeps } from '../reads/poolRef.ts'
import type { PoolBounds } from './bounds/poolBounds.ts'
import type { SyncedState } from './syncedState.ts'
import type { TokenBook } from './tokenBook.ts'

type Deps = ReadDeps & {
  readonly dexes: readonly Dex[]
  /** A pool that was just created is worth following when its tokens are known. */
  readonly tokens: Pick<TokenBook, 'hasAll'>
  readonly bounds?: Pick<PoolBounds, 'isShelved'> | undefined
}

/** New pools by their factories' events. */
export async function findCreated(
  deps: Deps,
  {
    state,
    logs,
    blockNumber,
  }: {
    readonly state: SyncedState
    readonly logs: readonly PoolLog[]
    readonly blockNumber: bigint
  },
): Promise<PoolRef[]> {
  const named: PoolRef[] = []
  const unnamed = new Set<Dex>()
  const emitters = listEmitters(deps.dexes)
  for (const log of logs) {
    const dex = isCreation(log) && findEmitter(emitters, log)
    if (!dex) continue
    const created = creationOf(dex, log)?.read(log)
    if (!created) unnamed.add(dex)
    else if (deps.tokens.hasAll(created.tokens)) {
      const { tokens: _, ...pool } = created
      named.push({ dex, ...pool })
    }
  }
  // Events that do not name their pools: whatever the factory lists beyond what is known.
  const listed = await Promise.all(
    [...unnamed].map((dex) => familyOf(dex).list?.(deps, { dex, blockNumber })),
  )
  const found = [...named, ...listed.flatMap((pools) => pools ?? [])]
  return found.filter(
    (pool) => !state.pools.has(idOf(pool)) && deps.bounds?.isShelved(idOf(pool)) !== true,
  )
}

/** What of these logs it takes to find the pools later: of events that do not name theirs one is enough. */
export function listCreations(
  deps: Pick<Deps, 'dexes' | 'tokens'>,
  logs: readonly PoolLog[],
): readonly PoolLog[] {
  const unnamed = new Set<Dex>()
  const emitters = listEmitters(deps.dexes)
  return logs.filter((log) => {
    const dex = isCreation(log) && findEmitter(emitters, log)
    if (!dex) return false
    const created = creationOf(dex, log)?.read(log)
    if (created) return deps.tokens.hasAll(created.tokens)
    const isFirst = !unnamed.has(dex)
    unnamed.add(dex)
    return isFirst
  })
}

const creationOf = (dex: Dex, { topics: [topic] }: PoolLog) =>
  familyOf(dex).creations.find((creation) => creation.topic === topic)

/** Whose creations an address tells of: anybody emits as many events of that kind as he pays for. */
function listEmitters(dexes: readonly Dex[]): ReadonlyMap<string, ReadonlySet<Dex>> {
  const emitters = new Map<string, Set<Dex>>()
  for (const dex of dexes)
    for (const emitter of [...factoriesOf(dex), ...(familyOf(dex).emitters?.(dex) ?? [])]) {
      const address = emitter.toLowerCase()
      emitters.set(address, (emitters.get(address) ?? new Set()).add(dex))
    }
  return emitters
}

function findEmitter(
  emitters: ReadonlyMap<string, ReadonlySet<Dex>>,
  log: PoolLog,
): Dex | undefined {
  const { address, topics } = log
  const able = [...(emitters.get(address) ?? [])].filter((dex) => creationOf(dex, log))
  // One who speaks for several factories names the one that made the pool.
  const named = able.find(({ factory }) => topics.includes(pad(factory).toLowerCase()))
  return named ?? able[0]
}
