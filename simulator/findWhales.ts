import { LRUCache } from 'lru-cache'
import { type Address, getAddress, type Hex, isHex, size, slice, toEventSelector } from 'viem'
import { balanceOfCall } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import { readWordOutcome } from './rpc/readSimulated.ts'
import type { RpcEndpoint } from './rpc/rpcBatch.ts'
import type { Entrant } from './turnstile.ts'
import { toTag, type Upstream } from './upstream.ts'

/** Accounts that hold much of a token, richest first: they can pay a taker whose balance can't be set. */
export type FindWhales = (p: {
  readonly rpc: Pick<RpcEndpoint, 'batch'>
  readonly token: Address
  readonly blockNumber: bigint
  /** Of those who may be some; each costs a read. */
  readonly most?: number | undefined
  /** Who waits for it. */
  readonly entrant?: Entrant | undefined
}) => Promise<readonly Whale[]>

export type Whale = { readonly holder: Address; readonly balance: bigint }

/** Where else to look, e.g. the pools that trade the token. */
export type ListHolders = (p: {
  readonly chainId: number
  readonly token: Address
}) => Promise<readonly Address[]>

const transferTopic = toEventSelector('Transfer(address,address,uint256)')
const blocksBack = 2_000n
const maxHolders = 60
const maxWhales = 8
const keptMs = 60_000

export function createFindWhales(
  {
    upstream,
    listHolders,
  }: {
    upstream: Pick<Upstream, 'sendApart'>
    listHolders?: ListHolders | undefined
  },
  { chainId }: { chainId: number },
): FindWhales {
  const known = new LRUCache<Address, readonly Address[]>({ max: 1_000, ttl: keptMs })

  async function listCandidates(
    token: Address,
    { blockNumber, entrant }: { blockNumber: bigint; entrant: Entrant | undefined },
  ) {
    const kept = known.get(token)
    if (kept) return kept
    const [named, recent] = await Promise.all([
      listHolders?.({ chainId, token }) ?? [],
      // A token may have any number of logs: what they cost the node is no trouble of the fork's.
      orSilent(readRecentHolders(upstream, { token, blockNumber, entrant })),
    ])
    const found = recent === 'silent' ? [] : recent
    const holders = [...new Set([...named, ...found])].slice(0, maxHolders)
    if (recent !== 'silent') known.set(token, holders)
    return holders
  }

  return async ({ rpc, token, blockNumber, most, entrant }) => {
    const holders = (await listCandidates(token, { blockNumber, entrant })).slice(0, most)
    const outcomes = await rpc.batch(
      holders.map((holder) => ({
        method: 'eth_call',
        params: [balanceOfCall(token, holder), 'latest'],
      })),
      { timeoutMs: 3_000 },
    )
    return holders
      .map((holder, index) => ({ holder, balance: readWordOutcome(outcomes[index]) ?? 0n }))
      .filter(({ balance }) => balance > 0n)
      .toSorted((a, b) => (a.balance < b.balance ? 1 : -1))
      .slice(0, maxWhales)
  }
}

/** Those who lately received the token. */
async function readRecentHolders(
  upstream: Pick<Upstream, 'sendApart'>,
  {
    token,
    blockNumber,
    entrant,
  }: { token: Address; blockNumber: bigint; entrant: Entrant | undefined },
): Promise<readonly Address[]> {
  const from = blockNumber > blocksBack ? blockNumber - blocksBack : 0n
  const filter = {
    address: token,
    topics: [transferTopic],
    fromBlock: toTag(from),
    toBlock: toTag(blockNumber),
  }
  const [outcome] = await upstream.sendApart([{ method: 'eth_getLogs', params: [filter] }], entrant)
  if (!outcome?.ok || !Array.isArray(outcome.result)) return []
  // Whoever makes a token emits as many as he pays for.
  const found = new Set<Hex>()
  for (const log of outcome.result as readonly unknown[]) {
    const topics: unknown = isRecord(log) ? log['topics'] : undefined
    const to: unknown = Array.isArray(topics) ? topics[2] : undefined
    if (isHex(to) && size(to) === 32) found.add(to)
    if (found.size === maxHolders) break
  }
  return [...found].map((to) => getAddress(slice(to, 12)))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
