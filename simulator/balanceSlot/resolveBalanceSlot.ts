import { LRUCache } from 'lru-cache'
import type { Address, Hex } from 'viem'
import type { RpcEndpoint } from '../rpcBatch.ts'
import type { BalanceSlot } from './balanceSlot.ts'
import { findBalanceSlot, type SlotVerdict } from './findBalanceSlot.ts'
import { readCodeHash } from './readCodeHash.ts'

/** Outlives the process: the gateway's store implements it. A wrong entry costs two round trips, never a wrong answer. */
export type SlotCache = {
  readonly get: (p: SlotCacheKey) => Promise<BalanceSlot | undefined>
  readonly put: (p: SlotCacheKey & { readonly slot: BalanceSlot }) => Promise<void>
}

export type SlotCacheKey = {
  readonly chainId: number
  readonly token: Address
  /** Of the token and, behind a proxy, of the implementation it points to. */
  readonly codeHash: Hex
  readonly holder: Address
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
  deps: { readonly cache?: SlotCache | undefined },
  { chainId }: { chainId: number },
): SlotResolver {
  const known = new LRUCache<string, SlotVerdict>({ max: 20_000 })
  const running = new Map<string, Promise<SlotVerdict>>()
  const distrusted = new Set<string>()

  async function find(request: SlotRequest, key: string): Promise<SlotVerdict> {
    const stored = distrusted.has(key) ? undefined : await readStored(request)
    if (stored) return { status: 'found', slot: stored }
    const verdict = await findBalanceSlot(request, request)
    distrusted.delete(key)
    if (verdict.status === 'found') await writeStored(request, verdict.slot)
    return verdict
  }

  async function readStored({ rpc, timeoutMs, token, holder }: SlotRequest) {
    if (!deps.cache) return undefined
    const codeHash = await readCodeHash({ rpc, timeoutMs }, { token })
    return codeHash && deps.cache.get({ chainId, token, codeHash, holder })
  }

  async function writeStored({ rpc, timeoutMs, token, holder }: SlotRequest, slot: BalanceSlot) {
    if (!deps.cache) return
    const codeHash = await readCodeHash({ rpc, timeoutMs }, { token })
    if (codeHash) await deps.cache.put({ chainId, token, codeHash, holder, slot })
  }

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
  const isShared = verdict.slot.formula !== 'direct'
  known.set(isShared ? tokenKeyOf(request) : keyOf(request), verdict)
}
