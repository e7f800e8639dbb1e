import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CopiedSources } from '../../../fixtures/copySources.ts'

/** Adds a third chain to a copy of the sources, as somebody would who followed ARCHITECTURE.md. */
export function addOptimism({ dir, read }: CopiedSources) {
  const write = (path: string, text: string) => writeFileSync(join(dir, path), text)
  write('gateway/chain/optimism.ts', row)
  write('fixtures/world/chains/optimism.ts', world)
  const list = 'gateway/chain/chains.ts'
  write(list, addTo(read(list), { before: '[base, arbitrum] as const' }))
  const worlds = 'fixtures/world/chains/chains.ts'
  write(worlds, addTo(read(worlds), { before: '[base, arbitrum]' }))
}

function addTo(text: string, { before }: { readonly before: string }): string {
  if (!text.includes(before)) throw new Error(`the list of chains is not ${before}`)
  const after = before.replace(']', ', optimism]')
  return `import { optimism } from './optimism.ts'\n${text.replace(before, after)}`
}

const row = `import type { ChainRow } from './chain.ts'
import { multicall3 } from './multicall3.ts'

const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'

/** Its exchange is of github:Uniswap/contracts deployments/10.md. */
export const optimism = {
  chainId: 10,
  name: 'optimism',
  displayName: 'OP Mainnet',
  wrappedNative: weth,
  usdc: { address: usdc, name: 'USD Coin', version: '2', decimals: 6 },
  multicall3,
  l1Fee: 'opStack',
  blockTimeMs: 2000,
  hubTokens: [weth, usdc],
  tokens: [
    ['WETH', 18, weth],
    ['USDC', 6, usdc],
    ['DAI', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'],
  ],
  feeds: [],
  dexes: [
    {
      name: 'uniswap-v2',
      label: 'UniV2',
      protocol: 'uniswap_v2',
      factory: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf',
      router: '0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2',
      feesPips: [3000],
      initCodeHash: '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
      deployBlock: 0,
    },
  ],
  providers: {
    '0x': { slug: '10' },
    '1inch': { slug: '10' },
    kyberswap: { slug: 'optimism' },
    velora: { slug: '10' },
    openocean: { slug: 'optimism' },
    lifi: { slug: '10' },
    relay: { slug: '10' },
    bebop: { slug: 'optimism' },
    fabric: undefined,
    enso: { slug: '10' },
    'uniswap-api': { slug: '10' },
    nordstern: undefined,
    fly: { slug: 'optimism' },
    sushi: { slug: '10' },
    okx: { slug: '10' },
    cow: undefined,
    'remote-routing': { slug: '10' },
  },
  trusted: [],
  lendingMarkets: [],
  fork: { hardfork: 'prague' },
  labPort: 8547,
} as const satisfies ChainRow
`

const world = `import type { ChainSpec } from '../parts/chainSpec.ts'
import { token } from '../parts/tokenSpec.ts'

export const optimism: ChainSpec = {
  chainId: 10,
  name: 'OP Mainnet',
  kind: 'opStack',
  baseFeeWei: 1_000_000,
  fiatImplementation: '0xdEd3b9a8DBeDC2F9CB725B55d0E686A81E6d06dC',
  tokens: [
    token('WETH', { name: 'Wrapped Ether', address: '0x4200000000000000000000000000000000000006', kind: 'weth' }),
    token('USDC', { name: 'USD Coin', address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', decimals: 6, kind: 'fiat' }),
    token('DAI', { name: 'Dai Stablecoin', address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1' }),
  ],
  dexes: [
    {
      name: 'uniswap-v2',
      protocol: 'uniswap_v2',
      contracts: {
        factory: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf',
        router: '0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2',
      },
    },
  ],
  pools: [
    ['uniswap-v2', 'WETH/USDC', 3_000, 5_000_000],
    ['uniswap-v2', 'WETH/DAI', 3_000, 200_000],
  ],
}
`
