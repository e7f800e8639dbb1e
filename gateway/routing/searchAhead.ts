import { setImmediate as turn } from 'node:timers/promises'
import type { HotQuestions } from './hotQuestions.ts'
import { planAhead } from './planRoute.ts'
import type { QuoteDeps } from './quoteRequest.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** Between two looks for another block; nobody waits for it. */
const lookEachMs = 25
/** Of the time; and so much at once, after a while of rest. */
const mostPart = 0.5
const mostAtOnceMs = 250

/**
 * Searches hot questions right after a block, the hottest first, while nobody's search runs or waits and
 * for half of the time at most.
 */
export function createSearchAhead(
  deps: Pick<QuoteDeps, 'now'>,
  { chains }: { readonly chains: Iterable<RoutingChain> },
) {
  const budget = createBudget(deps)
  const ahead = [...chains].flatMap((chain) =>
    chain.hot ? createChainAhead(deps, { chain, hot: chain.hot, budget }) : [],
  )
  const look = () => {
    for (const each of ahead) each.look()
  }
  const looking = setInterval(look, lookEachMs).unref()
  return {
    look,
    close() {
      clearInterval(looking)
      for (const each of ahead) each.close()
    },
  }
}

type Budget = ReturnType<typeof createBudget>

function createBudget({ now }: Pick<QuoteDeps, 'now'>) {
  let spentMs = 0
  let countedMs = now()
  return {
    isLeft(): boolean {
      spentMs = Math.max(0, spentMs - (now() - countedMs) * mostPart)
      countedMs = now()
      return spentMs < mostAtOnceMs
    },
    spend(ms: number): void {
      spentMs += ms
    },
  }
}

function createChainAhead(
  deps: Pick<QuoteDeps, 'now'>,
  {
    chain,
    hot,
    budget,
  }: { readonly chain: RoutingChain; readonly hot: HotQuestions; readonly budget: Budget },
) {
  const { sync, searches } = chain
  let last: SyncedState['pools'] | undefined
  let isRunning = false
  let isClosed = false

  const isOver = (state: SyncedState) => isClosed || sync.current()?.pools !== state.pools

  async function searchAll(state: SyncedState): Promise<void> {
    for (const question of hot.take()) {
      await searches.whenIdle?.()
      // Whoever has something to send or to ask comes first.
      await turn()
      if (isOver(state) || !budget.isLeft()) return
      const startedMs = deps.now()
      // What cannot be searched is told to those who ask for it.
      await planAhead(deps, { chain, state, question }).catch(() => undefined)
      budget.spend(deps.now() - startedMs)
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    for (let state = sync.current(); state && !isClosed && state.pools !== last; ) {
      last = state.pools
      hot.nextBlock()
      await searchAll(state)
      state = sync.current()
    }
    isRunning = false
  }

  return {
    look(): void {
      if (!isRunning && sync.current()?.pools !== last) void run()
    },
    close(): void {
      isClosed = true
    },
  }
}
