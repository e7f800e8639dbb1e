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
 * What we sell now, one entry per chain: `exact` where a payment sent to us is settled by us, else
 * `prepaid-claim`, a scheme no official client signs for, since nobody would settle what it signed.
 */
export function listOffers(config: AccessConfig): readonly PaymentRequirement[] {
  return config.contracts.map((contract) => ({
    scheme: contract.settlement ? 'exact' : 'prepaid-claim',
    network: `eip155:${contract.chainId}`,
    amount: (BigInt(config.packQuotes) * config.amountPerQuote).toString(),
    asset: contract.token.address,
    payTo: contract.address,
    maxTimeoutSeconds: 120,
    extra: {
      name: contract.token.name,
      version: contract.token.version,
      ...(contract.settlement && { assetTransferMethod: 'eip3009' }),
    },
  }))
}

/** The object of a 402, x402 version 2; the client may pay as `accepts` says or buy and claim as `quota-claim` says. */
export function createPaymentRequired(
  config: AccessConfig,
  {
    error,
    path,
    quotaUnitsRequired,
    quotaRemaining,
  }: { error: string; path: string; quotaUnitsRequired: number; quotaRemaining: number },
): PaymentRequired {
  return {
    x402Version: 2,
    error,
    resource: {
      url: config.publicUrl + path,
      description: `Top-up of ${config.packQuotes} quotes for the calling API key`,
      mimeType: 'application/json',
    },
    accepts: listOffers(config),
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
