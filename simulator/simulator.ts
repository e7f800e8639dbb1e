import { tracingChannel } from 'node:diagnostics_channel'
import { type Abi, type Address, getAddress, keccak256, slice, stringToHex } from 'viem'
import { createSlotResolver, type SlotCache } from './balanceSlot/resolveBalanceSlot.ts'
import type { Candidate } from './buildBundle.ts'
import type { CandidateResult } from './classifyOutcome.ts'
import { createCodelessTokens } from './codelessTokens.ts'
import type { DeployQuestion, DeployReport } from './deployCalls.ts'
import { createFindWhales, type ListHolders } from './findWhales.ts'
import type { ForkBackend } from './fork.ts'
import type { ForkSettings } from './forkSettings.ts'
import type { Freshness } from './freshness.ts'
import type { GenerationEvent } from './generation.ts'
import { createGenerations, type GenerationStatus } from './generations.ts'
import { createProcessForks } from './processForks.ts'
import { createErrorTable } from './revertReason.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { simulateCandidates } from './simulateCandidates.ts'
import { simulateDeploy } from './simulateDeploy.ts'
import { createSimulateDeployOnChain } from './simulateDeployOnChain.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { createSlowLane } from './slowLane.ts'
import { createSuspects, type KindOf } from './suspects.ts'
import { type CandidateTrace, traceCandidate } from './traceCandidate.ts'
import { type AskUpstream, createUpstream, type SpendUpstream } from './upstream.ts'
import { createUpstreamRelay } from './upstreamRelay.ts'

export type { SlotCache } from './balanceSlot/resolveBalanceSlot.ts'
export type { Candidate } from './buildBundle.ts'
export type { CandidateResult } from './classifyOutcome.ts'
export type { DeployReport } from './deployCalls.ts'
export type { KindOf } from './suspects.ts'
export type { CandidateTrace } from './traceCandidate.ts'

const dryRuns = tracingChannel('forkyard.dryRun')

/** Results in the order of the request, all on one block. */
export type SimulationReport = {
  readonly blockNumber: bigint
  readonly blockHash: `0x${string}`
  readonly results: readonly CandidateResult[]
}

export type SimulateParameters = {
  readonly chainId: number
  readonly candidates: readonly Candidate[]
  /** Refuses to answer from a block before this one. */
  readonly minBlock?: bigint | undefined
  /** What only the chain's node can run is shared by caller. */
  readonly caller?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export type TraceParameters = Omit<SimulateParameters, 'candidates' | 'caller'> & {
  readonly candidate: Candidate
}

export type TraceReport = { readonly blockNumber: bigint; readonly trace: CandidateTrace }

export type SimulateDeployParameters = DeployQuestion & {
  readonly chainId: number
  readonly minBlock?: bigint | undefined
  readonly signal?: AbortSignal | undefined
}

/** Dry runs on managed forks. Methods throw {@link SimulatorUnavailable} when the chain can't be simulated at all. */
export type Simulator = {
  readonly simulateCandidates: (p: SimulateParameters) => Promise<SimulationReport>
  readonly simulateDeploy: (p: SimulateDeployParameters) => Promise<DeployReport>
  readonly traceCandidate: (p: TraceParameters) => Promise<TraceReport>
  readonly status: (chainId: number) => GenerationStatus
  /** Of all forks of a chain together; undefined where whoever runs them does not tell. */
  readonly memoryBytes: (chainId: number) => Promise<number | undefined>
  /** Holds nothing and has no code on the real chain: payloads without a taker are run from it. */
  readonly simulatedTaker: (chainId: number) => Address
  readonly close: () => Promise<void>
}

export type SimulatorChain = {
  readonly chainId: number
  readonly upstreamUrl: string
  /** Asked in this order when the one before fails. */
  readonly fallbackUrls?: readonly string[] | undefined
  readonly freshness?: Freshness | undefined
  readonly settings?: ForkSettings | undefined
  /** Tokens that are kept warm though callers name them. */
  readonly knownTokens?: readonly Address[] | undefined
  /** Candidates of one kind are suspected together. Default: all of a contract, function and pair are. */
  readonly kindOf?: KindOf | undefined
  /** What may be asked of the upstream; default: anything. */
  readonly spend?: SpendUpstream | undefined
  /** Asks in place of the URLs. */
  readonly ask?: AskUpstream | undefined
}

/** Starts the forks of all chains. A chain whose upstream is down is tried again in the background. */
export async function createSimulator({
  chains,
  slots,
  abis = [],
  listHolders,
  forks = createProcessForks(),
  startsAfter,
  log = () => undefined,
  now = Date.now,
}: {
  chains: readonly SimulatorChain[]
  slots?: SlotCache | undefined
  /** Whose custom errors are shown by name. */
  abis?: readonly Abi[] | undefined
  /** Helps with tokens whose balances can't be set, e.g. by naming pools. */
  listHolders?: ListHolders | undefined
  /** Where the forks run; closed with the simulator. */
  forks?: ForkBackend | undefined
  /** What their upstreams have to do first: nobody waits for the forks then. Default: nothing. */
  startsAfter?: Promise<void> | undefined
  log?: ((event: GenerationEvent) => void) | undefined
  now?: (() => number) | undefined
}): Promise<Simulator> {
  const errors = createErrorTable(abis)
  const reportCache = (chainId: number) => (cause: unknown) =>
    log({ event: 'slot_cache_failed', chainId, reason: nameOf(cause) })
  const stands = new Map(
    chains.map((chain) => {
      const upstream = createUpstream({
        chainId: chain.chainId,
        urls: [chain.upstreamUrl, ...(chain.fallbackUrls ?? [])],
        spend: chain.spend,
        ask: chain.ask,
      })
      const { knownTokens } = chain
      const relay = createUpstreamRelay({ upstream, findHost: forks.findHost, knownTokens })
      const generations = createGenerations(
        { startFork: forks.startFork, upstream, relay, log, now: () => performance.now() },
        chain,
      )
      const dry = {
        slots: createSlotResolver({ cache: slots, failed: reportCache(chain.chainId) }, chain),
        findWhales: createFindWhales({ upstream, listHolders }, chain),
        codeless: createCodelessTokens({ upstream }),
        upstream,
        isChainAnswering: upstream.isAnswering,
        slowLane: createSlowLane(),
        suspects: createSuspects(chain.kindOf),
        simulatedTaker: simulatedTakerOf(chain.chainId),
        errors,
        now,
      }
      const deployOnChain = createSimulateDeployOnChain({
        upstream,
        pickBlock: generations.pickBlock,
        now,
      })
      const { used, forget } = relay
      return [chain.chainId, { generations, dry, deployOnChain, used, forget }] as const
    }),
  )
  const start = () =>
    Promise.all([...stands.values()].map(({ generations }) => generations.start()))
  if (startsAfter) void startsAfter.then(start)
  else await start()

  const standOf = (chainId: number) => {
    const stand = stands.get(chainId)
    if (!stand) throw new SimulatorUnavailable({ chainId, reason: 'it is not configured' })
    return stand
  }
  return {
    async simulateCandidates({ chainId, candidates, minBlock, caller, signal }) {
      const { generations, dry, used } = standOf(chainId)
      const simulate = () =>
        generations.use({ minBlock, signal }, async (generation) => {
          used(candidates.map(({ tokenIn }) => tokenIn))
          const { blockNumber, blockHash } = generation
          const entrant = { caller, signal }
          const results = await simulateCandidates(dry, { generation, candidates, entrant })
          return { blockNumber, blockHash, results }
        })
      const attributes = { chainId, candidates: candidates.length }
      return dryRuns.tracePromise(() => guarded(chainId, simulate), { attributes })
    },
    async traceCandidate({ chainId, candidate, minBlock, signal }) {
      const { generations, dry, used } = standOf(chainId)
      return guarded(chainId, () =>
        generations.use({ minBlock, signal }, async (generation) => {
          used([candidate.tokenIn])
          const trace = await traceCandidate(dry, { generation, candidate, signal })
          return { blockNumber: generation.blockNumber, trace }
        }),
      )
    },
    async simulateDeploy({ chainId, minBlock, signal, ...asked }) {
      const { generations, dry, deployOnChain, used, forget } = standOf(chainId)
      return guarded(chainId, async () => {
        const told = await deployOnChain({ minBlock, ...asked })
        if (told) return told
        return generations.use({ minBlock, signal }, async (generation) => {
          used([asked.tokenIn, asked.owner])
          const report = await simulateDeploy(dry, { generation, chainId, ...asked })
          forget([report.predictedProxy])
          return report
        })
      })
    },
    status: (chainId) => standOf(chainId).generations.status(),
    memoryBytes: forks.memoryBytes,
    simulatedTaker: simulatedTakerOf,
    async close() {
      await Promise.all([...stands.values()].map(({ generations }) => generations.close()))
      await forks.close()
    },
  }
}

/** Never the text: it may name a database, or what an upstream said. */
function nameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause ? String(cause.code) : cause.name
}

/** The same on every start, so that slots found for it stay valid; nobody has its key. */
export function simulatedTakerOf(chainId: number): Address {
  return getAddress(slice(keccak256(stringToHex(`forkyard simulated taker ${chainId}`)), 12))
}

async function guarded<T>(chainId: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RpcTransportError) || error.fault === 'aborted') throw error
    throw new SimulatorUnavailable({ chainId, reason: 'the fork did not answer', cause: error })
  }
}
