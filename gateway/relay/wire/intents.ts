import { Type } from 'typebox'
import { address, chainId, type Static } from '../../http/schemas.ts'
import type { ChainIntent } from '../readIntents.ts'

export const intentsQuery = (chainIds: readonly number[]) =>
  Type.Object({ chainId: Type.Optional(chainId(chainIds)) })

const wei = Type.String({ pattern: '^[0-9]+$' })

const intent = Type.Object({
  chainId: Type.Integer(),
  servable: Type.Boolean({ description: 'False: skip the relay and deploy from the wallet' }),
  reason: Type.Optional(Type.String({ description: 'Code of what stands in the way' })),
  factory: address(),
  relayer: address(),
  deploysThisHour: Type.Integer(),
  maxDeploysPerHour: Type.Integer(),
  spendThisHourWei: wei,
  maxSpendPerHourWei: wei,
  relayerBalanceWei: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Null while the chain does not answer',
  }),
})

/** All chains, or with `?chainId=` the object of that one. */
export const intentsResponse = Type.Union([Type.Object({ chains: Type.Array(intent) }), intent])

export function fromIntent(read: ChainIntent): Static<typeof intent> {
  return {
    chainId: read.chainId,
    servable: read.servable,
    ...(read.reason !== undefined && { reason: read.reason }),
    factory: read.factory,
    relayer: read.relayer,
    deploysThisHour: read.deploysThisHour,
    maxDeploysPerHour: read.maxDeploysPerHour,
    spendThisHourWei: String(read.spendThisHourWei),
    maxSpendPerHourWei: String(read.maxSpendPerHourWei),
    relayerBalanceWei: read.relayerBalanceWei === undefined ? null : String(read.relayerBalanceWei),
  }
}
