import type { Address, Chain, Client, Hex, Transport } from 'viem'
import type { Witness } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'

/** How Uniswap v4 names a pool; native currency is zero. */
export type PoolKey = {
  readonly currency0: Address
  readonly currency1: Address
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}
/** Where a pool is read; `id` where one contract holds many pools, `key` where the id is its hash. */
export type PoolRef = {
  readonly dex: Dex
  readonly address: Address
  readonly id?: Hex | undefined
  readonly key?: PoolKey | undefined
}
/** It reverted, burned all the gas it was given, could not be had at all, or never came to an end. */
export type ReadFailure = 'reverted' | 'unopened' | 'burnt' | 'unreadable' | 'endless'
export type ReadDeps = {
  readonly client: Client<Transport, Chain>
  /** Endpoints that have not told this, where there are several. */
  readonly others?: ((told: object) => readonly Pick<Witness, 'client'>[]) | undefined
  /** Told of each question that failed by itself. */
  readonly noteFailure?:
    | ((question: { readonly target: Address; readonly data: Hex }, failure: ReadFailure) => void)
    | undefined
  /** Told of a pool that is one, and whose swaps nobody could foretell. */
  readonly decline?:
    | ((pool: { readonly id?: string | undefined; readonly address: Address }) => void)
    | undefined
}
export type LoadParameters = {
  readonly pools: readonly PoolRef[]
  readonly blockNumber: bigint
  /** By few calls where nobody waits for one answer: else by few round trips. */
  readonly isBrief?: boolean | undefined
  /** By calls of nearly all the gas that public nodes give one: half as many. */
  readonly isThrifty?: boolean | undefined
}
export type FindParameters = {
  readonly dex: Dex
  readonly a: readonly Address[]
  readonly b: readonly Address[]
  readonly blockNumber: bigint
  /** By what rows name alone: what factories have been given since is looked for later. */
  readonly isBrief?: boolean | undefined
  readonly isThrifty?: LoadParameters['isThrifty']
}
export type ListParameters = { readonly dex: Dex; readonly blockNumber: bigint }

/** The id of a pool's record and of the engine's pool. */
export const idOf = ({
  id,
  address,
}: {
  readonly id?: string | undefined
  readonly address: string
}) => (id ?? address).toLowerCase()
