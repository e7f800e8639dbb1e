import type { ListHolders } from '../../simulator/findWhales.ts'
import type { Routing } from '../routing/service/routing.ts'

export type Holders = ReturnType<typeof createHolders>

/** Who holds a token is known by the pools, which are followed through the simulator that asks. */
export function createHolders() {
  let pools: Pick<Routing, 'holdersOf'> | undefined
  const { promise: known, resolve } = Promise.withResolvers<void>()
  const list: ListHolders = async ({ chainId, token }) => pools?.holdersOf(chainId, token) ?? []
  return {
    list,
    /** Resolves when there are pools that know of them. */
    known,
    knownBy(routing: Pick<Routing, 'holdersOf'>) {
      pools = routing
      resolve()
    },
  }
}
