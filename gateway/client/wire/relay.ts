// Written by fixtures/client/generate.ts out of the OpenAPI document.

type Hex = `0x${string}`

export type ProxyRequest = {
  /** Chain id */
  chainId: number
  /** Future owner of the proxy, permanently */
  owner: Hex
  /** ERC-20 the owner wants to swap */
  tokenIn: Hex
  /** Atomic units; zero is answered only to an owner who has a proxy already. Numbers above 2^53 - 1 must be sent as a string */
  amountIn: string | number
  /** EIP-712 (EIP-1271, EIP-6492) of SponsoredDeploy(address owner,uint256 deadline), domain 'Forkyard Relay', '1', the chain, the factory; read where the operator asks for it */
  ownerSignature?: string | undefined
  /** Unix seconds until which ownerSignature holds, at most an hour from now */
  deadline?: number | undefined
}

export type ProxyAnswer = {
  /** Of the deployment, new or pending */
  txHash?: Hex | undefined
  /** The owner's proxy */
  proxy: Hex
  /** True when the proxy exists already */
  existing?: boolean | undefined
}

export type SponsorTypedData = {
  domain: {
    name: string
    version: string
    chainId: number
    verifyingContract: Hex
  }
  types: { [name: string]: readonly {
    name: string
    type: string
  }[] }
  primaryType: string
}

export type Intent = {
  chainId: number
  /** False: skip the relay and deploy from the wallet */
  servable: boolean
  /** Code of what stands in the way */
  reason?: string | undefined
  factory: Hex
  relayer: Hex
  deploysThisHour: number
  maxDeploysPerHour: number
  spendThisHourWei: string
  maxSpendPerHourWei: string
  /** Null while the chain does not answer */
  relayerBalanceWei: string | null
  /** Absent: not looked at. What the owner signs (EIP-712; EIP-1271, EIP-6492) with message {owner, deadline}; it goes into POST /api/proxy as ownerSignature and deadline */
  ownerSignature?: {
    rule: 'preferred' | 'required'
    /** deadline is at most so far away */
    longestValidSecs: number
    typedData: SponsorTypedData
  } | undefined
}

export type Intents = {
  chains: readonly Intent[]
}

export type Health = {
  /** degraded: some chain cannot be reached; error: none can */
  status: 'ok' | 'degraded' | 'error'
  version: string
  uptimeSecs: number
}

export type Error = {
  /** One sentence for a person */
  error: string
  /** snake_case, for programs */
  code: string
  request_id: string
  details?: readonly {
    field: string
    reason: string
  }[] | undefined
  /** With 429: as the Retry-After header */
  retryAfterSec?: number | undefined
}

export type ApiIntentsQuery = {
  /** Chain id */
  chainId?: number | undefined
}

export type Operations = {
  /** Sponsor the deployment of an owner's proxy */
  'POST /api/proxy': { body: ProxyRequest; answer: ProxyAnswer }
  /** Whether the relay can serve each chain, or one chain with ?chainId= */
  'GET /api/intents': { query: ApiIntentsQuery; answer: Intents | Intent }
  /** Whether the relay reaches its chains */
  'GET /health': { answer: Health }
}
