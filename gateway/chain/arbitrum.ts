import { arbitrumDexes } from './arbitrumDexes.ts'
import { arbitrumTrust } from './arbitrumTrust.ts'
import type { ChainRow, FeedRow, TokenRow } from './chain.ts'
import { deepPools } from './deepPools.ts'
import { multicall3 } from './multicall3.ts'

const tokens: readonly TokenRow[] = [
  ['WETH', 18, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'],
  ['USDC', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
  ['USDC.e', 6, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'],
  ['USDT', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
  ['DAI', 18, '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1'],
  ['WBTC', 8, '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'],
  ['wstETH', 18, '0x5979D7b546E38E414F7E9822514be443A4800529'],
  ['weETH', 18, '0x35751007a407ca6FEFfE80b3cB397736D2cf4dbe'],
  ['cbBTC', 8, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'],
  ['cbETH', 18, '0x1DEBd73E752bEaF79865Fd6446b0c970EaE7732f'],
  ['ARB', 18, '0x912CE59144191C1204E64559FE8253a0e49E6548'],
  ['GMX', 18, '0xfc5A1A6EB076a2C7aD06eD22C90d7E710E35ad0a'],
  ['LINK', 18, '0xf97f4df75117a78c1A5a0DBb814Af92458539FB4'],
  ['PENDLE', 18, '0x0c880f6761F1af8d9Aa9C466984b80DAb9a8c9e8'],
  ['UNI', 18, '0xFa7F8980b0f1E64A2062791cc3b0871572f1F7f0'],
  ['AAVE', 18, '0xba5DdD1f9d7F570dc94a51479a000E3BCE967196'],
  ['CRV', 18, '0x11cDb42B0EB46D95f990BeDD4695A6e3fA034978'],
  ['FRAX', 18, '0x17FC002b466eEc40DaE837Fc4bE5c67993ddBd6F'],
  ['MIM', 18, '0xFEa7a6a0B346362BF88A9e4A88416B77a57D6c2A'],
  ['rETH', 18, '0xEC70Dcb4A1EFa46b8F2D97C310C9c4790ba5ffA8'],
  ['ezETH', 18, '0x2416092f143378750bb29b79eD961ab195CcEea5'],
  ['rsETH', 18, '0x4186BFC76E2E237523CBC30FD220FE055156b41F'],
  ['GHO', 18, '0x7dfF72693f6A4149b17e7C6314655f6A9F7c8B33'],
  ['USDe', 18, '0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34'],
  ['sUSDe', 18, '0x211Cc4DD073734dA055fbF44a2b4667d5E5fE5d2'],
  ['tBTC', 18, '0x6c84a8f1c29108F47a79964b5Fe888D4f4D0dE40'],
  ['GRAIL', 18, '0x3d9907F9a368ad0a51Be60f7Da3b97cf940982D8'],
  ['MAGIC', 18, '0x539bdE0d7Dbd336b79148AA742883198BBF60342'],
  ['RDNT', 18, '0x3082CC23568eA640225c2467653dB90e9250AaA0'],
  ['GNS', 18, '0x18c11FD286C5EC11c3b683Caa813B77f5163A122'],
  ['LDO', 18, '0x13Ad51ed4F1B7e9Dc168d8a00cB3f4dDD85EfA60'],
  ['ZRO', 18, '0x6985884C4392D348587B19cb9eAAf157F13271cd'],
  ['STG', 18, '0x6694340fc020c5E6B96567843da2df01b2CE1eb6'],
  ['SUSHI', 18, '0xd4d42F0b6DEF4CE0383636770eF773390d85c61A'],
  ['JOE', 18, '0x371c7ec6D8039ff7933a2AA28EB827Ffe1F52f07'],
  ['USDS', 18, '0x6491c05A82219b8D1479057361ff1654749b876b'],
  ['aArbUSDCn', 6, '0x724dc807b04555b71ed48a6896b6F41593b8C637'],
  ['waArbUSDCn', 6, '0x7F6501d3B98eE91f9b9535E4b0ac710Fb0f9e0bc'],
  ['sUSDS', 18, '0xdDb46999F8891663a8F2828d25298f70416d7610'],
  ['crvUSD', 18, '0x498Bf2B1e120FeD3ad3D42EA2165E9b73f99C1e5'],
  ['LUSD', 18, '0x93b346b6BC2548dA6A1E7d98E9a421B42541425b'],
  ['BAL', 18, '0x040d1EdC9569d4Bab2D15287Dc5A4F10F56a56B8'],
  ['COMP', 18, '0x354A6dA3fcde098F8389cad84b0182725c6C91dE'],
  ['axlUSDC', 6, '0xEB466342C4d449BC9f53A865D5Cb90586f405215'],
  ['FXS', 18, '0x9d2F299715D94d8A7E6F5eaa8E654E8c74a988A7'],
  ['WOO', 18, '0xcAFcD85D8ca7Ad1e1C6F82F651fA15E33AEfD07b'],
  ['YFI', 18, '0x82e3A8F066a6989666b031d916c43672085b1582'],
  ['EURS', 2, '0xD22a58f79e9481D1a88e00c343885A588b34b68B'],
  ['CAKE', 18, '0x1b896893dfc86bb67Cf57767298b9073D2c1bA2c'],
]

/** WETH, USDC, USDT, DAI, WBTC, LINK, ARB, GMX, UNI, AAVE, CRV, PENDLE. */
const feeds: readonly FeedRow[] = [
  ['0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612'],
  ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831', '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3'],
  ['0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7'],
  ['0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', '0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB'],
  ['0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', '0xd0C7101eACbB49F3deCcCc166d238410D6D46d57'],
  ['0xf97f4df75117a78c1A5a0DBb814Af92458539FB4', '0x86E53CF1B870786351Da77A57575e79CB55812CB'],
  ['0x912CE59144191C1204E64559FE8253a0e49E6548', '0xb2A824043730FE05F3DA2efaFa1CBbe83fa548D6'],
  ['0xfc5A1A6EB076a2C7aD06eD22C90d7E710E35ad0a', '0xDB98056FecFff59D032aB628337A4887110df3dB'],
  ['0xFa7F8980b0f1E64A2062791cc3b0871572f1F7f0', '0x9C917083fDb403ab5ADbEC26Ee294f6EcAda2720'],
  ['0xba5DdD1f9d7F570dc94a51479a000E3BCE967196', '0xaD1d5344AaDE45F43E596773Bcc4c423EAbdD034'],
  ['0x11cDb42B0EB46D95f990BeDD4695A6e3fA034978', '0xaebDA2c976cfd1eE1977Eac079B4382acb849325'],
  ['0x0c880f6761F1af8d9Aa9C466984b80DAb9a8c9e8', '0x66853E19d73c0F9301fe099c324A1E9726953433'],
]

export const arbitrum = {
  chainId: 42161,
  name: 'arbitrum',
  displayName: 'Arbitrum One',
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
  tokens,
  feeds,
  dexes: arbitrumDexes,
  deepPools: deepPools.arbitrum,
  providers: {
    '0x': { slug: '42161', contracts: ['0x0000000000001fF3684f28c67538d4D072C22734'] },
    '1inch': { slug: '42161', contracts: ['0x111111125421cA6dc452d289314280a0f8842A65'] },
    kyberswap: { slug: 'arbitrum', contracts: ['0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'] },
    velora: { slug: '42161', contracts: ['0x6A000F20005980200259B80c5102003040001068'] },
    openocean: { slug: 'arbitrum', contracts: ['0x6352a56caadC4F1E25CD6c75970Fa768A3304e64'] },
    lifi: { slug: '42161', contracts: ['0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'] },
    relay: { slug: '42161' },
    bebop: { slug: 'arbitrum', contracts: ['0xbbbbbBB520d69a9775E85b458C58c648259FAD5F'] },
    // Its contract was seen on Base only: here the operator names what he has seen.
    fabric: { slug: '42161' },
    enso: { slug: '42161' },
    'uniswap-api': {
      slug: '42161',
      // Take a plain allowance for the router instead of Permit2: the one in use, and the one before it.
      contracts: [
        '0x0000000085E102724e78eCd2F45DC9cA239Affad',
        '0x02E5be68D46DAc0B524905bfF209cf47EE6dB2a9',
      ],
      // Universal Router 2.0, which native input goes to directly.
      calledOnly: ['0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3'],
    },
    nordstern: { slug: '42161', contracts: ['0x57f96440f1b1cAD53B40A8924BD540b1279A491c'] },
    fly: { slug: 'arbitrum', contracts: ['0x20F6Ee51340ADEEd01a59b0e65Cb3703f3dC860c'] },
    sushi: { slug: '42161', contracts: ['0xAC4c6e212A361c968F1725b4d055b47E63F80b75'] },
    okx: { slug: '42161' },
    cow: { slug: 'arbitrum_one' },
    'remote-routing': { slug: '42161' },
  },
  trusted: arbitrumTrust,
  lendingMarkets: [
    '0x794a61358D6845594F94dc1DB02A252b5b4814aD', // Aave v3
    '0xA5EDBDD9646f8dFF606d7448e414884C7d905dCA', // Compound v3 USDC.e
    '0x9c4ec768c28520B50860ea7a15bd7213a9fF58bf', // Compound v3 USDC
    '0x6f7D514bbD4aFf3BcD1140B7344b32f063dEe486', // Compound v3 WETH
    '0xd98Be00b5D27fc98112BdE293e487f8D4cA57d07', // Compound v3 USDT
    '0x6c247b1F6182318877311737BaC0844bAa518F5e', // Morpho Blue
    '0x6302ef0F34100CDDFb5489fbcB6eE1AA95CD1066', // Euler v2
  ],
  // Osaka's rules since ArbOS 50 (51: 2026-01-08); by itself anvil takes 42161 for Prague.
  fork: { hardfork: 'osaka', precompiles: 'arbOs' },
  labPort: 8546,
} as const satisfies ChainRow
