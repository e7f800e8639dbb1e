import { LRUCache } from 'lru-cache'
import type { Address, Hex } from 'viem'
import type { RpcEndpoint } from '../rpc/rpcBatch.ts'
import type { BalanceSlot } from './balanceSlot.ts'
import { findBalanceSlot, type SlotVerdict } from './findBalanceSlot.ts'
import { readCodeHash } from './readCodeHash.ts'

/**
 * Outlives the process: the gateway's store implements it. A wrong entry costs two round trips, never a wrong
 * answer; a failure costs what there is to find. It holds what a formula gives for every holder: callers
 * choose holders, so slots of single ones would grow without end.
 */
export type SlotCache = {
  readonly get: (p: SlotCacheKey) => Promise<BalanceSlot | undefined>
  readonly put: (p: SlotCacheKey & { readonly slot: BalanceSlot }) => Promise<void>
}

export type SlotCacheKey = {
  readonly chainId: number
  readonly token: Address
  /** Of the token and, behind a proxy, of the implementation it points to. */
  readonly codeHash: Hex
}

export type SlotResolver = {
  readonly resolve: (p: SlotRequest) => Promise<SlotVerdict>
  /** Forgets what is known, since the simulation showed another balance than it should. */
  readonly invalidate: (p: { readonly token: Address; readonly holder: Address }) => void
}

type SlotRequest = {
  readonly rpc: RpcEndpoint
  readonly timeoutMs: number
  readonly token: Address
  readonly holder: Address
  readonly timeSecs: bigint
}

const notFoundTtlMs = 30_000

export function createSlotResolver(
  {
    cache,
    failed = () => undefined,
  }: {
    readonly cache?: SlotCache | undefined
    /** Told what the cache threw. */
    readonly failed?: ((cause: unknown) => void) | undefined
  },
  { chainId }: { chainId: number },
): SlotResolver {
  const known = new LRUCache<string, SlotVerdict>({ max: 20_000 })
  const running = new Map<string, Promise<SlotVerdict>>()
  const distrusted = new Set<string>()

  async function find(request: SlotRequest, key: string): Promise<SlotVerdict> {
    const stored = distrusted.has(key) ? undefined : await orMiss(readStored(request))
    if (stored) return { status: 'found', slot: stored }
    const verdict = await findBalanceSlot(request, request)
    distrusted.delete(key)
    if (verdict.status === 'found' && isForAll(verdict.slot))
      await orMiss(writeStored(request, verdict.slot))
    return verdict
  }

  async function readStored({ rpc, timeoutMs, token }: SlotRequest) {
    if (!cache) return undefined
    const codeHash = await readCodeHash({ rpc, timeoutMs }, { token })
    return codeHash && cache.get({ chainId, token, codeHash })
  }

  async function writeStored({ rpc, timeoutMs, token }: SlotRequest, slot: BalanceSlot) {
    if (!cache) return
    const codeHash = await readCodeHash({ rpc, timeoutMs }, { token })
    if (codeHash) await cache.put({ chainId, token, codeHash, slot })
  }

  /** A full disk or a lost database is no reason to simulate nothing. */
  const orMiss = <value>(work: Promise<value>) =>
    work.catch((cause: unknown) => {
      failed(cause)
      return undefined
    })

  return {
    async resolve(request) {
      const key = keyOf(request)
      const verdict = known.get(tokenKeyOf(request)) ?? known.get(key)
      if (verdict) return verdict
      const shared = running.get(key)
      if (shared) return shared
      const finding = find(request, key).finally(() => running.delete(key))
      running.set(key, finding)
      remember(known, request, await finding)
      return finding
    },
    invalidate(request) {
      known.delete(tokenKeyOf(request))
      known.delete(keyOf(request))
      distrusted.add(keyOf(request))
    },
  }
}

const isForAll = ({ formula }: BalanceSlot) => formula !== 'direct'

type TokenAndHolder = { readonly token: Address; readonly holder: Address }
const tokenKeyOf = ({ token }: TokenAndHolder) => token.toLowerCase()
const keyOf = ({ token, holder }: TokenAndHolder) => `${token}:${holder}`.toLowerCase()

/** A failed read says nothing about the token and is not kept; `not found` is, for a short while. */
function remember(
  known: LRUCache<string, SlotVerdict>,
  request: SlotRequest,
  verdict: SlotVerdict,
) {
  if (verdict.status === 'rpc_error') return
  if (verdict.status === 'not_found') {
    known.set(keyOf(request), verdict, { ttl: notFoundTtlMs })
    return
  }
  known.set(isForAll(verdict.slot) ? tokenKeyOf(request) : keyOf(request), verdict)
}
