import { createMainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import { type PoolShares, paces } from '../../../../fixtures/nodes/mainnet/shares.ts'
import type { Fault } from '../../../../fixtures/nodes/profile.ts'
import { type ProfileName, profiles } from '../../../../fixtures/nodes/profiles/profiles.ts'
import { startNode } from '../../../../fixtures/nodes/start/startNode.ts'
import { createPast } from './createPast.ts'
import { depths, everyFault, toldByBloom } from './everyFault.ts'

/** There is a past for reorganisations and nodes that lag. */
const blocksBefore = 130
/** Three bits of 2,048 for each address and topic. */
const fullBloomLogs = 500
/** A node that stands still for thousands of blocks stands for no longer: time is squeezed. */
const squeeze = 30

/** A made-up chain of its pace behind a node of a profile, with every fault. */
export async function startMainnet({
  chainId,
  profile,
  pools,
  shares,
  runMs = 0,
  reorgs = 0,
  faults = everyFault,
}: {
  readonly chainId: number
  readonly profile: ProfileName
  readonly pools: number
  readonly shares?: PoolShares | undefined
  /** So many reorganisations fall into it, once they are asked for. */
  readonly runMs?: number | undefined
  readonly reorgs?: number | undefined
  /** Beside those of the profile. */
  readonly faults?: readonly Fault[] | undefined
}) {
  const pace = paces[chainId]
  if (!pace) throw new Error(`no pace is known for chain ${chainId}`)
  const startSecs = Math.floor((Date.now() - blocksBefore * pace.blockMs) / 1_000)
  const mainnet = createMainnet({ chainId, pools, shares, startSecs })
  mainnet.mine(blocksBefore)
  const past = createPast(mainnet)
  const source = { ask: mainnet.ask, reorg: past.reorg }
  const isBloomFull = pace.logs[0] > fullBloomLogs
  const lost = faults.length === 0 || isBloomFull ? [] : toldByBloom
  const node = await startNode({ profile, upstream: source, faults: [...faults, ...lost] })
  const firstNumber = mainnet.head().number
  const frozenBlocks = profiles[profile].faults.reduce(
    (sum, fault) => (fault.kind === 'frozenHead' ? sum + fault.blocks : sum),
    0,
  )
  let [squeezed, nextReorg] = [0, 0]
  const failures: unknown[] = []

  function mine(): void {
    const stands = (node.counters().faults['frozenHead'] ?? 0) > 0 && squeezed < frozenBlocks
    const count = stands ? Math.min(squeeze, frozenBlocks - squeezed) : 1
    if (stands) squeezed += count
    mainnet.mine(count)
  }
  const miner = setInterval(mine, pace.blockMs)
  const due = depths.slice(0, reorgs)
  let reorger: NodeJS.Timeout | undefined

  function reorg(): void {
    const depth = due[nextReorg]
    if (depth === undefined) return
    nextReorg += 1
    past.reorg(depth).catch((error: unknown) => failures.push(error))
  }

  return {
    chainId,
    mainnet,
    past,
    node,
    failures,
    blocks: () => mainnet.head().number - firstNumber,
    /** Blocks are orphaned from now on, for as long as the run goes on. */
    shake() {
      reorger ??= setInterval(reorg, runMs / (due.length + 1))
    },
    /** Its faults end; its last blocks come. */
    settle() {
      clearInterval(reorger)
      clearInterval(miner)
      node.mend()
      mainnet.mine(Math.max(2, squeezed > 0 ? frozenBlocks - squeezed : 0))
    },
    close: node.close,
  }
}
export type StartedMainnet = Awaited<ReturnType<typeof startMainnet>>
