/// <reference lib="esnext.disposable" preserve="true" />
import type { Hex } from 'viem'
import type { LabManifest, LabServices } from '../lab/manifest.ts'
import { holdLab, poolVariable } from './labPool.ts'
import { createLeasedChain, type LeasedChain } from './leaseChain.ts'
import { registerKey } from './registerKey.ts'
import { startLeaseLab } from './startLeaseLab.ts'

export type { NodeClock } from '../../fixtures/nodes/nodeClock.ts'
export type { Fault, Profile } from '../../fixtures/nodes/profile.ts'
export type { ProfileName } from '../../fixtures/nodes/profiles/profiles.ts'
export type { NodeSource } from '../../fixtures/nodes/source/nodeSource.ts'
export { type NodeOptions, startNode, type TestNode } from '../../fixtures/nodes/start/startNode.ts'
export type { LabPool } from './labPool.ts'
export { startLabPool } from './labPool.ts'
export type { LeasedAccount, LeasedChain, LeasedToken, Snapshot } from './leaseChain.ts'

/** Chains, a gateway that follows them, and a key: yours alone until it is given back. */
export type Lease = AsyncDisposable & {
  readonly chains: Readonly<Record<number, LeasedChain>>
  /** Throws when the lab has no such chain. */
  readonly chain: (chainId: number) => LeasedChain
  readonly services: LabServices
  /** Of this lease, with 1000 quotes. */
  readonly apiKey: string
  /** Puts everything back, or ends it. */
  readonly release: () => Promise<void>
}

export type LeaseOptions = {
  /**
   * `process`: a lab of its own, some seconds to start. `snapshot`: a lab of the pool that
   * `startLabPool` has started, for as long as the lease lasts; its chains are put back afterwards, what
   * the relay has in flight is not. Default: `snapshot` where a pool stands, else `process`.
   */
  readonly isolation?: 'process' | 'snapshot' | undefined
  /** Settings of the lab, e.g. `FORKYARD_PACK`; with `process` only. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs?: number | undefined
}

/** Leases a lab: see {@link LeaseOptions} for how it is kept apart from others. */
export async function lease(options: LeaseOptions = {}): Promise<Lease> {
  const pool = process.env[poolVariable]
  const { isolation = pool ? 'snapshot' : 'process', env, timeoutMs } = options
  if (isolation === 'snapshot') {
    if (!pool) throw new Error('no pool of labs stands: start one with startLabPool')
    return leaseOfPool(pool, timeoutMs)
  }
  const lab = await startLeaseLab({ env, timeoutMs })
  return toLease(lab.manifest, lab.close)
}

async function leaseOfPool(pool: string, timeoutMs: number | undefined): Promise<Lease> {
  const held = await holdLab(pool, { timeoutMs, putBack: putBackAll })
  try {
    const { chains, close } = openChains(held.manifest)
    const snapshots = await Promise.all(
      Object.values(chains).map(async (chain) => ({ chain, snapshot: await chain.snapshot() })),
    )
    held.note(
      Object.fromEntries(snapshots.map(({ chain, snapshot }) => [chain.chainId, snapshot.id])),
    )
    return await toLease(held.manifest, async () => {
      await Promise.all(snapshots.map(({ chain, snapshot }) => chain.revert(snapshot)))
      await close()
      held.release()
    })
  } catch (error) {
    held.release()
    throw error
  }
}

async function putBackAll(manifest: LabManifest, ids: Readonly<Record<string, Hex>>) {
  const { chains, close } = openChains(manifest)
  for (const [chainId, id] of Object.entries(ids)) await chains[Number(chainId)]?.revert({ id })
  await close()
}

async function toLease(manifest: LabManifest, end: () => Promise<void>): Promise<Lease> {
  const { chains, close } = openChains(manifest)
  let released: Promise<void> | undefined
  const release = () => {
    released ??= close().then(end)
    return released
  }
  const { services } = manifest
  const apiKey = await registerKey(services).catch(async (error: unknown) => {
    await release()
    throw error
  })
  return {
    chains,
    chain(chainId) {
      const chain = chains[chainId]
      if (!chain) throw new Error(`the lab has no chain ${chainId}`)
      return chain
    },
    services,
    apiKey,
    release,
    [Symbol.asyncDispose]: release,
  }
}

function openChains({ chains }: LabManifest) {
  const opened = Object.entries(chains).map(([chainId, chain]) =>
    createLeasedChain({ ...chain, chainId: Number(chainId) }),
  )
  return {
    chains: Object.fromEntries(
      opened.map(({ chain }): [number, LeasedChain] => [chain.chainId, chain]),
    ) as Readonly<Record<number, LeasedChain>>,
    async close() {
      await Promise.all(opened.map(({ close }) => close()))
    },
  }
}
