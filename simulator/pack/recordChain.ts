import { setTimeout as delay } from 'node:timers/promises'
import {
  createRpcEndpoint,
  type RpcCall,
  type RpcOutcome,
  RpcTransportError,
} from '../rpc/rpcBatch.ts'
import { createUpstream } from '../upstream.ts'
import { keyOf, type Pin, toPackCall } from './packCall.ts'
import type { PackedAnswer, PackedChain } from './packFile.ts'
import { startRpcServer } from './rpcServer.ts'
import { siblingsOf } from './siblings.ts'

/** A chain that stands still at its head of now, and remembers what it was asked. */
export type ChainRecorder = {
  /** To be used in place of the chain's own URL. */
  readonly url: string
  /** What was asked so far. Throws when the chain has reorganised the block away meanwhile. */
  readonly toPackedChain: () => Promise<PackedChain>
  readonly timestampSecs: bigint
  /** What it has asked of the chain so far. */
  readonly progress: () => { readonly reads: number; readonly bytes: number }
  readonly close: () => Promise<void>
}

const timeoutMs = 30_000
const attempts = 5
const firstPauseMs = 250
const maxMessage = 1_000
/** `v2` is none. */
const shortestSecret = 8
/** What a chain says of a transaction or block that it does not know may change; it is not kept. */
const lookUps = /^eth_get(?:Transaction|Block|Uncle)\w*(?:Hash|Receipt)\w*$/

export async function recordChain({
  chainId,
  upstreamUrl,
  isFrozen = false,
}: {
  readonly chainId: number
  readonly upstreamUrl: string
  /** Whoever reads it has the clock stand at the block's time. */
  readonly isFrozen?: boolean | undefined
}): Promise<ChainRecorder> {
  const upstream = createUpstream({ chainId, urls: [upstreamUrl] })
  const rpc = createRpcEndpoint({ url: upstreamUrl })
  const secrets = secretsOf(upstreamUrl)
  const answers = new Map<string, PackedAnswer>()
  const running = new Map<string, Promise<RpcOutcome>>()
  const close = async () => {
    await Promise.all([rpc.close(), upstream.close()])
  }
  const head = await readHead().catch(async (error: unknown) => {
    await close()
    throw error
  })
  const pin: Pin = { chainId, blockNumber: head.blockNumber, blockHash: head.blockHash }
  let bytes = 0

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

  async function fetchAndKeep(call: RpcCall): Promise<RpcOutcome> {
    const calls = [call, ...siblingsOf(call, pin)]
    const outcomes = await ask(calls).catch((): readonly RpcOutcome[] => [notAnswered])
    const kept = outcomes.map((outcome) => withoutSecrets(outcome, secrets))
    for (const [index, outcome] of kept.entries()) {
      const asked = calls[index]
      if (!asked || !isWorthKeeping(asked, outcome)) continue
      answers.set(keyOf(asked), { call: asked, outcome })
      bytes += sizeOf(outcome)
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
    timestampSecs: head.timestampSecs,
    progress: () => ({ reads: answers.size, bytes }),
    async toPackedChain() {
      const again = await upstream.readBlock({ blockNumber: head.blockNumber })
      if (again?.blockHash !== head.blockHash)
        throw new Error(`chain ${chainId} has reorganised meanwhile; record again`)
      const { blockNumber, blockHash, timestampSecs } = head
      return { chainId, blockNumber, blockHash, timestampSecs, isFrozen, answers }
    },
    async close() {
      await Promise.all([server.close(), close()])
    },
  }
}

const sizeOf = (outcome: RpcOutcome) =>
  outcome.ok ? JSON.stringify(outcome.result ?? null).length : outcome.message.length

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

/** Parts of a URL that tell where it leads or let somebody in. */
function secretsOf(url: string): readonly string[] {
  const { host, username, password, pathname, searchParams } = new URL(url)
  const parts = [username, password, ...pathname.split('/'), ...searchParams.values()]
  return [host, ...parts.filter((part) => part.length >= shortestSecret)]
}

/** Messages may name the endpoint or its key; what is no revert's data is left out. */
function withoutSecrets(outcome: RpcOutcome, secrets: readonly string[]): RpcOutcome {
  if (outcome.ok) return outcome
  const { code, data } = outcome
  const isTold = secrets.some((secret) => outcome.message.includes(secret))
  const message = isTold ? 'the chain refused it' : outcome.message.slice(0, maxMessage)
  const isBytes = data !== undefined && /^0x(?:[0-9a-fA-F]{2})*$/.test(data)
  return { ok: false, code, message, data: isBytes ? data : undefined }
}
