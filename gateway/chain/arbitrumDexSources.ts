import type { DexSources } from './chain.ts'

export const arbitrumDexSources: DexSources = {
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
  ['0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:342',
  ],
  ['0xf1665e19bc105be4edd3739f88315cc699cc5b65']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:494',
  ],
  ['0x7dfdef5f355096603419239ce743bfaf1120312b']: [
    'npm:@balancer-labs/v2-deployments@3.2.0 dist/tasks/20210418-weighted-pool/output/arbitrum.json:2',
  ],
  ['0xcf0a32bbef8f064969f21f7e02328fb577382018']: [
    'npm:@balancer-labs/v2-deployments@3.2.0 dist/tasks/20210418-weighted-pool/output/arbitrum.json:4',
    'github:balancer/balancer-deployments addresses/arbitrum.json:33',
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
  ['0xd961e30156c2e0d0d925a0de45f931cb7815e970']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:968',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0xeb1eeabf0126d813589c3d2cfeffe410d9ae3863']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:944',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x44d33798dddcdabc93fe6a40c80588033dc502d3']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:1142',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x88ed12a90142fdbfe2a28f7d5b48927254c7e760']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:1034',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x65a22ec32c37835ad5e77eb6f7452ac59e113a9f']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:992',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0xa1d0791a41318c775707c56eae247af81a05322c']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:1190',
  ],
  ['0x86e67e115f96df37239e0479441303de0de7bc2b']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:1006',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x201efd508c8dfe9de1a13c2452863a78cb2a86cc']: [
    'github:balancer/balancer-deployments addresses/arbitrum.json:1166',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x2b05f8e1cacc6974fd79a673a341fe1f58d27266']: [
    'github:sparkdotfi/spark-address-registry src/Arbitrum.sol:35',
  ],
  ['0x7f6501d3b98ee91f9b9535e4b0ac710fb0f9e0bc']: [
    'github:balancer/code-review erc4626/registry.json',
    'github:bgd-labs/aave-address-book src/AaveV3Arbitrum.sol:425',
  ],
  ['0x794a61358d6845594f94dc1db02a252b5b4814ad']: [
    'github:bgd-labs/aave-address-book src/AaveV3Arbitrum.sol:12',
  ],
  ['0x8145edddf43f50276641b55bd3ad95944510021e']: [
    'github:bgd-labs/aave-address-book src/AaveV3Arbitrum.sol:16',
  ],
}
