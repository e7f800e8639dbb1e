import type { Fork, StartFork } from './fork.ts'
import type { ForkSettings } from './forkSettings.ts'
import type { StateOverrides } from './rpc/callShapes.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { readSystemOverrides } from './systemOverrides.ts'
import type { BlockId, Upstream } from './upstream.ts'
import type { ForkDoor, UpstreamRelay } from './upstreamRelay.ts'
import { warmFork } from './warmFork.ts'

export type MakeForkDeps = {
  readonly startFork: StartFork
  readonly upstream: Upstream
  readonly relay: UpstreamRelay
}

export type MadeFork = { readonly fork: Fork; readonly overrides: StateOverrides }

/** No use in trying again at once. */
export class WrongUpstream extends SimulatorUnavailable {}

/** Starts a fork of a block, warm and tested; throws when anything about it is not as it should be. */
export async function makeFork(
  { startFork, upstream, relay }: MakeForkDeps,
  {
    chainId,
    target,
    settings = {},
    warmMs,
  }: {
    chainId: number
    target: BlockId
    settings?: ForkSettings | undefined
    /** What its warm-up may take before it is handed out; default: little. */
    warmMs?: number | undefined
  },
): Promise<MadeFork> {
  const { blockNumber, blockHash } = target
  const unavailable = (reason: string) => new SimulatorUnavailable({ chainId, reason })
  if ((await upstream.readChainId()) !== chainId)
    throw new WrongUpstream({ chainId, reason: 'its upstream is another chain' })
  const { forFork } = await relay.open()
  const { url: upstreamUrl, warmed } = forFork()
  const [fork, overrides, mayWarm] = await Promise.all([
    startFork({ chainId, upstreamUrl, blockNumber, settings }).catch((error: unknown) => {
      warmed()
      throw error
    }),
    readSystemOverrides(upstream, {
      chainId,
      blockNumber,
      precompiles: settings.precompiles,
    }).catch(() => undefined),
    relay.prefetch(target).then(() => true, mayReadItself),
  ])
  void fork.exited.then(() => warmed())
  try {
    const tested = smokeTest(fork, blockNumber)
    // What it reads for that is its own, too, however soon it is warm.
    const warmedAndTested: ForkDoor['warmed'] = (unfetched) =>
      void tested.then(
        () => warmed(unfetched),
        () => undefined,
      )
    await Promise.all([
      tested,
      warmFork(fork.rpc, {
        accounts: mayWarm ? relay.hotAccounts() : [],
        waitMs: warmMs,
        warmed: warmedAndTested,
      }),
    ])
    const again = await upstream.readBlock({ blockNumber })
    // Forks read by number: what they read meanwhile may be of either block.
    if (again?.blockHash !== blockHash) throw unavailable('its upstream reorganised')
    if (!overrides) throw unavailable('the chain does not answer')
    return { fork, overrides }
  } catch (error) {
    await fork.kill()
    throw error
  }
}

/**
 * A cold fork is slower and no worse. What there was nothing to spend for it would read all the same, as if somebody
 * waited for it.
 */
const mayReadItself = (error: unknown) =>
  !(error instanceof RpcTransportError && error.fault === 'over_budget')

/** A fork must know its block and run a call before it may take over. */
async function smokeTest(fork: Fork, blockNumber: bigint) {
  const [number, run] = await fork.rpc.batch(
    [
      { method: 'eth_blockNumber', params: [] },
      {
        method: 'eth_simulateV1',
        params: [{ blockStateCalls: [{ calls: [smokeCall] }] }, 'latest'],
      },
    ],
    { timeoutMs: 3_000 },
  )
  if (!number?.ok || BigInt(String(number.result)) !== blockNumber || !run?.ok)
    throw new Error('the fork failed its smoke test')
}

const smokeCall = {
  from: '0x00000000000000000000000000000000000f0f0f',
  to: '0x0000000000000000000000000000000000000004',
  gas: '0x186a0',
  data: '0x01',
}
