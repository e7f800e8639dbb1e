import { Type } from 'typebox'
import { address, chainId, named, oneOf, type Static } from '../../http/schemas.ts'
import { type AdmissionRules, longestValidSecs, sponsorDomain, sponsorTypes } from '../admission.ts'
import type { ChainIntent } from '../readIntents.ts'

export const intentsQuery = (chainIds: readonly number[]) =>
  Type.Object({ chainId: Type.Optional(chainId(chainIds)) })

const wei = Type.String({ pattern: '^[0-9]+$' })

const typedData = named(
  'SponsorTypedData',
  Type.Object({
    domain: Type.Object({
      name: Type.String(),
      version: Type.String(),
      chainId: Type.Integer(),
      verifyingContract: address(),
    }),
    types: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    ),
    primaryType: Type.String(),
  }),
)

const intent = named(
  'Intent',
  Type.Object({
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
    ownerSignature: Type.Optional(
      Type.Object(
        {
          rule: oneOf(['preferred', 'required']),
          longestValidSecs: Type.Integer({ description: 'deadline is at most so far away' }),
          typedData,
        },
        {
          description:
            'Absent: not looked at. What the owner signs (EIP-712; EIP-1271, EIP-6492) with message {owner, deadline}; it goes into POST /api/proxy as ownerSignature and deadline',
        },
      ),
    ),
  }),
)

/** All chains, or with `?chainId=` the object of that one. */
export const intentsResponse = Type.Union([
  named('Intents', Type.Object({ chains: Type.Array(intent) })),
  intent,
])

export function fromIntent(
  read: ChainIntent,
  rule: AdmissionRules['ownerSignature'] = 'off',
): Static<typeof intent> {
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
    ...(rule !== 'off' && { ownerSignature: { rule, ...fromSponsorOrder(read) } }),
  }
}

function fromSponsorOrder({ chainId: chain, factory }: ChainIntent) {
  const types = { SponsoredDeploy: [...sponsorTypes.SponsoredDeploy] }
  const domain = sponsorDomain(chain, factory)
  return { longestValidSecs, typedData: { domain, types, primaryType: 'SponsoredDeploy' } }
}
