import type { ChainClient } from '../chain/client.ts'
import { type BookClock, createBookClock } from '../signing/bookClock.ts'
import type { FillSigner } from '../signing/fillSigner.ts'
import { proveNonce } from '../signing/proveNonce.ts'
import { createTellCaps } from '../signing/tellCaps.ts'
import type { RelayStore } from '../store/relay.ts'
import type { Observe } from './events.ts'
import { defaultLimits, type RelayLimits, toCaps } from './limits.ts'
import type { Signer } from './signer.ts'

/** One chain as the relay serves it. */
export type RelayChain = {
  readonly chainId: number
  readonly client: ChainClient
  /** Knows the factory; its address pays. */
  readonly signer: Signer
  readonly limits: RelayLimits
  readonly filler: FillSigner | undefined
  readonly clock: BookClock
  /** Lets the other gateways of the database know our caps; theirs hold where they are lower. */
  readonly tellCaps: () => Promise<void>
  /** Next nonce of the signer as the chain has it, once that is borne out where it is ahead of our book. */
  readonly provenNonce: (claimed: number) => Promise<number | undefined>
}

export type RelayChainConfig = {
  readonly client: ChainClient
  readonly signer: Signer
  /** Fills nonces that are missing; without one, they wait for another process's. */
  readonly filler?: FillSigner | undefined
  readonly limits?: Partial<RelayLimits> | undefined
}

/** A chain with what is known of it: the time of its book, and how far its nonces may be believed. */
export function createRelayChain(
  {
    store,
    now,
    observe,
  }: { readonly store: RelayStore; readonly now: () => number; readonly observe: Observe },
  { client, signer, filler, limits }: RelayChainConfig,
): RelayChain {
  const { chainId } = client
  const { address } = signer
  const own = { ...defaultLimits, ...limits }
  /** The nonce after the highest that was seen in the book, which keeps all that was ever signed. */
  let known = 0
  return {
    chainId,
    client,
    signer,
    filler,
    limits: own,
    tellCaps: createTellCaps(
      {
        store,
        now,
        differs: ({ maxPerHour: maxDeploysPerHour, maxSpendPerHourWei }) =>
          observe({ kind: 'limits_differ', chainId, maxDeploysPerHour, maxSpendPerHourWei }),
      },
      { chainId, caps: toCaps(own) },
    ),
    clock: createBookClock({
      now,
      readStored: () => store.readClock(chainId),
      aheadBy: (aheadMs, who) => observe({ kind: 'clock_ahead', chainId, who, aheadMs }),
    }),
    async provenNonce(claimed) {
      if (claimed > known) {
        const highest = await store.highestNonce({ chainId, signer: address })
        known = Math.max(known, highest + 1)
      }
      try {
        const proven = await proveNonce(client, { signer: address, claimed, known })
        if (proven === undefined) observe({ kind: 'nonce_unproven', chainId, claimed, known })
        return proven
      } catch (cause) {
        observe({ kind: 'chain_unreachable', chainId, cause })
        return undefined
      }
    },
  }
}
