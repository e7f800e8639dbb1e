import { getBlock } from 'viem/actions'
import type { ChainClient } from '../../chain/client.ts'
import { createLoop } from '../../runtime/loop.ts'
import { steadyNow } from '../../signing/bookClock.ts'
import { type FillDeps, fillNonces } from '../../signing/fillNonces.ts'
import { type Coordination, createLocalCoordination } from '../../store/coordination.ts'
import type { RelayStore } from '../../store/relay.ts'
import type { RelayTransaction } from '../../store/relayTransaction.ts'
import { admit, admitAll } from '../admission.ts'
import { type Broadcaster, createBroadcaster } from '../broadcast.ts'
import { createCoalesce } from '../coalesce.ts'
import type { DeploySimulation, DeploySimulator } from '../deploySimulator.ts'
import { createDesk, type Desk } from '../desk.ts'
import type { Observe } from '../events.ts'
import { type ExaminedGate, examineOwner } from '../examineOwner.ts'
import { type ChainIntent, readIntent } from '../readIntents.ts'
import { reconcile } from '../reconcile.ts'
import type { RelayChain, RelayChainConfig } from '../relayChain.ts'
import { createRelayChain } from '../relayChain.ts'
import { type RelayAnswer, type RelayDeployDeps, relayDeploy } from '../relayDeploy.ts'
import { createChainSimulator, withFallback } from '../simulateOnChain.ts'
import { createFundsWatch } from '../watchFunds.ts'
import { relayEndpoints } from '../wire/routes.ts'

export type RelayDeps = {
  readonly store: RelayStore
  /** Of the processes that share the store, one sends; default: this one does. */
  readonly coordination?: Coordination | undefined
  readonly simulator: DeploySimulator
  /** What operators ask beside the gates, and where it is counted. Default: nothing. */
  readonly admission?: Omit<Parameters<typeof admit>[0], 'now'> | undefined
  readonly chains: readonly RelayChainConfig[]
  readonly version?: string | undefined
  /** Milliseconds; default a clock that steps of the machine's time do not move. */
  readonly now?: (() => number) | undefined
  readonly observe?: Observe | undefined
  readonly reconcileEveryMs?: number | undefined
  readonly finalDepth?: number | undefined
}

export type Relay = ReturnType<typeof createRelay>

type Served = {
  readonly chain: RelayChain
  readonly broadcaster: Broadcaster
  readonly desk: Desk
  readonly loop: ReturnType<typeof createLoop>
}

/** The relay service over its chains: endpoints, the reconcile loop, and what an operator asks for. */
export function createRelay(deps: RelayDeps) {
  const { store, now = steadyNow, observe = () => {}, reconcileEveryMs = 2_000 } = deps
  const simulator = shareSimulations(
    withFallback(deps.simulator, {
      second: createChainSimulator(deps.chains.map(({ client }) => client)),
      bypassed: (chainId, cause) => observe({ kind: 'simulator_bypassed', chainId, cause }),
    }),
  )
  const { coordination = createLocalCoordination() } = deps
  const serve = (config: RelayChainConfig): Served => {
    const { chainId } = config.client
    const chain = createRelayChain({ store, now, observe }, config)
    const broadcaster = createBroadcaster(chain, { now, observe })
    const pass = createPass({ ...deps, now, observe }, { chain, broadcaster })
    const watchFunds = createFundsWatch({ store, now, observe }, chain)
    const loop = createLoop({
      everyMs: reconcileEveryMs,
      run: async () => {
        await chain.tellCaps()
        if (desk.isChosen()) await pass()
        await watchFunds()
      },
      failed: (cause) => observe({ kind: 'reconcile_failed', chainId, cause }),
    })
    const desk = createDesk(chain, { coordination, broadcaster, observe, work: loop.wake })
    return { chain, broadcaster, desk, loop }
  }
  const served = new Map(deps.chains.map((one) => [one.client.chainId, serve(one)]))
  const loops = [...served.values()].map(({ loop }) => loop)
  const shareIntent = createCoalesce<ChainIntent>()
  const shareDeploy = createCoalesce<RelayAnswer>()
  const { admission } = deps
  const admitOne: RelayDeployDeps['admit'] = async (request) =>
    admission ? admit({ ...admission, now }, request) : admitAll

  async function status(chainId?: number): Promise<readonly ChainIntent[]> {
    const chosen = [...served.values()].filter(
      ({ chain }) => chainId === undefined || chain.chainId === chainId,
    )
    return Promise.all(
      chosen.map(({ chain }) =>
        shareIntent(String(chain.chainId), () => readIntent({ store, observe }, chain)),
      ),
    )
  }

  async function readHealth() {
    const intents = await status()
    const reached = intents.filter(({ reason }) => reason !== 'chain_unreachable').length
    if (reached === intents.length) return 'ok'
    return reached === 0 ? 'error' : 'degraded'
  }

  async function stop(): Promise<void> {
    await Promise.all(loops.map((loop) => loop.stop()))
    await Promise.all([...served.values()].map(({ broadcaster }) => broadcaster.idle()))
    // Last, so that the next one starts when this one has nothing on its way.
    await Promise.all([...served.values()].map(({ desk }) => desk.close()))
  }

  return {
    endpoints: relayEndpoints({
      chainIds: [...served.keys()],
      version: deps.version ?? '0',
      readHealth,
      readIntents: status,
      ownerSignature: admission?.rules.ownerSignature,
      async deploy(chainId, request) {
        const one = served.get(chainId)
        if (!one) return { status: 'unreachable' }
        const { owner, tokenIn, amountIn, asker } = request
        // Only an answer that may differ by who asks is not shared.
        const by = deps.admission && asker ? `${asker.ip} ${asker.signature} ${asker.deadline}` : ''
        // Who asks the same at the same time is told the same.
        return shareDeploy(`${chainId} ${owner} ${tokenIn} ${amountIn} ${by}`, () =>
          relayDeploy({ store, simulator, observe, admit: admitOne, ...one }, request),
        )
      },
    }),
    /** Starts the reconcile loops with a first pass: bytes of an earlier life are sent again. */
    start: () => {
      for (const loop of loops) loop.start()
    },
    /** One pass over every chain that this process sends for, now. */
    reconcile: async (): Promise<void> => {
      await Promise.all(loops.map((loop) => loop.runNow()))
    },
    status,
    /** Undefined where the chain is not served. */
    examine: async (
      chainId: number,
      request: Parameters<typeof examineOwner>[1],
    ): Promise<readonly ExaminedGate[] | undefined> => {
      const one = served.get(chainId)
      return one && examineOwner({ store, simulator, chain: one.chain }, request)
    },
    history: (request: {
      readonly chainId?: number | undefined
      readonly limit?: number | undefined
    }): Promise<readonly RelayTransaction[]> =>
      store.listLatest({ chainId: request.chainId, limit: request.limit ?? 50 }),
    pause: ({ chainId, reason }: { readonly chainId: number; readonly reason: string }) =>
      store.pause({ chainId, reason, nowMs: now() }),
    resume: (chainId: number) => store.resume(chainId),
    close: stop,
  }
}

const readHeadMs = async ({ client }: ChainClient) =>
  Number((await getBlock(client, { blockTag: 'latest' })).timestamp) * 1_000

/** Requests for the same owner and token that arrive together share one simulation. */
function shareSimulations(simulator: DeploySimulator): DeploySimulator {
  const share = createCoalesce<DeploySimulation>()
  return {
    simulateDeploy: (request) =>
      share(`${request.chainId} ${request.owner} ${request.tokenIn}`, () =>
        simulator.simulateDeploy(request),
      ),
  }
}

function createPass(
  deps: RelayDeps & { readonly now: () => number; readonly observe: Observe },
  { chain, broadcaster }: Pick<Served, 'chain' | 'broadcaster'>,
) {
  const { store, now, observe, finalDepth } = deps
  const memory = { overtakenAt: new Map<number, bigint>(), replacedAtMs: new Map<number, number>() }
  const { chainId, client, limits, clock } = chain
  const fills: FillDeps | undefined = chain.filler && {
    nonces: store,
    chain: client,
    signer: chain.filler,
    limits: { maxFeeWei: limits.maxRelayFeeWei, maxSpendPerHourWei: limits.maxSpendPerHourWei },
    clock,
    observe: (event) => observe({ ...event, chainId }),
    send: broadcaster.send,
    memory: { missing: [] },
  }
  return async () => {
    await clock.read(() => readHeadMs(client))
    const nonce = await reconcile({
      store,
      chain,
      broadcaster,
      now,
      observe,
      finalDepth,
      ...memory,
    })
    if (fills) await fillNonces(fills, nonce)
  }
}
