import { Gauge, type Registry } from 'prom-client'
import type { Routing } from '../routing/service/routing.ts'

/** Shows who reads each chain, how far, and how long ago, whenever the metrics are asked for. */
export function showSync(
  { registry }: { readonly registry: Registry },
  { status }: Pick<Routing, 'status'>,
): void {
  type Status = ReturnType<typeof status>[number]
  const show = (name: string, help: string, read: (chain: Status) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['chain'] as const,
      registers: [registry],
      collect() {
        for (const each of status()) {
          const value = read(each)
          if (value !== undefined) this.set({ chain: String(each.chain.chainId) }, value)
        }
      },
    })
  show(
    'forkyard_sync_leads',
    'Whether this gateway reads the chain itself; 0: it follows the elected one',
    ({ chain }) => Number(chain.sync.role() !== 'follower'),
  )
  show('forkyard_sync_block', 'The block that quotes are made at', ({ state }) =>
    state ? Number(state.head.number) : undefined,
  )
  show(
    'forkyard_pools_left_out',
    'Pools that are not quoted since reading them failed; GET /health names the latest',
    ({ chain }) => chain.sync.leftOutPools().length,
  )
  nameLeftOut(registry, status)
  new Gauge({
    name: 'forkyard_searches_waiting',
    help: 'Searches of all chains that wait for their turn',
    registers: [registry],
    collect() {
      // Chains share one queue.
      this.set(status()[0]?.chain.searches.waiting?.() ?? 0)
    },
  })
  show('forkyard_pools', 'Pools that are followed', ({ state }) => state?.pools.size)
  show('forkyard_tokens', 'Tokens that are known', ({ chain }) => chain.sync.tokens().size)
  show(
    'forkyard_pools_shelved',
    'Pools below the floor or beyond the bound, which are known and not followed',
    ({ chain }) => chain.sync.bounds()?.shelved,
  )
  show(
    'forkyard_pools_evicted',
    'Pools that were followed and made room since this gateway began to read the chain',
    ({ chain }) => chain.sync.bounds()?.evicted,
  )
  show(
    'forkyard_pools_audited',
    'Pools that were read anew since this gateway began to read the chain, each time counted',
    ({ chain }) => chain.sync.audit()?.audited,
  )
  show(
    'forkyard_pools_healed',
    'Of those, pools that were not what the chain has, and have been put right',
    ({ chain }) => chain.sync.audit()?.healed,
  )
  show(
    'forkyard_searched_ahead',
    'Hot questions searched after a block before anybody asked them of it, since the start',
    ({ chain }) => chain.routes.aheadTally().searched,
  )
  show(
    'forkyard_searched_ahead_seconds',
    'How long the event loop worked for those searches, which give way to everybody who asks, since the start',
    ({ chain }) => chain.routes.aheadTally().secs,
  )
  show(
    'forkyard_searched_ahead_asked',
    'Of those, questions that somebody asked before the next change of a pool',
    ({ chain }) => chain.routes.aheadTally().asked,
  )
  show(
    'forkyard_search_threads_lost',
    'Searches whose thread ended or did not begin, and which were made in the loop, since the start',
    ({ chain }) => chain.threads?.lost(String(chain.chainId)),
  )
  show(
    'forkyard_sync_lag_seconds',
    "Since that block was last known to be the chain's head; infinite before the chain was first read",
    ({ lagMs }) => lagMs / 1000,
  )
  show(
    'forkyard_head_age_seconds',
    'How old that block is, by its clock and ours',
    ({ headAge }) => headAge && headAge.ageMs / 1000,
  )
  nameStandsStill(registry, status)
}

function nameStandsStill(registry: Registry, status: Routing['status']): void {
  new Gauge({
    name: 'forkyard_stands_still',
    help: 'Of each chain whose head is over a minute old, what stands still; with one RPC URL nobody can tell a node from the chain',
    labelNames: ['chain', 'what'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const { chain, headAge } of status())
        if (headAge?.standsStill)
          this.set({ chain: String(chain.chainId), what: headAge.standsStill }, 1)
    },
  })
}

/** Anybody makes pools that fail: only so many of a chain have a series of their own. */
const mostNamed = 10

function nameLeftOut(registry: Registry, status: Routing['status']): void {
  new Gauge({
    name: 'forkyard_pool_left_out',
    help: `The latest ${mostNamed} of them on each chain, and why; GET /health names more`,
    labelNames: ['chain', 'dex', 'pool', 'reason'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const { chain } of status())
        for (const { dex, pool, reason } of chain.sync.leftOutPools().slice(0, mostNamed))
          this.set({ chain: String(chain.chainId), dex, pool, reason }, 1)
    },
  })
}
