import { setTimeout as wait } from 'node:timers/promises'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import type { ProfileName } from '../../../fixtures/nodes/profiles/profiles.ts'
import { startNode, type TestNode } from '../../../fixtures/nodes/start/startNode.ts'
import { startGatewayBehind } from '../../../fixtures/nodes/testing/startGatewayBehind.ts'
import type { WorldChain } from '../../../fixtures/world.ts'

export type Measured = {
  readonly chainId: number
  readonly profile: ProfileName
  /** Until the first quote; undefined where none came in time. */
  readonly readyMs: number | undefined
  /** Of the quotes while the chain was followed. */
  readonly servedShare: number | undefined
  readonly requests: number
  readonly calls: number
  readonly upBytes: number
  readonly downBytes: number
  readonly refusedShare: number
  /** What the gateway said last, where it has ended. */
  readonly lastWords: string | undefined
}

const everyMs = 250
const blockMs: Readonly<Record<number, number>> = { 8453: 2_000, 42161: 250 }

/** A production gateway behind this profile, one node for each chain: until it serves, and a while on. */
export async function measureProfile({
  profile,
  worlds,
  readyMs,
  followMs,
}: {
  readonly profile: ProfileName
  readonly worlds: readonly WorldChain[]
  readonly readyMs: number
  readonly followMs: number
}): Promise<readonly Measured[]> {
  const nodes = await Promise.all(
    worlds.map(({ rpcUrl }) => startNode({ profile, upstream: rpcUrl })),
  )
  const miners = worlds.map(({ rpcUrl, chainId }) => {
    const rpc = createRpc(rpcUrl)
    return setInterval(() => void rpc('evm_mine').catch(() => undefined), blockMs[chainId])
  })
  const [base, arbitrum] = nodes.map(({ url }) => url)
  const gateway = await startGatewayBehind({
    env: { BASE_RPC_URL: base ?? '', ARBITRUM_RPC_URL: arbitrum ?? '' },
  })
  const startedAtMs = performance.now()
  const quotes = worlds.map((world) => ({ world, quote: () => ask(world) }))
  async function ask({ chainId, manifest: { tokens } }: WorldChain) {
    const [tokenIn, tokenOut] = [tokens['WETH']?.address ?? '', tokens['USDC']?.address ?? '']
    const amountIn = '1000000000000000'
    return (await gateway.quote(chainId, { tokenIn, tokenOut, amountIn })) === 200
  }
  try {
    const ready = await Promise.all(
      quotes.map(async ({ quote }) => {
        while (performance.now() - startedAtMs < readyMs && !gateway.hasEnded()) {
          if (await quote()) return performance.now() - startedAtMs
          await wait(everyMs)
        }
        return undefined
      }),
    )
    const served = await Promise.all(
      quotes.map(({ quote }, index) =>
        ready[index] === undefined ? undefined : follow(quote, followMs),
      ),
    )
    return worlds.map(({ chainId }, index) => ({
      chainId,
      profile,
      readyMs: ready[index],
      servedShare: served[index],
      lastWords: gateway.hasEnded() ? gateway.printed().trimEnd().split('\n').at(-1) : undefined,
      ...readCounters(nodes[index]),
    }))
  } finally {
    for (const miner of miners) clearInterval(miner)
    await gateway.close()
    await Promise.all(nodes.map((node) => node.close()))
  }
}

/** Share of the quotes that were answered. */
async function follow(quote: () => Promise<boolean>, ms: number): Promise<number> {
  const startedAtMs = performance.now()
  let [asked, answered] = [0, 0]
  while (performance.now() - startedAtMs < ms) {
    asked += 1
    if (await quote()) answered += 1
    await wait(everyMs)
  }
  return asked === 0 ? 0 : answered / asked
}

function readCounters(node: TestNode | undefined) {
  const counters = node?.counters()
  const sum = (table: Readonly<Record<string, number>> = {}) =>
    Object.values(table).reduce((total, count) => total + count, 0)
  const calls = sum(counters?.calls)
  return {
    requests: counters?.requests ?? 0,
    calls,
    upBytes: counters?.bytesUp ?? 0,
    downBytes: counters?.bytesDown ?? 0,
    refusedShare: calls === 0 ? 0 : sum(counters?.refusedCalls) / calls,
  }
}
