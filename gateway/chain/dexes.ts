import type { Address, Hex } from 'viem'

/** Families whose pools are priced from local state. A fork of a known family is a row below. */
export type Protocol =
  | 'uniswap_v2'
  | 'uniswap_v3'
  | 'pancake_v3'
  | 'slipstream'
  | 'aerodrome_v2'
  | 'uniswap_v4'
  | 'camelot_v2'
  | 'camelot_v3'
  | 'algebra_integral'
  | 'curve_stable_ng'
  | 'curve_plain'
  | 'balancer_v2_weighted'
  | 'balancer_v2_stable'
  | 'balancer_v3_weighted'
  | 'balancer_v3_stable'
  | 'liquidity_book'

export type Dex = {
  readonly name: string
  /** Short name in `route_path`, e.g. `UniV3`. */
  readonly label: string
  readonly protocol: Protocol
  readonly factory: Address
  readonly router?: Address | undefined
  readonly quoter?: Address | undefined
  /** Pool fees in pips (1e-6): one for constant product, all known tiers for concentrated liquidity. */
  readonly feesPips: readonly number[]
  /** Where the factory finds pools by something else than the fee, or besides it: tick spacings. */
  readonly poolKeys?: readonly number[] | undefined
  /** Stands in the offline world only: nothing is amiss where it is missing. */
  readonly isOptional?: boolean | undefined
  readonly initCodeHash?: Hex | undefined
  /** First block worth scanning for pools. */
  readonly deployBlock: number
}

const dexRows: Readonly<Record<number, readonly Dex[]>> = {
  8453: [
    {
      name: 'uniswap-v2',
      label: 'UniV2',
      protocol: 'uniswap_v2',
      factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      feesPips: [3000],
      initCodeHash: '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
      deployBlock: 0,
    },
    {
      name: 'uniswap-v3',
      label: 'UniV3',
      protocol: 'uniswap_v3',
      factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      router: '0x2626664c2603336E57B271c5C0b26F421741e481',
      quoter: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
      feesPips: [100, 500, 3000, 10000],
      initCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      deployBlock: 1371680,
    },
    {
      name: 'pancakeswap-v2',
      label: 'PancakeV2',
      protocol: 'uniswap_v2',
      factory: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E',
      router: '0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb',
      feesPips: [2500],
      initCodeHash: '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
      deployBlock: 2910387,
    },
    {
      name: 'pancakeswap-v3',
      label: 'PancakeV3',
      protocol: 'pancake_v3',
      factory: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      router: '0x1b81D678ffb9C0263b24A97847620C99d213eB14',
      quoter: '0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997',
      feesPips: [100, 500, 2500, 10000],
      initCodeHash: '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2',
      deployBlock: 2912007,
    },
    {
      name: 'sushiswap-v2',
      label: 'SushiV2',
      protocol: 'uniswap_v2',
      factory: '0x71524B4f93c58fcbF659783284E38825f0622859',
      router: '0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891',
      feesPips: [3000],
      initCodeHash: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
      deployBlock: 2631214,
    },
    {
      name: 'sushiswap-v3',
      label: 'SushiV3',
      protocol: 'uniswap_v3',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      quoter: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
      feesPips: [100, 500, 3000, 10000],
      initCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      deployBlock: 1759510,
    },
    {
      name: 'baseswap-v2',
      label: 'BaseSwapV2',
      protocol: 'uniswap_v2',
      factory: '0xFDa619b6d20975be80A10332cD39b9a4b0FAa8BB',
      router: '0x327Df1E6de05895d2ab08513aaDD9313Fe505d86',
      feesPips: [2500],
      initCodeHash: '0xb618a2730fae167f5f8ac7bd659dd8436d571872655bcb6fd11f2158c8a64a3b',
      deployBlock: 2059124,
    },
    {
      name: 'alienbase-v3',
      label: 'AlienBaseV3',
      protocol: 'uniswap_v3',
      factory: '0x0Fd83557b2be93617c9C1C1B6fd549401C74558C',
      quoter: '0x4fDBD73aD4B1DDde594BF05497C15f76308eFfb9',
      feesPips: [200, 750, 3000, 10000],
      initCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      deployBlock: 0,
    },
    {
      name: 'aerodrome-v2',
      label: 'Aero',
      protocol: 'aerodrome_v2',
      factory: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      router: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43',
      feesPips: [500, 3000],
      deployBlock: 3200559,
    },
    {
      name: 'aerodrome-slipstream',
      label: 'Slipstream',
      protocol: 'slipstream',
      factory: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      quoter: '0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0',
      router: '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5',
      feesPips: [100, 500, 3000, 10000],
      poolKeys: [1, 50, 100, 200, 2000],
      deployBlock: 0,
    },
    {
      name: 'uniswap-v4',
      label: 'UniV4',
      protocol: 'uniswap_v4',
      factory: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
      quoter: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D',
      router: '0x6fF5693b99212Da76ad316178A184AB56D299b43',
      feesPips: [100, 500, 3000, 10000],
      poolKeys: [1, 10, 60, 200],
      deployBlock: 25350988,
    },
    {
      name: 'balancer-v2-weighted',
      label: 'BalV2W',
      protocol: 'balancer_v2_weighted',
      factory: '0x4C32a8a8fDa4E24139B51b456B42290f51d6A1c4',
      router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      quoter: '0x300Ab2038EAc391f26D9F895dc61F8F66a548833',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'balancer-v2-stable',
      label: 'BalV2S',
      protocol: 'balancer_v2_stable',
      factory: '0x8df317a729fcaA260306d7de28888932cb579b88',
      router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      quoter: '0x300Ab2038EAc391f26D9F895dc61F8F66a548833',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'balancer-v2-stable-v6',
      label: 'BalV2S',
      protocol: 'balancer_v2_stable',
      factory: '0x956CCab09898C0AF2aCa5e6C229c3aD4E93d9288',
      router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      quoter: '0x300Ab2038EAc391f26D9F895dc61F8F66a548833',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'algebra-integral',
      label: 'Algebra',
      protocol: 'algebra_integral',
      factory: '0xde516c939a127390dd44d78713da4f8a9351b02d',
      router: '0xafee2f8ff3871011a0622f5a71c10d4ea7eeae06',
      quoter: '0x3aaa431978c741b5f3fc0fd3224cec16cd76d3d1',
      feesPips: [],
      isOptional: true,
      deployBlock: 0,
    },
    {
      name: 'curve-stable-ng',
      label: 'CurveNG',
      protocol: 'curve_stable_ng',
      factory: '0xd2002373543Ce3527023C75e7518C274A51ce712',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'curve-plain',
      label: 'Curve',
      protocol: 'curve_plain',
      factory: '0x3093f9B57A428F3EB6285a589cb35bEA6e78c336',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'balancer-v3-weighted',
      label: 'BalV3W',
      protocol: 'balancer_v3_weighted',
      factory: '0xBDbADc891BB95DEE80eBC491699228EF0f7D6fF1',
      quoter: '0x3f170631ed9821Ca51A59D996aB095162438DC10',
      feesPips: [],
      deployBlock: 25343854,
    },
    {
      name: 'balancer-v3-stable',
      label: 'BalV3S',
      protocol: 'balancer_v3_stable',
      factory: '0xFc2986feAB34713E659da84F3B1FA32c1da95832',
      quoter: '0x3f170631ed9821Ca51A59D996aB095162438DC10',
      feesPips: [],
      deployBlock: 25343854,
    },
    {
      name: 'aerodrome-slipstream-gauge-caps',
      label: 'Slipstream2',
      protocol: 'slipstream',
      factory: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      quoter: '0x3d4C22254F86f64B7eC90ab8F7aeC1FBFD271c6C',
      feesPips: [100, 500, 3000, 10000],
      poolKeys: [1, 50, 100, 200, 2000],
      deployBlock: 0,
    },
  ],
  42161: [
    {
      name: 'uniswap-v2',
      label: 'UniV2',
      protocol: 'uniswap_v2',
      factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      feesPips: [3000],
      initCodeHash: '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
      deployBlock: 0,
    },
    {
      name: 'uniswap-v3',
      label: 'UniV3',
      protocol: 'uniswap_v3',
      factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
      quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
      feesPips: [100, 500, 3000, 10000],
      initCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      deployBlock: 165,
    },
    {
      name: 'pancakeswap-v2',
      label: 'PancakeV2',
      protocol: 'uniswap_v2',
      factory: '0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E',
      router: '0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb',
      feesPips: [2500],
      initCodeHash: '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
      deployBlock: 101022992,
    },
    {
      name: 'pancakeswap-v3',
      label: 'PancakeV3',
      protocol: 'pancake_v3',
      factory: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      router: '0x1b81D678ffb9C0263b24A97847620C99d213eB14',
      quoter: '0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997',
      feesPips: [100, 500, 2500, 10000],
      initCodeHash: '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2',
      deployBlock: 101028949,
    },
    {
      name: 'sushiswap-v2',
      label: 'SushiV2',
      protocol: 'uniswap_v2',
      factory: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      router: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
      feesPips: [3000],
      initCodeHash: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
      deployBlock: 70,
    },
    {
      name: 'sushiswap-v3',
      label: 'SushiV3',
      protocol: 'uniswap_v3',
      factory: '0x1af415a1EbA07a4986a52B6f2e7dE7003D82231e',
      router: '0x8A21F6768C1f8075791D08546Dadf6daA0bE820c',
      quoter: '0x0524E833cCD057e4d7A296e3aaAb9f7675964Ce1',
      feesPips: [100, 500, 3000, 10000],
      initCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      deployBlock: 75998697,
    },
    {
      name: 'uniswap-v4',
      label: 'UniV4',
      protocol: 'uniswap_v4',
      factory: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
      quoter: '0x3972C00f7ed4885e145823eb7C655375d275A1C5',
      router: '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3',
      feesPips: [100, 500, 3000, 10000],
      poolKeys: [1, 10, 60, 200],
      deployBlock: 297842872,
    },
    {
      name: 'balancer-v2-weighted',
      label: 'BalV2W',
      protocol: 'balancer_v2_weighted',
      factory: '0xc7E5ED1054A24Ef31D827E6F86caA58B3Bc168d7',
      router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      quoter: '0xE39B5e3B6D74016b2F6A9673D7d7493B6DF549d5',
      feesPips: [],
      deployBlock: 222832,
    },
    {
      name: 'balancer-v2-stable',
      label: 'BalV2S',
      protocol: 'balancer_v2_stable',
      factory: '0xA8920455934Da4D853faac1f94Fe7bEf72943eF1',
      router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      quoter: '0xE39B5e3B6D74016b2F6A9673D7d7493B6DF549d5',
      feesPips: [],
      deployBlock: 222832,
    },
    {
      name: 'balancer-v2-stable-v6',
      label: 'BalV2S',
      protocol: 'balancer_v2_stable',
      factory: '0x4bdCc2fb18AEb9e2d281b0278D946445070EAda7',
      router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8',
      quoter: '0xE39B5e3B6D74016b2F6A9673D7d7493B6DF549d5',
      feesPips: [],
      deployBlock: 222832,
    },
    {
      name: 'algebra-integral',
      label: 'Algebra',
      protocol: 'algebra_integral',
      factory: '0xde516c939a127390dd44d78713da4f8a9351b02d',
      router: '0xafee2f8ff3871011a0622f5a71c10d4ea7eeae06',
      quoter: '0x3aaa431978c741b5f3fc0fd3224cec16cd76d3d1',
      feesPips: [],
      isOptional: true,
      deployBlock: 0,
    },
    {
      name: 'curve-stable-ng',
      label: 'CurveNG',
      protocol: 'curve_stable_ng',
      factory: '0x9AF14D26075f142eb3F292D5065EB3faa646167b',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'curve-plain',
      label: 'Curve',
      protocol: 'curve_plain',
      factory: '0xb17b674D9c5CB2e441F8e196a2f048A81355d031',
      feesPips: [],
      deployBlock: 0,
    },
    {
      name: 'camelot-v2',
      label: 'CamelotV2',
      protocol: 'camelot_v2',
      factory: '0x6EcCab422D763aC031210895C81787E87B43A652',
      router: '0xc873fEcbd354f5A56E00E710B90EF4201db2448d',
      feesPips: [3000],
      initCodeHash: '0xa856464ae65f7619087bc369daaf7e387dae1e5af69cfa7935850ebf754b04c1',
      deployBlock: 35061163,
    },
    {
      name: 'camelot-v3',
      label: 'CamelotV3',
      protocol: 'camelot_v3',
      factory: '0x1a3c9B1d2F0529D97f2afC5136Cc23e58f1FD35B',
      router: '0x1F721E2E82F6676FCE4eA07A5958cF098D339e18',
      quoter: '0x0Fc73040b26E9bC8514fA028D998E73A254Fa76E',
      feesPips: [],
      deployBlock: 75633510,
    },
    {
      name: 'balancer-v3-weighted',
      label: 'BalV3W',
      protocol: 'balancer_v3_weighted',
      factory: '0x83bf399FA3DC49Af8fb5c34031a50c7C93F56129',
      quoter: '0xEAedc32a51c510d35ebC11088fD5fF2b47aACF2E',
      feesPips: [],
      deployBlock: 297810187,
    },
    {
      name: 'balancer-v3-stable',
      label: 'BalV3S',
      protocol: 'balancer_v3_stable',
      factory: '0x1FC7F1F84CFE61a04224AC8D3F87f56214FeC08c',
      quoter: '0xEAedc32a51c510d35ebC11088fD5fF2b47aACF2E',
      feesPips: [],
      deployBlock: 297810187,
    },
    {
      name: 'lb-v2.1',
      label: 'LB21',
      protocol: 'liquidity_book',
      factory: '0x8e42f2F4101563bF679975178e880FD87d3eFd4e',
      quoter: '0xd76019A16606FDa4651f636D9751f500Ed776250',
      feesPips: [],
      deployBlock: 77473199,
    },
    {
      name: 'lb-v2.2',
      label: 'LB22',
      protocol: 'liquidity_book',
      factory: '0xb43120c4745967fa9b93E79C149E66B0f2D6Fe0c',
      quoter: '0x9A550a522BBaDFB69019b0432800Ed17855A51C3',
      feesPips: [],
      deployBlock: 0,
    },
  ],
}

export function getDexes(chainId: number): readonly Dex[] {
  return dexRows[chainId] ?? []
}
