import type { Address } from 'viem'

export type ChainId = number

/** A chain is data: one row here adds one. */
export type Chain = {
  readonly chainId: ChainId
  readonly name: string
  /** Prefix of its environment variables, e.g. `BASE_RPC_URL`. */
  readonly envPrefix: string
  readonly wrappedNative: Address
  /** `name` and `version` are those of the token's EIP-712 domain. */
  readonly usdc: {
    readonly address: Address
    readonly name: string
    readonly version: string
    readonly decimals: number
  }
  readonly multicall3: Address
  readonly l1Fee: 'opStack' | 'arbitrum' | 'none'
  readonly blockTimeMs: number
  /** Tokens that most liquidity is paired with, most liquid first. */
  readonly hubTokens: readonly Address[]
}

/** Both ways in which clients write "the native currency". */
export const nativeAddresses: readonly Address[] = [
  '0x0000000000000000000000000000000000000000',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
]

const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

export const chains: readonly Chain[] = [
  {
    chainId: 8453,
    name: 'base',
    envPrefix: 'BASE',
    wrappedNative: '0x4200000000000000000000000000000000000006',
    usdc: {
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      name: 'USD Coin',
      version: '2',
      decimals: 6,
    },
    multicall3,
    l1Fee: 'opStack',
    blockTimeMs: 2000,
    hubTokens: [
      '0x4200000000000000000000000000000000000006',
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
      '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
      '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
      '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
      '0x940181a94A35A4569E4529A3CDfB74e38FD98631',
    ],
  },
  {
    chainId: 42161,
    name: 'arbitrum',
    envPrefix: 'ARBITRUM',
    wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
    usdc: {
      address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      name: 'USD Coin',
      version: '2',
      decimals: 6,
    },
    multicall3,
    l1Fee: 'arbitrum',
    blockTimeMs: 250,
    hubTokens: [
      '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
      '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
      '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
      '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f',
      '0x912CE59144191C1204E64559FE8253a0e49E6548',
      '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
    ],
  },
]

export function getChain(chainId: ChainId): Chain | undefined {
  return chains.find((chain) => chain.chainId === chainId)
}

/** True for either spelling of the native currency, in any case. */
export function isNative(token: string): boolean {
  const lower = token.toLowerCase()
  return nativeAddresses.some((address) => address.toLowerCase() === lower)
}
