import { seedTokens } from '../../chain/chains.ts'
import { createChainSync } from '../../routing/sync/chainSync.ts'
import type { SwapStand } from '../../routing/testing/swapStand.ts'
import { type Row, spread } from './figures.ts'
import { recordRequests, timeBareAnswers } from './recordRequests.ts'

/** Discovery and the whole state of all pools, from nothing. */
export async function measureLoad(
  { chainId, chainClient, dexes, rpcUrl }: SwapStand,
  { runs }: { readonly runs: number },
): Promise<Row> {
  const ours: number[] = []
  const floors: number[] = []
  let pools = 0
  let questions = 0
  for (let run = 0; run < runs; run += 1) {
    const recorded = recordRequests(chainClient)
    const sync = createChainSync({
      chainClient: recorded.chainClient,
      dexes,
      seedTokens: seedTokens(chainId),
      pollMs: 3_600_000,
      maxAgeMs: 0,
      observe: (event) => {
        if (event.event === 'loaded') ours.push(event.ms)
      },
    })
    await sync.start()
    pools = sync.current()?.pools.size ?? 0
    await sync.close()
    questions = recorded.requests.length
    floors.push(await timeBareAnswers(rpcUrl, recorded.requests))
  }
  return {
    what: `${pools} pools found and loaded`,
    goal: '< 2000 ms',
    ours: spread(ours),
    floor: spread(floors),
    floorIs: `the same ${questions} questions at once, answers unread`,
  }
}
