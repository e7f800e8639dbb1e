import type { Address, Hex } from 'viem'
import { isStateRead } from './blockReads.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'

/** The accounts and slots that simulations have had to fetch lately; the oldest are forgotten first. */
export type HotSet = {
  /** Notes what a warm fork has to fetch; methods other than state reads are ignored. */
  readonly note: (call: RpcCall) => void
  /** What callers name themselves makes nothing hot for a while. */
  readonly ignore: (addresses: readonly Address[]) => void
  /** What only one caller's question was about is no other's. */
  readonly forget: (addresses: readonly Address[]) => void
  readonly list: () => readonly HotAccount[]
}

export type HotAccount = { readonly address: Address; readonly slots: readonly Hex[] }

type Account = { readonly untilMs: number; readonly slotsUntilMs: Map<Hex, number> }

const maxAccounts = 128
const maxSlotsPerAccount = 96
/** What is wanted any longer is fetched once more by whoever wants it: nothing stays hot by itself. */
const keptMs = 120_000
const ignoredMs = 30_000
const maxIgnored = 1_000

/**
 * What is hot a warm fork has already. So an entry lives from the last read that missed it, for as long as
 * that counts, and then is missed again by the first fork without it: the next one has it.
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

  function renew(address: Address, untilMs: number): Account {
    const { slotsUntilMs = new Map<Hex, number>() } = accounts.get(address) ?? {}
    const renewed = { untilMs, slotsUntilMs }
    accounts.delete(address)
    accounts.set(address, renewed)
    dropOldest(accounts, maxAccounts)
    return renewed
  }

  return {
    note(call) {
      const { method, params } = call
      const [address, slot] = params as [unknown, unknown]
      if (typeof address !== 'string' || !isStateRead(call)) return
      const key = address.toLowerCase() as Address
      if (now() < (ignoredUntilMs.get(key) ?? 0)) return
      const untilMs = now() + keptMs
      const { slotsUntilMs } = renew(key, untilMs)
      if (method !== 'eth_getStorageAt' || typeof slot !== 'string') return
      slotsUntilMs.delete(slot as Hex)
      slotsUntilMs.set(slot as Hex, untilMs)
      dropOldest(slotsUntilMs, maxSlotsPerAccount)
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
    forget(addresses) {
      for (const address of addresses) accounts.delete(address.toLowerCase() as Address)
    },
    list() {
      const nowMs = now()
      return [...accounts]
        .filter(([, { untilMs }]) => nowMs < untilMs)
        .map(([address, { slotsUntilMs }]) => ({
          address,
          slots: [...slotsUntilMs].flatMap(([slot, untilMs]) => (nowMs < untilMs ? [slot] : [])),
        }))
    },
  }
}

/** Maps keep the order of insertion. */
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
