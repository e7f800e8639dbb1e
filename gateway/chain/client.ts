import {
  type Client,
  createClient,
  custom,
  defineChain,
  type Transport,
  type Chain as ViemChain,
} from 'viem'
import { getChainId } from 'viem/actions'
import { type CallPurpose, type OpenBudget, unbounded } from './callBudget.ts'
import { WrongChain } from './chainErrors.ts'
import type { Chain } from './chains.ts'
import { checkRpcUrl } from './checkRpcUrl.ts'
import { create2Deployer } from './create2Deployer.ts'
import { multicall3 } from './multicall3.ts'
import { createBlockHashes } from './nodes/blockHashes.ts'
import type { Outcome, Waiting } from './nodes/callQueue.ts'
import { createEndpoint, type Endpoint, type EndpointParameters } from './nodes/endpoint.ts'
import { createFailover, type Failover } from './nodes/failover.ts'
import type { StandsStill } from './nodes/headHeights.ts'
import { type HeadSocket, openHeadSocket } from './nodes/headSocket.ts'
import type { NodeLimits } from './nodes/limits.ts'
import { createNesting } from './nodes/nestedCall.ts'
import type { RpcAnswer, RpcCall } from './nodes/readReply.ts'
import { type LimitBook, rememberLimits } from './nodes/rememberLimits.ts'
import { createStandingCode } from './nodes/standingCode.ts'
import { createRequest } from './request.ts'

export { BlockOrphaned, ChainUnavailable, isAway, isCausedBy, WrongChain } from './chainErrors.ts'

export type ChainClient = {
  readonly chainId: number
  readonly chain: Chain
  /** For functions of `viem/actions`. Calls of one turn of the event loop travel in one batch. */
  readonly client: Client<Transport, ViemChain>
  /** Each upstream for itself, where there are several: what one says, another may bear out. */
  readonly witnesses?: readonly Client<Transport, ViemChain>[] | undefined
  /**
   * Those of them that have not told this, an object that `client` was answered with, or a teller of such; where
   * nothing is said of it, all but the one that is asked first now. Missing where there is one.
   */
  readonly others?: ((told?: object) => readonly Witness[]) | undefined
  /** Who told this, an object that `client` was answered with. */
  readonly tellerOf?: ((told: object) => object | undefined) | undefined
  /** Heads as a node pushes them; missing where none is told to. */
  readonly openHeads?: (() => HeadSocket) | undefined
  /** Throws `WrongChain` unless the upstreams that answer serve this chain. */
  checkChainId(): Promise<void>
  /** What an upstream serves instead of this chain; it is asked for nothing else as long as it does. */
  otherChain(): number | undefined
  /** Those of several upstreams that serve another chain, by their place from 1 on. */
  findStrays(): Promise<readonly Stray[]>
  /** What stands still where the head that is followed is old. */
  standsStill(followed: number): StandsStill
  /**
   * Each call's own answer, in their order; undefined where no upstream gave one, or where the one that is asked first
   * did not, if others are not to be asked in its place; `over_budget` where they may not be spent now, nor that one
   * be sent them soon.
   */
  askEach(
    calls: readonly RpcCall[],
    purpose: CallPurpose,
    whom?: 'first',
  ): Promise<readonly (RpcAnswer | undefined)[] | 'over_budget'>
  /** The same upstreams, asked for another purpose. Default: sync. */
  as(purpose: CallPurpose): ChainClient
  /** Whether there are calls to spend for work of a purpose that nobody waits for. */
  hasRoom(purpose: CallPurpose): Promise<boolean>
  /** What of its calls may be made at once, of the most that ever may: 0 to 1. */
  roomFor(purpose: CallPurpose): number
  /** Until this work is done what nobody waits for is held, where no endpoint takes as many calls as it is asked. */
  putFirst<result>(work: () => Promise<result>): Promise<result>
  /** Whether it is held now. */
  isHeld(): boolean
  /** Whether each endpoint takes few calls, in a second or in a batch. */
  isSmall(): boolean
  /** Begins with what its endpoints were found to take in earlier runs, and keeps what they are in this one. */
  remember(book: LimitBook): Promise<{ close(): Promise<void> }>
  /** Of each endpoint in its order. */
  limits(): readonly NodeLimits[]
  close(): void
}

export type Witness = {
  readonly client: Client<Transport, ViemChain>
  /** It is asked before the others for a while: the one that is asked first told what is not so. */
  prefer(): void
}

export type Stray = { readonly place: number; readonly actual: number }

/** A chain as viem takes it, without URLs: requests go through a transport of ours. */
export function toViemChain(chain: Chain): ViemChain {
  return defineChain({
    id: chain.chainId,
    name: chain.name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    // viem only needs the field; requests go through our own transport.
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: chain.multicall3 } },
  })
}

/** Follows the chain, or holds what is followed against it. */
const patient: Waiting = { isFirst: true, patienceMs: 90_000, blockPatienceMs: 15_000 }

/** A load goes on for as long as its node takes some of it; whoever waits for an answer has seconds. */
const waitingOf: Readonly<Record<CallPurpose, Waiting>> = {
  sync: patient,
  audit: patient,
  relay: { isFirst: true, patienceMs: 2_000, blockPatienceMs: 1_000 },
  simulation: { isFirst: false, patienceMs: 2_000, blockPatienceMs: 1_000 },
  meta: { isFirst: false, patienceMs: 2_000, blockPatienceMs: 1_000 },
  warmUp: { isFirst: false, patienceMs: 500, blockPatienceMs: 0 },
}

/** For an endpoint that takes no more for now, where a caller has another way. */
const firstPatienceMs = 250

/** Of the smallest tiers: dRPC's free one takes three calls, Ankr's ten. */
const smallBatch = 10

/** What the state of a block is made of; whoever else asks of one block alone names it (`readAtBlock`). */
const pinned: ReadonlySet<CallPurpose> = new Set(['sync', 'audit'])

/**
 * A client over one or more upstream URLs of one chain, tried in order: an upstream that fails or
 * answers 429 is left alone for a while. `timeoutMs` bounds each attempt, and the wait for a connection before it.
 */
export function createChainClient({
  chain,
  rpcUrls,
  wsUrl,
  trust = 'blind',
  timeoutMs = 5_000,
  maxResponseBytes = 64 * 1024 * 1024,
  budget: { spend, roomFor } = unbounded,
  alterSend,
}: {
  readonly chain: Chain
  readonly rpcUrls: readonly string[]
  /** Of a node that pushes heads. */
  readonly wsUrl?: string | undefined
  /** `shown`: each upstream says which chain it serves before it is asked anything else. */
  readonly trust?: 'blind' | 'shown' | undefined
  readonly timeoutMs?: number | undefined
  readonly maxResponseBytes?: number | undefined
  readonly budget?: OpenBudget | undefined
  readonly alterSend?: EndpointParameters['alterSend']
}): ChainClient {
  for (const url of rpcUrls) checkRpcUrl(url)
  if (wsUrl !== undefined) checkRpcUrl(wsUrl, 'ws')
  const expected = trust === 'shown' ? chain.chainId : undefined
  const limits = { chainId: expected, timeoutMs, maxResponseBytes }
  const endpoints = rpcUrls.map((url) => createEndpoint({ ...limits, url, alterSend }))
  const { blockTimeMs } = chain
  const failover = createFailover({ endpoints, blockTimeMs })
  // What an endpoint takes is learned once, whoever asks it.
  const alone =
    endpoints.length > 1
      ? endpoints.map((one) => createFailover({ endpoints: [one], blockTimeMs }))
      : []
  const viemChain = toViemChain(chain)
  const standing = createStandingCode({
    now: () => performance.now(),
    async ask(address, block) {
      const params = [address, block]
      const outcome = await failover.call({ method: 'eth_getCode', params }, waitingOf.meta)
      const answer = outcome.status === 'answered' ? outcome.answer : {}
      return 'result' in answer ? String(answer.result) : undefined
    },
  })
  const nesting = createNesting({ multicall3, create2Deployer, now: () => performance.now() })
  const blocks = createBlockHashes()
  const tellers = new WeakMap<object, Endpoint>(endpoints.map((each) => [each, each]))
  const logBlocks = () => {
    const known = endpoints.map((endpoint) => endpoint.limits.read().logBlocks)
    const told = known.filter((blocks) => blocks !== undefined)
    return told.length > 0 && told.length === known.length ? Math.max(...told) : undefined
  }
  /** Of what was put first. */
  let underWay = 0
  const isSmall = () =>
    endpoints.every(({ limits: { read } }) => {
      const { callsPerSecond, batchCalls = Number.POSITIVE_INFINITY } = read()
      return callsPerSecond !== undefined || batchCalls <= smallBatch
    })
  const isHeld = () => underWay > 0 && isSmall()
  const firstWaitMs = () => failover.inOrder()[0]?.waitMs() ?? 0
  const connect = (upstreams: Failover, purpose: CallPurpose): Client<Transport, ViemChain> =>
    createClient({
      chain: viemChain,
      transport: custom(
        {
          request: createRequest(chain.chainId, {
            failover: upstreams,
            waiting: waitingOf[purpose],
            standing,
            nesting,
            logBlocks,
            // What one says alone, the others need not have.
            blocks: upstreams === failover ? blocks : createBlockHashes(),
            isPinned: pinned.has(purpose),
            heard({ answer, from }) {
              const told = 'result' in answer ? answer.result : undefined
              if (from && typeof told === 'object' && told) tellers.set(told, from)
            },
            spend: (method) => spend(purpose, [method]),
          }),
        },
        { key: 'upstreams', name: `${chain.name} upstreams`, retryCount: 0 },
      ),
      pollingInterval: Math.max(50, Math.min(chain.blockTimeMs / 4, 500)),
      cacheTime: 0,
      // A stranger's contract would name URLs (EIP-3668), which viem fetches from here.
      ccipRead: false,
    })
  function connectAll(purpose: CallPurpose) {
    const witnesses = alone.map((upstreams) => connect(upstreams, purpose))
    function listOthers(told?: object): readonly Witness[] {
      const inOrder = failover.inOrder()
      const teller = (told && tellers.get(told)) ?? inOrder[0]
      return inOrder.flatMap((endpoint) => {
        const client = witnesses[endpoints.indexOf(endpoint)]
        if (!client || endpoint === teller) return []
        return [{ client, prefer: () => failover.prefer(endpoint) }]
      })
    }
    const others = witnesses.length > 0 ? listOthers : undefined
    return { client: connect(failover, purpose), witnesses, others }
  }
  const own: ChainClient = {
    chainId: chain.chainId,
    chain,
    ...connectAll('sync'),
    tellerOf: (told) => tellers.get(told),
    openHeads:
      wsUrl === undefined
        ? undefined
        : () =>
            openHeadSocket({
              url: wsUrl,
              chainId: chain.chainId,
              count: (method) => void spend('sync', [method]),
            }),
    hasRoom: async (purpose) => !isHeld() && (await spend(purpose, [])),
    roomFor,
    putFirst(work) {
      underWay += 1
      return work().finally(() => {
        underWay -= 1
      })
    },
    isHeld,
    isSmall,
    as: (purpose) => ({ ...own, ...connectAll(purpose) }),
    async askEach(calls, purpose, whom) {
      if (purpose === 'warmUp' && isHeld()) return 'over_budget'
      const isOfFirst = whom === 'first'
      // What would be sent to nobody is not spent.
      if (isOfFirst && firstWaitMs() > firstPatienceMs) return 'over_budget'
      const methods = calls.map(({ method }) => method)
      if (!(await spend(purpose, methods))) return 'over_budget'
      // Whoever asks so has no patience, not even for the head, nor for the long reads of the gateway.
      const isSync = purpose === 'sync'
      const order = { isFirst: isSync, isAlone: isSync, isOfFirst }
      // Whoever asks the first alone has another way.
      const patience = isOfFirst ? { patienceMs: firstPatienceMs } : {}
      const waiting = { ...waitingOf.simulation, ...order, ...patience }
      const outcomes = await Promise.all(calls.map((call) => failover.call(call, waiting)))
      const isUnsent = (outcome: Outcome) => outcome.status === 'unreachable' && outcome.isUnsent
      if (isOfFirst && outcomes.every(isUnsent)) return 'over_budget'
      return outcomes.map((each) => (each.status === 'answered' ? each.answer : undefined))
    },
    async checkChainId() {
      // Whoever starts is told at once that a node does not answer.
      const actual = await getChainId(connect(failover, 'meta'))
      if (actual !== chain.chainId) throw new WrongChain({ expected: chain.chainId, actual })
    },
    async findStrays() {
      // Who fails has said nothing of its chain, or has shown another one.
      await Promise.allSettled(alone.map((upstreams) => getChainId(connect(upstreams, 'meta'))))
      return alone.flatMap((upstreams, index) => {
        const actual = upstreams.otherChain()
        return actual === undefined ? [] : [{ place: index + 1, actual }]
      })
    },
    otherChain: failover.otherChain,
    standsStill: failover.standsStill,
    remember: (book) => rememberLimits(endpoints, { book }),
    limits: () => endpoints.map((endpoint) => endpoint.limits.read()),
    close() {
      for (const each of [failover, ...alone, ...endpoints]) each.close()
    },
  }
  return own
}
