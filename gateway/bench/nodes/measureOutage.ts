import { setTimeout as wait } from 'node:timers/promises'
import type { ProfileName } from '../../../fixtures/nodes/profiles/profiles.ts'
import { seedTokens } from '../../chain/chains.ts'
import type { SyncEvent } from '../../routing/sync/syncEvent.ts'
import { compareToChain, statusOf } from '../../routing/testing/mainnet/followMainnets.ts'
import { openRouting } from '../../routing/testing/mainnet/openRouting.ts'
import { startMainnet } from '../../routing/testing/mainnet/startMainnet.ts'

export type Outage = {
  readonly profile: ProfileName
  readonly chainId: number
  /** Until the first quote of a major; undefined where none came in time, as with all that follows. */
  readonly readyMs: number | undefined
  /** Until the pools of all known tokens and pairs are there. */
  readonly loadedMs: number | undefined
  readonly pools: number
  /** From when the node is there again until all blocks that were missed are in. */
  readonly caughtUpMs: number | undefined
  /** Since the node went away. */
  readonly reloads: number
  readonly wrong: number
}

const everyMs = 100
const outageMs = 600_000
const blockMs: Readonly<Record<number, number>> = { 8453: 2_000, 42161: 250 }
/** In squeezed time: those who ask in vain come at longer and longer intervals meanwhile. */
const awayMs = 12_000

/** A gateway behind this profile, of whose made-up chain ten minutes go by while its node is away. */
export async function measureOutage({
  profile,
  chainId,
  pools,
  patienceMs,
}: {
  readonly profile: ProfileName
  readonly chainId: number
  readonly pools: number
  readonly patienceMs: number
}): Promise<Outage> {
  const started = await startMainnet({ chainId, profile, pools, faults: [] })
  const { mainnet, node } = started
  const events: SyncEvent[] = []
  const startedAtMs = performance.now()
  const { routing, close } = await openRouting([started], { observe: (e) => events.push(e) })
  const addressOf = (name: string) => {
    const found = seedTokens(chainId).find(({ symbol }) => symbol === name)
    if (!found) throw new Error(`the chain has no ${name}`)
    return found.address
  }
  const [tokenIn, tokenOut] = [addressOf('WETH'), addressOf('USDC')]
  const status = () => statusOf(routing, started)

  /** How long it took; undefined where it took too long. */
  async function until(
    isThere: () => boolean | Promise<boolean>,
    sinceMs: number,
  ): Promise<number | undefined> {
    while (!(await isThere())) {
      if (performance.now() - sinceMs > patienceMs) return undefined
      await wait(everyMs)
    }
    return performance.now() - sinceMs
  }

  try {
    const readyMs = await until(async () => {
      const amountIn = 10n ** 15n
      const asked = { chainId, tokenIn, tokenOut, amountIn, slippageBps: 50 }
      return (await routing.quote(asked)).status === 'ok'
    }, startedAtMs)
    const isLoaded = () => {
      const { state, chain } = status() ?? {}
      return state !== undefined && chain?.sync.loading() === undefined
    }
    const loadedMs = await until(isLoaded, startedAtMs)
    const before = events.length
    const come = [node.inject({ kind: 'reset' }), node.inject({ kind: 'closeSocket', code: 1006 })]
    mainnet.mine(Math.round(outageMs / (blockMs[chainId] ?? outageMs)))
    await wait(awayMs)
    for (const end of come) end()
    const missed = mainnet.head().number
    const caughtUpMs = await until(
      () => Number(status()?.state?.head.number ?? 0) >= missed,
      performance.now(),
    )
    const reloads = events.slice(before).filter(({ event }) => event === 'loaded').length
    started.settle()
    const isAtHead = () => status()?.state?.head.hash === mainnet.head().hash
    await until(isAtHead, performance.now())
    const { compared, differences } = await compareToChain(started, status())
    const wrong = differences.length
    return { profile, chainId, readyMs, loadedMs, pools: compared, caughtUpMs, reloads, wrong }
  } finally {
    await close()
  }
}
