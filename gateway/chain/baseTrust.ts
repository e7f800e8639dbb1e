import type { TrustedCode } from './chain.ts'

/** Code of others with a say in swaps of Base, as somebody has reviewed it. */
export const baseTrust: readonly TrustedCode[] = [
  {
    source: 'github:balancer/code-review rate-providers/registry.json',
    date: '2026-07-22',
    parts: [
      ['ERC4626RateProvider', '0x4467Ab7BC794bb3929d77e826328BD378bf5392F'],
      ['cbETH Rate Provider', '0x3786a6CAAB433f5dfE56503207DF31DF87C5b5C1'],
      ['weETH Rate Provider', '0x5a7A419C59eAAdec8Dc00bc93ac95612e6e154Cf'],
      ['rETH RocketPool Rate Provider', '0x039f7205C2cBa4535C2575123Ac3D657263892c4'],
      ['ConstantRateProvider', '0x5E10C2a55fB6E4C14c50C7f6B82bb28A813a4748'],
      ['ConstantRateProvider', '0x3e89cc86307aF44A77EB29d0c4163d515D348313'],
      ['ConstantRateProvider', '0x3fA516CEB5d068b60FDC0c68a3B793Fc43B88f15'],
      ['ConstantRateProvider', '0xD58338f102e8DE2e3D9d54cc043c6d606826A790'],
      ['ConstantRateProvider', '0x4A0f0012004BC22D4fDb818B9C539E78aDC0c69d'],
      ['wstETH Rate Provider', '0x3b3dd5f913443bb5E70389F29c83F7DCA460CAe1'],
      ['ezETH Rate Provider', '0x6ac3b3BeCE5AA61C6AB5d50ecd2D47b1f18ACe49'],
      ['ERC4626RateProvider', '0x14BD1e9b30007510c2aFE3a7a8053A6DE5605d35'],
      ['ERC4626RateProvider', '0x0368b79b6A173a5aD589594E3227153D8cC7Cecc'],
      ['ERC4626RateProvider', '0xbF21251c74208771e25De5C08971cE586236EE89'],
      ['AaveMarketRateTransformer', '0xcb1f29103F710A0A562de7f0e9DDE223D0860674'],
      ['AaveMarketRateTransformer', '0x940748d30315276362f594ECcCb648A4f9aB7629'],
      ['ERC4626RateProvider', '0xBa0Fd0f3B019e8aBA61FEA2ac4Eb56b29F6808c0'],
      ['AaveMarketRateTransformer', '0xFF4B2CE4131E0Fb6b8A40447B4dF96Bdc83f759a'],
      ['SavingsUSDSRateProvider', '0x84394FA6A39bDFF63B255622dA362B113C690267'],
      ['YieldFi yUSD Rate Provider', '0xD47c15CDD7c734db321F07CB9AB1f852aE9A0b83'],
      ['Aave GHO StataV2', '0xf8CDA16566a06f3C848258DE4Ec5fc3401cbB214'],
      ['fluid weth rate provider', '0x0bB7028D24b24424485E769bD44b936B315Cb8FC'],
      ['aEURC to USD AaveMarketRateTransformer', '0xdBB41Da7dE45729857A09baaF98D1e9b0b1A8740'],
      ['EURc Rate Provider', '0x1298D51c51A201614502F90F554549256F1121fE'],
      ['YoVaultETHRateProvider', '0xB0027C1C870573d5626Df1f049a12E39d3e613e9'],
      ['YoVaultBTCRateProvider', '0x47fc979C519fA6c07D4dB6ab7B7573e20d94C5F9'],
      ['YoVaultUSDRateProvider', '0x8Cb017261719799f8b5A3762Ebe2b0e214F9a735'],
      ['YieldFiyUSDRateProvider', '0x2fb9fb5eB65c17B405c1B1c02bAE992D625B34c6'],
      ['WrappedExtraFiX Base USDCRateProvider', '0x2e40AcBBB710e04BeE940560Af0B0932018b67Ec'],
      ['TreehouseETHRateProvider', '0x8d3E5E54A703ebC5e70C635268e7886d629486E4'],
      ['BRZTokenRateProvider', '0xD8BC11AA3F7aA53193dC098aDb0d8776fa1e194B'],
      ['IDRXRateProvider', '0xfd9F651ca1e136f47d50C102D33D6cd342673C65'],
    ],
  },
  {
    // Not MevCaptureHook, whose fee goes by the gas price: its pools are dry-run at a realistic one.
    source: 'github:balancer/code-review hooks/registry.json',
    date: '2026-07-22',
    parts: [
      ['StableSurgeHook', '0xb2007B8B7E0260042517f635CFd8E6dD2Dd7f007'],
      ['StableSurgeHookV2', '0xDB8d758BCb971e482B2C45f7F8a7740283A1bd3A'],
    ],
  },
  {
    source: 'the offline world',
    date: '2026-11-22',
    parts: [['MovingRate of wstETH', '0xE54611C44c855617B9ba62bf54FC2a5c6e697eBF']],
  },
]
