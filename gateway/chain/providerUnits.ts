/** What a provider of nodes counts for calls; it may change that any day. */
export type ProviderUnits = {
  /** As `UPSTREAM_CALL_UNITS` has it. */
  readonly units: string
  /** Undefined where it depends on the plan. */
  readonly usdPerMillion?: number | undefined
  readonly source: string
  /** Year and month that it was read in. */
  readonly date: string
}

export const providerUnits: Readonly<Record<string, ProviderUnits>> = {
  alchemy: {
    units:
      'eth_call=26,eth_getLogs=60,eth_simulateV1=40,eth_sendRawTransaction=40,eth_blockNumber=10,eth_createAccessList=10,eth_feeHistory=10,eth_maxPriorityFeePerGas=10,eth_subscribe=10,eth_chainId=0,*=20',
    usdPerMillion: 0.45,
    source: 'https://www.alchemy.com/docs/reference/compute-unit-costs',
    date: '2026-11',
  },
  // State of 127 blocks ago and older counts two.
  chainstack: {
    units: '*=1',
    source: 'https://docs.chainstack.com/docs/request-units',
    date: '2026-11',
  },
  // The default: some methods count less.
  infura: {
    units: '*=80',
    source: 'https://docs.infura.io/api/learn/pricing/credit-cost',
    date: '2026-11',
  },
}
