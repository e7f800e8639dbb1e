import type { Address, Hex } from 'viem'
import { isStateRead } from './blockReads.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'

/** The accounts and slots that simulations have had to fetch lately; the oldest are forgotten first. */
export type HotSet = {
  /** Notes a fork's read; methods other than state reads are ignored. */
  readonly note: (call: RpcCall) => void
  /** What callers name themselves makes nothing hot for a while. */
  readonly ignore: (addresses: readonly Address[]) => void
  readonly list: () => readonly HotAccount[]
}

export type HotAccount = { readonly address: Address; readonly slots: readonly Hex[] }

type Account = { readonly untilMs: number; readonly slots: Set<Hex> }

const maxAccounts = 128
const maxSlotsPerAccount = 96
/** What is wanted any longer is fetched once more by whoever wants it: nothing stays hot by itself. */
const keptMs = 120_000
/** A warm-up takes seconds: it must not find gone what it set out to fetch, and so bring it back. */
const warmUpMs = 10_000
const ignoredMs = 30_000
const maxIgnored = 1_000

/**
 * A read of what is hot already says nothing: most often it is the warm-up's own. So an entry lives from
 * the first read that missed it, for as long as that counts, and then has to be missed again.
 */
export function createHotSet({
  isAlwaysNoted = () => false,
  now = () => performance.now(),
}: {
  /** Accounts that callers name all day: tokens that the operator knows. */
  readonly isAlwaysNoted?: ((address: string) => boolean) | undefined
  readonly now?: (() => number) | undefined
} = {}): HotSet {
  const accounts = new Map<Address, Account>()
  const ignoredUntilMs = new Map<string, number>()

  function find(address: Address): Account {
    const known = accounts.get(address)
    if (known && now() < known.untilMs) return known
    const fresh = { untilMs: now() + keptMs, slots: new Set<Hex>() }
    accounts.delete(address)
    accounts.set(address, fresh)
    dropOldest(accounts, maxAccounts)
    return fresh
  }

  return {
    note(call) {
      const { method, params } = call
      const [address, slot] = params as [unknown, unknown]
      if (typeof address !== 'string' || !isStateRead(call)) return
      const key = address.toLowerCase() as Address
      if (now() < (ignoredUntilMs.get(key) ?? 0)) return
      const { slots } = find(key)
      if (method !== 'eth_getStorageAt' || typeof slot !== 'string') return
      slots.add(slot as Hex)
      dropOldest(slots, maxSlotsPerAccount)
    },
    ignore(addresses) {
      for (const address of addresses) {
        const key = address.toLowerCase()
        if (isAlwaysNoted(key)) continue
        ignoredUntilMs.delete(key)
        ignoredUntilMs.set(key, now() + ignoredMs)
      }
      dropOldest(ignoredUntilMs, maxIgnored)
    },
    list() {
      const leastMs = now() + warmUpMs
      return [...accounts]
        .filter(([, { untilMs }]) => untilMs > leastMs)
        .map(([address, { slots }]) => ({ address, slots: [...slots] }))
    },
  }
}

/** Maps and sets keep the order of insertion. */
function dropOldest<K>(
  entries: { size: number; keys(): Iterator<K>; delete(key: K): boolean },
  max: number,
) {
  while (entries.size > max) {
    const { value, done } = entries.keys().next()
    if (done) return
    entries.delete(value)
  }
}
