import type { QuotaContract } from './accessConfig.ts'

/** What documents may say of the sale of quota: as much as is configured, whatever else is set. */
export const describeSale = (contracts: readonly Pick<QuotaContract, 'settlement'>[]) => ({
  isQuotaSold: contracts.length > 0,
  /** Whether x402 payments are settled anywhere. */
  x402Support: contracts.some(({ settlement }) => settlement !== undefined),
})
