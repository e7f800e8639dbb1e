import type { Address } from 'viem'
import type { AccessConfig, QuotaContract } from './accessConfig.ts'

export type PaymentRequirement = {
  readonly scheme: 'exact' | 'prepaid-claim'
  /** CAIP-2. */
  readonly network: string
  /** Raw, decimal. */
  readonly amount: string
  readonly asset: Address
  readonly payTo: Address
  readonly maxTimeoutSeconds: number
  readonly extra: Readonly<Record<string, string>>
}

export type PaymentRequired = {
  readonly x402Version: 2
  readonly error: string
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: string
  }
  readonly accepts: readonly PaymentRequirement[]
  readonly extensions: Readonly<Record<string, { readonly info: object; readonly schema: object }>>
}

/**
 * `exact` where a payment sent to us is settled by us, else `prepaid-claim`, a scheme no official client signs
 * for, since nobody would settle what it signed.
 */
export function toOffer(
  config: AccessConfig,
  {
    contract: { chainId, address, token },
    isSettled,
  }: { readonly contract: QuotaContract; readonly isSettled: boolean },
): PaymentRequirement {
  return {
    scheme: isSettled ? 'exact' : 'prepaid-claim',
    network: `eip155:${chainId}`,
    amount: (BigInt(config.packQuotes) * config.amountPerQuote).toString(),
    asset: token.address,
    payTo: address,
    maxTimeoutSeconds: 120,
    extra: {
      name: token.name,
      version: token.version,
      ...(isSettled && { assetTransferMethod: 'eip3009' }),
    },
  }
}

/** What is configured to be sold, one entry per chain; what is offered right now `readOffers` says. */
export const listOffers = (config: AccessConfig): readonly PaymentRequirement[] =>
  config.contracts.map((contract) =>
    toOffer(config, { contract, isSettled: contract.settlement !== undefined }),
  )

/** The object of a 402, x402 version 2; the client may pay as `accepts` says or buy and claim as `quota-claim` says. */
export function createPaymentRequired(
  config: AccessConfig,
  {
    error,
    url,
    offers,
    quotaUnitsRequired,
    quotaRemaining,
  }: {
    error: string
    /** Of what was asked for. */
    url: string
    offers: readonly PaymentRequirement[]
    quotaUnitsRequired: number
    quotaRemaining: number
  },
): PaymentRequired {
  return {
    x402Version: 2,
    error,
    resource: {
      url,
      description: `Top-up of ${config.packQuotes} quotes for the calling API key`,
      mimeType: 'application/json',
    },
    accepts: offers,
    extensions: {
      'quota-claim': {
        info: {
          pricingUrl: `${config.publicUrl}/auth/pricing`,
          claimUrl: `${config.publicUrl}/auth/quota/claim`,
          amountPerQuote: config.amountPerQuote.toString(),
          quotaUnitsRequired,
          quotaRemaining,
          contracts: config.contracts.map(toContractInfo),
        },
        schema: quotaClaimSchema,
      },
      ...(config.contracts.some(({ settlement }) => settlement) && {
        'payment-identifier': { info: { required: false }, schema: paymentIdentifierSchema },
      }),
    },
  }
}

const toContractInfo = ({ chainId, address, token }: QuotaContract) => ({
  network: `eip155:${chainId}`,
  quotaContract: address,
  paymentToken: token.address,
})

const quotaClaimSchema = {
  type: 'object',
  required: ['pricingUrl', 'claimUrl', 'amountPerQuote', 'quotaUnitsRequired', 'contracts'],
}

/** As the extension's own package declares it. */
const paymentIdentifierSchema = {
  type: 'object',
  properties: {
    required: { type: 'boolean' },
    id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
  },
  required: ['required'],
}

/** x402 header values are standard base64 (with `+`, `/` and padding) of JSON. */
export function encodeHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
