import type { AccessConfig } from '../../access/sale/accessConfig.ts'

/** Access without limits that a benchmark would meet. */
export const benchAccess: AccessConfig = {
  keyPrefix: 'forkyard_bench',
  pepper: 'pepper',
  publicUrl: 'http://127.0.0.1',
  serviceName: 'bench',
  freeQuota: 0,
  amountPerQuote: 100n,
  packQuotes: 1000,
  keyLimit: { unitsPerSec: 1e6, burst: 1e6 },
  ipLimit: undefined,
  isLoopbackLimited: false,
  contracts: [],
}
