import type { Address, Hex } from 'viem'
import { isStateRead } from './blockReads.ts'
import type { RpcCall } from './rpcBatch.ts'

/** The accounts and slots that simulations have had to fetch lately; the oldest are forgotten first. */
export type HotSet = {
  /** Notes a fork's read; methods other than state reads are ignored. */
  readonly note: (call: RpcCall) => void
  readonly list: () => readonly HotAccount[]
}

export type HotAccount = { readonly address: Address; readonly slots: readonly Hex[] }

const maxAccounts = 128
const maxSlotsPerAccount = 96

export function createHotSet(): HotSet {
  const accounts = new Map<Address, Set<Hex>>()
  return {
    note(call) {
      const { method, params } = call
      const [address, slot] = params as [unknown, unknown]
      if (typeof address !== 'string' || !isStateRead(call)) return
      const key = address.toLowerCase() as Address
      const slots = accounts.get(key) ?? new Set<Hex>()
      accounts.delete(key)
      accounts.set(key, slots)
      dropOldest(accounts, maxAccounts)
      if (method !== 'eth_getStorageAt' || typeof slot !== 'string') return
      slots.add(slot as Hex)
      dropOldest(slots, maxSlotsPerAccount)
    },
    list: () => [...accounts].map(([address, slots]) => ({ address, slots: [...slots] })),
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
