import { setTimeout as delay } from 'node:timers/promises'
import { createRpcEndpoint, type RpcCall, type RpcOutcome, RpcTransportError } from '../rpcBatch.ts'
import { createUpstream } from '../upstream.ts'
import { keyOf, type Pin, toPackCall } from './packCall.ts'
import type { PackedAnswer, PackedChain } from './packFile.ts'
import { startRpcServer } from './rpcServer.ts'

/** A chain that stands still at its head of now, and remembers what it was asked. */
export type ChainRecorder = {
  /** To be used in place of the chain's own URL. */
  readonly url: string
  /** What was asked so far. Throws when the chain has reorganised the block away meanwhile. */
  readonly toPackedChain: () => Promise<PackedChain>
  readonly close: () => Promise<void>
}

const timeoutMs = 30_000
const attempts = 5
const firstPauseMs = 250
const maxMessage = 1_000
/** What a chain says of a transaction or block that it does not know may change; it is not kept. */
const lookUps = /^eth_get(?:Transaction|Block|Uncle)\w*(?:Hash|Receipt)\w*$/
const accountReads = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']

export async function recordChain({
  chainId,
  upstreamUrl,
}: {
  readonly chainId: number
  readonly upstreamUrl: string
}): Promise<ChainRecorder> {
  const upstream = createUpstream({ chainId, urls: [upstreamUrl] })
  const rpc = createRpcEndpoint({ url: upstreamUrl })
  const { host } = new URL(upstreamUrl)
  const answers = new Map<string, PackedAnswer>()
  const running = new Map<string, Promise<RpcOutcome>>()
  const close = async () => {
    await Promise.all([rpc.close(), upstream.close()])
  }
  const head = await readHead().catch(async (error: unknown) => {
    await close()
    throw error
  })
  const pin: Pin = { chainId, blockNumber: head.blockNumber }

  async function readHead() {
    const actual = await upstream.readChainId().catch(() => undefined)
    if (actual === undefined)
      throw new Error(`the RPC endpoint of chain ${chainId} does not answer`)
    if (actual !== chainId)
      throw new Error(`the RPC endpoint given for chain ${chainId} serves chain ${actual}`)
    return upstream.readHead()
  }

  async function ask(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await rpc.batch(calls, { timeoutMs })
      } catch (error) {
        if (!(error instanceof RpcTransportError) || attempt === attempts) throw error
        await delay(firstPauseMs * 2 ** (attempt - 1))
      }
  }

  /** Whoever needs one thing of an account may need another on the next run, as his reads happen to race. */
  const withSiblings = (call: RpcCall): readonly RpcCall[] => {
    if (!accountReads.includes(call.method)) return [call]
    const others = accountReads.filter((method) => method !== call.method)
    return [call, ...others.map((method) => ({ method, params: call.params }))]
  }

  async function fetchAndKeep(call: RpcCall): Promise<RpcOutcome> {
    const calls = withSiblings(call)
    const outcomes = await ask(calls).catch((): readonly RpcOutcome[] => [notAnswered])
    const kept = outcomes.map((outcome) => withoutHost(outcome, host))
    for (const [index, outcome] of kept.entries()) {
      const asked = calls[index]
      if (asked && isWorthKeeping(asked, outcome))
        answers.set(keyOf(asked), { call: asked, outcome })
    }
    return kept[0] ?? notAnswered
  }

  const server = await startRpcServer({
    async answer(asked) {
      const packCall = toPackCall(asked, pin)
      if (packCall.kind === 'known') return packCall.outcome
      const key = keyOf(packCall.call)
      const kept = answers.get(key)
      if (kept) return kept.outcome
      const shared = running.get(key)
      if (shared) return shared
      const fetching = fetchAndKeep(packCall.call).finally(() => running.delete(key))
      running.set(key, fetching)
      return fetching
    },
  })
  return {
    url: server.url,
    async toPackedChain() {
      const again = await upstream.readBlock({ blockNumber: head.blockNumber })
      if (again?.blockHash !== head.blockHash)
        throw new Error(`chain ${chainId} has reorganised meanwhile; record again`)
      return { chainId, blockNumber: head.blockNumber, blockHash: head.blockHash, answers }
    },
    async close() {
      await Promise.all([server.close(), close()])
    },
  }
}

const notAnswered: RpcOutcome = {
  ok: false,
  code: -32603,
  message: 'the chain does not answer',
  data: undefined,
}

/** Reverts are answers; that an endpoint is busy, or of another mind today, is none. */
function isWorthKeeping({ method }: RpcCall, outcome: RpcOutcome): boolean {
  if (outcome.ok) return outcome.result !== null || !lookUps.test(method)
  return outcome.code === 3 || outcome.code === -32601
}

/** Messages may name the endpoint, whose URL is a secret. */
function withoutHost(outcome: RpcOutcome, host: string): RpcOutcome {
  if (outcome.ok) return outcome
  const message = outcome.message.includes(host) ? 'the chain refused it' : outcome.message
  return { ...outcome, message: message.slice(0, maxMessage) }
}
