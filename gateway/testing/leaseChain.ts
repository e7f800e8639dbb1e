import { type Address, createClient, type Hex, http, type Transport, toHex } from 'viem'
import { createDeal, type Deal } from './deal.ts'
import { revertTo } from './revertTo.ts'
import type { Request } from './sendAs.ts'
import { sendAs } from './sendAs.ts'

export type LeasedToken = { readonly address: Address; readonly decimals: number }
export type LeasedAccount = { readonly address: Address; readonly privateKey: Hex }

/** A chain that is yours alone for as long as the lease holds. */
export type LeasedChain = {
  readonly chainId: number
  readonly rpcUrl: string
  /** Any JSON-RPC method. */
  readonly request: Request
  /** Each holds the native currency and every token of `tokens`. */
  readonly accounts: readonly LeasedAccount[]
  readonly tokens: Readonly<Record<string, LeasedToken>>
  /** Makes the balance of `to` be `amount`; the zero address is the native currency. */
  readonly deal: Deal
  readonly mine: (blocks?: number) => Promise<void>
  /** Lets so many seconds pass, and mines a block that knows it. */
  readonly warp: (secs: number) => Promise<void>
  readonly snapshot: () => Promise<Snapshot>
  /** As often as wanted to the same snapshot. */
  readonly revert: (snapshot: Snapshot) => Promise<void>
  /** Sends a transaction as anybody: `impersonate(whale).send({ to, data })`. */
  readonly impersonate: (from: Address) => {
    send(p: { to: Address; data?: Hex; value?: bigint }): Promise<Hex>
  }
}
export type Snapshot = { id: Hex }

export function createLeasedChain({
  chainId,
  rpcUrl,
  accounts,
  tokens,
}: Pick<LeasedChain, 'chainId' | 'rpcUrl' | 'accounts' | 'tokens'>): {
  readonly chain: LeasedChain
  close(): Promise<void>
} {
  const client = createClient<Transport>({ transport: http(rpcUrl, { timeout: 60_000 }) })
  // Methods of anvil's own, which viem's types do not list.
  const request: Request = (method, params = []) =>
    client.request({ method, params } as never) as Promise<unknown>
  const { deal, close } = createDeal({ request }, { chainId, rpcUrl })
  const snapshot = async () => ({ id: (await request('evm_snapshot')) as Hex })
  const chain: LeasedChain = {
    chainId,
    rpcUrl,
    request,
    accounts,
    tokens,
    deal,
    async mine(blocks = 1) {
      await request('anvil_mine', [toHex(blocks)])
    },
    async warp(secs) {
      // From the time of the block to come: a lab whose clock is held knows no other.
      const pending = await request('eth_getBlockByNumber', ['pending', false])
      const { timestamp } = pending as { readonly timestamp: Hex }
      await request('evm_setNextBlockTimestamp', [toHex(BigInt(timestamp) + BigInt(secs))])
      await request('anvil_mine', [toHex(1)])
    },
    snapshot,
    async revert(to) {
      if (!(await revertTo({ request }, to.id)))
        throw new Error(`the snapshot ${to.id} is of no more use`)
      // anvil's snapshots can be used once.
      to.id = (await snapshot()).id
    },
    impersonate: (from) => ({
      send: (transaction) => sendAs({ request }, { from, ...transaction }),
    }),
  }
  return { chain, close }
}
