import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Hex } from 'viem'
import { seedTokens } from '../../chain/chains.ts'
import { followedTopics } from '../../routing/protocols/families.ts'
import { readBlockLogs } from '../../routing/reads/readHead.ts'
import { applyLogs } from '../../routing/sync/applyLogs.ts'
import { type ChainSync, createChainSync } from '../../routing/sync/chainSync.ts'
import { advanceState, type SyncedState } from '../../routing/sync/syncedState.ts'
import type { SwapStand } from '../../routing/testing/swapStand.ts'
import { mineSwaps } from './eventBlock.ts'
import { type Row, spread } from './figures.ts'
import { startQuoting } from './quoting.ts'
import { recordRequests, timeBareAnswers } from './recordRequests.ts'

const eventsPerBlock = 500
const noTax = () => 0

/** Blocks of 500 swaps, each in another pool, while quotes go on. */
export async function measureBlocks(
  stand: SwapStand,
  { blocks }: { readonly blocks: number },
): Promise<Row[]> {
  const { chainId, chainClient, dexes, rpcUrl } = stand
  const recorded = recordRequests(chainClient)
  const sync = createChainSync({
    chainClient: recorded.chainClient,
    dexes,
    seedTokens: seedTokens(chainId),
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  await sync.start()
  const quoting = startQuoting(sync)
  const folds: number[] = []
  const whole: number[] = []
  const floors: number[] = []
  const held: number[] = []
  for (let block = 0; block < blocks; block += 1) {
    const state = stateOf(sync)
    const direction = block % 2 === 0 ? 0 : 1
    await mineSwaps(stand, { state, count: eventsPerBlock, direction })
    recorded.requests.length = 0
    // A monitor of its own: one that was paused counts the pause.
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const started = performance.now()
    const next = await quoting.during(() => sync.fresh())
    whole.push(performance.now() - started)
    delay.disable()
    held.push(delay.max / 1e6)
    floors.push(await timeBareAnswers(rpcUrl, recorded.requests))
    if (next) folds.push(await timeFold(stand, { state, hash: next.head.hash }))
  }
  const quotes = await quoting.stop()
  await sync.close()
  const goal = '< 5 ms'
  const what = `a block of ${eventsPerBlock} events`
  return [
    {
      what: `${what}: folded into the state`,
      goal,
      ours: spread(folds),
      floor: '',
      floorIs: `median / worst of ${blocks} blocks`,
    },
    {
      what: `${what}: asked for, read, folded, served`,
      goal: '',
      ours: spread(whole),
      floor: spread(floors),
      floorIs: 'the same questions at once, answers unread',
    },
    {
      what: 'a quote meanwhile',
      goal: '',
      ours: spread(quotes.meanwhile),
      floor: spread(quotes.otherwise),
      floorIs: 'quotes between the blocks',
    },
    {
      what: 'longest hold of the event loop meanwhile',
      goal: '',
      ours: spread(held),
      floor: '',
      floorIs: '',
    },
  ]
}

function stateOf(sync: ChainSync): SyncedState {
  const state = sync.current()
  if (!state) throw new Error('the chain was loaded')
  return state
}

/** The synchronous part: from events to a state that quotes can be asked of; ms. */
async function timeFold(
  { chainClient, dexes }: SwapStand,
  { state, hash }: { readonly state: SyncedState; readonly hash: Hex },
): Promise<number> {
  const filter = { topics: followedTopics(dexes), addresses: undefined }
  const logs = await readBlockLogs(chainClient, { blockHash: hash, filter })
  const started = performance.now()
  const changed = applyLogs({ state, logs, stale: new Set() })
  const next = advanceState(
    { taxOf: noTax },
    { state, head: state.head, changed: changed.values() },
  )
  const ms = performance.now() - started
  if (logs.length < eventsPerBlock || next.pools === state.pools)
    throw new Error(`the block had ${logs.length} events`)
  return ms
}
