import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedTokens } from '../../chain/chains.ts'
import { createChainSync } from '../../routing/sync/chainSync.ts'
import type { SwapStand } from '../../routing/testing/swapStand.ts'
import { openStore } from '../../store/openStore.ts'
import { mineSwaps } from './eventBlock.ts'
import { type Row, spread } from './figures.ts'

const missedSwaps = 100

/** From the start of a new process to its first answered quote, its pools taken from a snapshot. */
export async function measureRestart(
  stand: SwapStand,
  { runs }: { readonly runs: number },
): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'forkyard-bench-'))
  const path = join(folder, 'pools.db')
  const pools = await saveSnapshot(stand, path)
  const { tokens } = stand.manifest
  const pair = [tokens['WETH']?.address ?? '', tokens['USDC']?.address ?? '']
  const ours: number[] = []
  const floors: number[] = []
  for (let run = 0; run < runs; run += 1) {
    ours.push(await timeProcess([path, stand.rpcUrl, ...pair]))
    floors.push(await timeProcess([path, stand.rpcUrl, ...pair, 'bare']))
  }
  rmSync(folder, { recursive: true })
  return {
    what: `restart on a snapshot of ${pools} pools, ${missedSwaps} swaps missed, to the first quote`,
    goal: '< 2000 ms',
    ours: spread(ours),
    floor: spread(floors),
    floorIs: 'the same modules in a process that only says it is there',
  }
}

/** What a process leaves that ends before the last block. */
async function saveSnapshot(stand: SwapStand, path: string): Promise<number> {
  const { chainId, chainClient, dexes } = stand
  const store = openStore({ path })
  const sync = createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(chainId),
    snapshots: store.pools,
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  await sync.start()
  const state = sync.current()
  await sync.close()
  store.close()
  if (!state) throw new Error('the chain was loaded')
  await mineSwaps(stand, { state, count: missedSwaps, direction: 0 })
  return state.pools.size
}

async function timeProcess(args: readonly string[]): Promise<number> {
  const started = performance.now()
  const child = fork(join(import.meta.dirname, 'restartServer.ts'), args)
  const exited = once(child, 'exit')
  const answered = once(child, 'message').then(() => performance.now() - started)
  const ms = await Promise.race([
    answered,
    exited.then(([code]) => Promise.reject(new Error(`the process ended with ${code}`))),
  ])
  child.kill()
  await exited
  return ms
}
