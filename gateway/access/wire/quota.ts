import { Type } from 'typebox'
import type { Hex } from 'viem'
import * as schemas from '../../http/schemas.ts'
import type { Balance } from '../../store/ledger.ts'
import type { AccessConfig } from '../sale/accessConfig.ts'
import { fromBalance } from './auth.ts'

/** The payment token's decimals; the document states prices in them. */
const usdcUnits = 1_000_000

export const claimBody = (chainIds: readonly number[]) =>
  schemas.named(
    'ClaimRequest',
    Type.Object({
      chain_id: schemas.chainId(chainIds),
      tx_hash: schemas.bytes32({ description: 'The transaction that paid the quota contract' }),
    }),
  )

/** The body as a client sends it. */
export const toClaimBody = ({ chainId, txHash }: { chainId: number; txHash: Hex }) => ({
  chain_id: chainId,
  tx_hash: txHash,
})

export const claimResponse = schemas.named(
  'Claim',
  Type.Object({
    purchased_quotes: Type.Integer({ description: 'Bought in that transaction' }),
    quota_total: Type.Integer(),
    quota_used: Type.Integer(),
    quota_remaining: Type.Integer(),
  }),
)

export const fromClaim = ({ quotes, balance }: { quotes: number; balance: Balance }) => ({
  purchased_quotes: quotes,
  ...fromBalance(balance),
})

export const pricingResponse = schemas.named(
  'Pricing',
  Type.Object({
    x402_version: Type.Integer(),
    unit_price_usd: Type.Number(),
    unit_price_usdc_6dec: Type.Integer(),
    contracts: Type.Array(
      schemas.named(
        'PricingContract',
        Type.Object({
          chain_id: Type.Integer(),
          network: Type.String({ description: 'CAIP-2' }),
          quota_contract: schemas.address(),
          payment_token: schemas.address(),
          amount_per_quote: Type.String(),
        }),
      ),
    ),
  }),
)

export const fromPricing = ({ amountPerQuote, contracts }: AccessConfig) => ({
  x402_version: 2,
  unit_price_usd: Number(amountPerQuote) / usdcUnits,
  unit_price_usdc_6dec: Number(amountPerQuote),
  contracts: contracts.map(({ chainId, address, token }) => ({
    chain_id: chainId,
    network: `eip155:${chainId}`,
    quota_contract: address,
    payment_token: token.address,
    amount_per_quote: amountPerQuote.toString(),
  })),
})
