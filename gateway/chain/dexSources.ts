/**
 * Where each DEX's address was found, by chain and lower-case address: public repositories and npm packages.
 * Addresses with one source only are no different from the others: each is verified on first contact.
 */
export const dexSources: Readonly<Record<number, Readonly<Record<string, readonly string[]>>>> = {
  8453: {
    ['0x8909dc15e40173ff4699343b6eb8132c65e18ec6']: [
      'github:Uniswap/contracts deployments/8453.md:109',
      'npm:@uniswap/sdk-core@7.19.4 dist/esm/src/addresses.js:29',
      'npm:sushi@7.3.15 _esm/evm/config/features/uniswap-v2.js:7',
    ],
    ['0x33128a8fc17869897dce68ed026d694621f6fdfd']: [
      'github:Uniswap/contracts deployments/8453.md:154',
      'npm:@uniswap/sdk-core@7.19.4 dist/esm/src/addresses.js:225',
      'npm:sushi@7.3.15 _esm/evm/config/features/uniswap-v3.js:98',
    ],
    ['0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e']: [
      'npm:sushi@7.3.15 _esm/evm/config/features/pancakeswap-v2.js:22',
      'github:BowTiedDevil/degenbot rust/crates/degenbot-uniswap/src/deployments.json:76',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:49',
    ],
    ['0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865']: [
      'npm:@pancakeswap/v3-sdk@3.10.2 dist/constants.d.ts:17',
      'npm:sushi@7.3.15 _esm/evm/config/features/pancakeswap-v3.js:49',
      'github:paraswap/paraswap-dex-lib src/dex/pancakeswap-v3/config.ts:54',
    ],
    ['0x71524b4f93c58fcbf659783284e38825f0622859']: [
      'npm:sushi@7.3.15 _esm/evm/config/features/sushiswap-v2.js:102',
      'github:BowTiedDevil/degenbot rust/crates/degenbot-uniswap/src/deployments.json:120',
      'github:DefiLlama/DefiLlama-Adapters projects/sushiswap/api.js:110',
    ],
    ['0xc35dadb65012ec5796536bd9864ed8773abc74c4']: [
      'npm:sushi@7.3.15 _esm/evm/config/features/sushiswap-v3.js:53',
      'github:sushiswap/v3-core deployments/base/UniswapV3Factory.json:2',
      'github:0xProject/0x-settler src/core/univ3forks/SushiswapV3.sol:5',
    ],
    ['0xfda619b6d20975be80a10332cd39b9a4b0faa8bb']: [
      'github:paraswap/paraswap-dex-lib src/dex/uniswap-v2/config.ts:579',
      'github:DefiLlama/DefiLlama-Adapters registries/uniswapV2.js:189',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:45',
    ],
    ['0x0fd83557b2be93617c9c1c1b6fd549401c74558c']: [
      'github:paraswap/paraswap-dex-lib src/dex/uniswap-v3/config.ts:336',
      'github:DefiLlama/DefiLlama-Adapters registries/uniswapV3.js:121',
    ],
    ['0x420dd381b31aef6683db6b902084cb0ffece40da']: [
      'github:aerodrome-finance/contracts PERMISSIONS.md:82',
      'github:aerodrome-finance/slipstream script/constants/Base.json:11',
      'github:paraswap/paraswap-dex-lib src/dex/solidly/config.ts:85',
    ],
    ['0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a']: [
      'github:aerodrome-finance/slipstream README.md:51',
      'github:paraswap/paraswap-dex-lib src/dex/uniswap-v3/config.ts:390',
      'github:BowTiedDevil/degenbot rust/crates/degenbot-uniswap/src/deployments.json:209',
    ],
    ['0x498581ff718922c3f8e6a244956af099b2652b2b']: [
      'github:Uniswap/contracts deployments/8453.md:159',
      'npm:@uniswap/sdk-core@7.19.4 dist/esm/src/addresses.js:233',
      'github:0xProject/0x-settler src/core/UniswapV4Addresses.sol:9',
    ],
    ['0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4']: [
      'github:balancer/balancer-deployments addresses/base.json:180',
      'npm:@balancer/sdk@6.1.1 dist/index.js:34930',
      'github:balancer/b-sdk src/utils/balancerV2Contracts.ts:73',
    ],
    ['0x8df317a729fcaa260306d7de28888932cb579b88']: [
      'github:balancer/balancer-deployments addresses/base.json:368',
      'github:cowprotocol/services contracts/src/main.rs:225',
    ],
    ['0x956ccab09898c0af2aca5e6c229c3ad4e93d9288']: [
      'github:balancer/balancer-deployments addresses/base.json:424',
      'npm:@balancer/sdk@6.1.1 dist/index.js:34943',
      'github:balancer/b-sdk src/utils/constantsV2.ts:71',
    ],
    ['0xd2002373543ce3527023c75e7518c274a51ce712']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:237',
      'github:curvefi/curve-core deployments/devnet/hyperliquid.yaml:54',
      'github:curvefi/stableswap-ng scripts/deploy_pool.py:23',
    ],
    ['0x3093f9b57a428f3eb6285a589cb35bea6e78c336']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:235',
      'github:paraswap/paraswap-dex-lib src/dex/curve-v1-factory/config.ts:787',
      'github:DefiLlama/DefiLlama-Adapters projects/curve/contracts.json:136',
    ],
    ['0xbdbadc891bb95dee80ebc491699228ef0f7d6ff1']: [
      'github:balancer/balancer-deployments addresses/base.json:1040',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35849',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:225',
    ],
    ['0xfc2986feab34713e659da84f3b1fa32c1da95832']: [
      'github:balancer/balancer-deployments addresses/base.json:1054',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35751',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:127',
    ],
    ['0xade65c38cd4849adba595a4323a8c7ddfe89716a']: [
      'github:aerodrome-finance/slipstream script/constants/output/DeployCL-Base-Gauge-Caps.json:7',
      'github:DefiLlama/DefiLlama-Adapters projects/aerodrome-CL/index.js:21',
    ],
    ['0x5ef72230578b3e399e6c6f4f6360edf95e83bbfd']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:236',
      'github:DefiLlama/DefiLlama-Adapters projects/curve/contracts.json:137',
    ],
    ['0xc9fe0c63af9a39402e8a5514f9c43af0322b665f']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:238',
      'github:curvefi/twocrypto-ng deployments.yaml:25',
      'github:DefiLlama/DefiLlama-Adapters projects/curve/contracts.json:140',
    ],
    ['0xa5961898870943c68037f6848d2d866ed2016bcb']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:239',
      'github:DefiLlama/DefiLlama-Adapters projects/curve/contracts.json:141',
    ],
    ['0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e']: [
      'github:0xProject/0x-settler src/core/MaverickV2.sol:23',
      'github:DefiLlama/DefiLlama-Adapters projects/maverick-v2/index.js:64',
    ],
    ['0x0226fce8c969604c3a0ad19c37d1fafac73e13c2']: [
      'github:DODOEX/contractV2 config/base-config.js:38',
      'github:DefiLlama/DefiLlama-Adapters projects/dodo/index.js:23',
    ],
    ['0xc0f9553df63de5a97fe64422c8578d0657c360f7']: [
      'github:DODOEX/contractV2 config/base-config.js:39',
      'github:DefiLlama/DefiLlama-Adapters projects/dodo/index.js:23',
    ],
    ['0x200d866edf41070de251ef92715a6ea825a5eb80']: [
      'github:DODOEX/contractV2 config/base-config.js:40',
      'github:DefiLlama/DefiLlama-Adapters projects/dodo/index.js:23',
    ],
    ['0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4']: [
      'github:woonetwork/docs guides/integrate-woofi-as-liquidity-source.md:149',
      'github:paraswap/paraswap-dex-lib src/dex/woo-fi-v2/config.ts:69',
      'github:DefiLlama/DefiLlama-Adapters registries/sumTokens/data2.js:166',
    ],
    ['0x91716c4eda1fb55e84bf8b4c7085f84285c19085']: [
      'github:Instadapp/fluid-contracts-public deployments/base/DexFactory.json:2',
      'github:propeller-heads/tycho-indexer protocols/substreams/ethereum-fluid/src/modules.rs:600 (chain not named next to it)',
    ],
    ['0x86a0e97ec0d5db8dae106d3067358d41968fd12c']: [
      'github:balancer/balancer-deployments addresses/base.json:1096',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35685',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:61',
    ],
    ['0x312600bc7645e47a4926dc658827398af070d431']: [
      'github:balancer/balancer-deployments addresses/base.json:1082',
    ],
    ['0x201efd508c8dfe9de1a13c2452863a78cb2a86cc']: [
      'github:balancer/balancer-deployments addresses/base.json:906',
      'github:balancer/balancer-v3-monorepo pkg/standalone-utils/contracts/BalancerContractRegistry.sol:79',
    ],
    ['0x6623d1ceeab236ae93acafb285ddfb77336b6981']: [
      'github:balancer/balancer-deployments addresses/base.json:1068',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35779',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:155',
    ],
  },
  42161: {
    ['0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9']: [
      'github:Uniswap/contracts deployments/42161.md:124',
      'npm:@uniswap/sdk-core@7.19.4 dist/esm/src/addresses.js:26',
      'npm:sushi@7.3.15 _esm/evm/config/features/uniswap-v2.js:5',
    ],
    ['0x1f98431c8ad98523631ae4a59f267346ea31f984']: [
      'github:Uniswap/contracts deployments/42161.md:169',
      'npm:@uniswap/sdk-core@7.19.4 dist/esm/src/addresses.js:79',
      'npm:sushi@7.3.15 _esm/evm/config/features/uniswap-v3.js:94',
    ],
    ['0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e']: [
      'npm:sushi@7.3.15 _esm/evm/config/features/pancakeswap-v2.js:20',
      'github:paraswap/paraswap-dex-lib src/dex/uniswap-v2/config.ts:386',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:10',
    ],
    ['0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865']: [
      'npm:@pancakeswap/v3-sdk@3.10.2 dist/constants.d.ts:9',
      'npm:sushi@7.3.15 _esm/evm/config/features/pancakeswap-v3.js:48',
      'github:paraswap/paraswap-dex-lib src/dex/pancakeswap-v3/config.ts:40',
    ],
    ['0xc35dadb65012ec5796536bd9864ed8773abc74c4']: [
      'npm:sushi@7.3.15 _esm/evm/config/features/sushiswap-v2.js:94',
      'github:paraswap/paraswap-dex-lib src/dex/uniswap-v2/config.ts:443',
      'github:BowTiedDevil/degenbot rust/crates/degenbot-uniswap/src/deployments.json:131',
    ],
    ['0x1af415a1eba07a4986a52b6f2e7de7003d82231e']: [
      'npm:sushi@7.3.15 _esm/evm/config/features/sushiswap-v3.js:35',
      'github:sushiswap/v3-core deployments/arbitrum/UniswapV3Factory.json:2',
      'github:0xProject/0x-settler src/core/univ3forks/SushiswapV3.sol:6',
    ],
    ['0x360e68faccca8ca495c1b759fd9eee466db9fb32']: [
      'github:Uniswap/contracts deployments/42161.md:74',
      'npm:@uniswap/sdk-core@7.19.4 dist/esm/src/addresses.js:110',
      'github:0xProject/0x-settler src/core/UniswapV4Addresses.sol:7',
    ],
    ['0xc7e5ed1054a24ef31d827e6f86caa58b3bc168d7']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:612',
      'npm:@balancer/sdk@6.1.1 dist/index.js:34928',
      'github:balancer/b-sdk src/utils/balancerV2Contracts.ts:71',
    ],
    ['0xa8920455934da4d853faac1f94fe7bef72943ef1']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:778',
      'github:cowprotocol/services contracts/src/main.rs:224',
    ],
    ['0x4bdcc2fb18aeb9e2d281b0278d946445070eada7']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:834',
      'npm:@balancer/sdk@6.1.1 dist/index.js:34941',
      'github:balancer/b-sdk src/utils/constantsV2.ts:69',
    ],
    ['0x9af14d26075f142eb3f292d5065eb3faa646167b']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:99',
      'github:curvefi/stableswap-ng scripts/deploy_pool.py:21',
      'github:paraswap/paraswap-dex-lib src/dex/curve-v1-stable-ng/config.ts:131',
    ],
    ['0xb17b674d9c5cb2e441f8e196a2f048a81355d031']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:98',
      'github:paraswap/paraswap-dex-lib src/dex/curve-v1-factory/config.ts:542',
    ],
    ['0x6eccab422d763ac031210895c81787e87b43a652']: [
      'github:paraswap/paraswap-dex-lib src/dex/camelot/config.ts:9',
      'github:BowTiedDevil/degenbot rust/crates/degenbot-uniswap/src/deployments.json:175',
      'github:DefiLlama/DefiLlama-Adapters registries/uniswapV2.js:323',
    ],
    ['0x1a3c9b1d2f0529d97f2afc5136cc23e58f1fd35b']: [
      'github:paraswap/paraswap-dex-lib src/dex/algebra/config.ts:71',
      'github:DefiLlama/DefiLlama-Adapters projects/camelot-v2/index.js:5',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:8',
    ],
    ['0x83bf399fa3dc49af8fb5c34031a50c7c93f56129']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:1450',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35847',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:223',
    ],
    ['0x1fc7f1f84cfe61a04224ac8d3f87f56214fec08c']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:1464',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35749',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:125',
    ],
    ['0x8e42f2f4101563bf679975178e880fd87d3efd4e']: [
      'npm:@traderjoe-xyz/sdk-v2@3.0.21 dist/index.js:16526',
      'github:DefiLlama/DefiLlama-Adapters registries/traderJoeV2.js:65',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:19',
    ],
    ['0xb43120c4745967fa9b93e79c149e66b0f2d6fe0c']: [
      'npm:@traderjoe-xyz/sdk-v2@3.0.21 dist/index.js:16538',
      'github:DefiLlama/DefiLlama-Adapters registries/traderJoeV2.js:61',
    ],
    ['0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:23',
      'github:curvefi/twocrypto-ng deployments.yaml:4',
      'github:DefiLlama/DefiLlama-Adapters projects/curve/contracts.json:72',
    ],
    ['0xbc0797015fcfc47d9c1856639cae50d0e69fbee8']: [
      'npm:@curvefi/api@2.65.13 lib/constants/network_constants.js:101',
      'github:0xProject/0x-settler src/chains/Arbitrum/Common.sol:210',
      'github:DefiLlama/DefiLlama-Adapters projects/curve/contracts.json:73',
    ],
    ['0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e']: [
      'github:0xProject/0x-settler src/core/MaverickV2.sol:23',
      'github:DefiLlama/DefiLlama-Adapters projects/maverick-v2/index.js:72',
    ],
    ['0xda4c4411c55b0785e501332354a036c04833b72b']: [
      'github:DODOEX/contractV2 config/arb-config.js:42',
      'github:DefiLlama/DefiLlama-Adapters projects/dodo/index.js:6',
    ],
    ['0xa6cf3d163358af376ec5e8b7cc5e102a05fde63d']: [
      'github:DODOEX/contractV2 config/arb-config.js:43',
      'github:DefiLlama/DefiLlama-Adapters projects/dodo/index.js:6',
    ],
    ['0xc8fe2440744dcd733246a4db14093664defd5a53']: [
      'github:DODOEX/contractV2 config/arb-config.js:44',
      'github:DefiLlama/DefiLlama-Adapters projects/dodo/index.js:6',
    ],
    ['0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4']: [
      'github:woonetwork/docs references/readme/arbitrum-one.md:5',
      'github:paraswap/paraswap-dex-lib src/dex/woo-fi-v2/config.ts:49',
      'github:DefiLlama/DefiLlama-Adapters registries/sumTokens/data2.js:145',
    ],
    ['0x91716c4eda1fb55e84bf8b4c7085f84285c19085']: [
      'github:Instadapp/fluid-contracts-public deployments/arbitrum/DexFactory.json:2',
      'github:paraswap/paraswap-dex-lib src/dex/fluid-dex/config.ts:18',
    ],
    ['0xe31715e75207acc8bfadd96902ff522058928479']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:1506',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35683',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:59',
    ],
    ['0x64b7dfe8a3972639712efa124d180dc3ff0f5bcf']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:1492',
    ],
    ['0x355bd33f0033066bb3de396a6d069be57353ad95']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:1316',
    ],
    ['0x8a8b9f35765899b3a0291700141470d79ea2ea88']: [
      'github:balancer/balancer-deployments addresses/arbitrum.json:1478',
      'npm:@balancer/sdk@6.1.1 dist/index.js:35777',
      'github:balancer/b-sdk src/utils/balancerV3Contracts.ts:153',
    ],
    ['0xaaa20d08e59f6561f242b08513d36266c5a29415']: [
      'github:paraswap/paraswap-dex-lib src/dex/solidly/config.ts:121',
      'github:DefiLlama/DefiLlama-Adapters registries/uniswapV2.js:2719',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:12',
    ],
    ['0xaa2cd7477c451e703f3b9ba5663334914763edf8']: [
      'github:paraswap/paraswap-dex-lib src/dex/uniswap-v3/config.ts:238',
      'github:DefiLlama/DefiLlama-Adapters registries/uniswapV3.js:1132',
      'github:bancorprotocol/fastlane-bot fastlane_bot/data/multichain_addresses.csv:13',
    ],
    ['0xc79ae87e9f55761c08e346b98dddf070c9872787']: [
      'npm:@sushiswap/trident-core@1.0.9 deployments/arbitrum/ConstantProductPoolFactory.json',
      'npm:@sushiswap/trident-core@1.0.9 exports/exports.json:17655',
    ],
    ['0xc2fb256aba36852dccea92181ec6b355f09a0288']: [
      'npm:@sushiswap/trident-core@1.0.9 deployments/arbitrum/StablePoolFactory.json',
    ],
  },
}
