import type { DexSources } from './chain.ts'

export const baseDexSources: DexSources = {
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
  ['0x5cf4928a3205728bd12830e1840f7db85c62a4b9']: [
    'github:balancer/balancer-deployments addresses/base.json:558',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0xb9f8ab3ed3f3acba64bc6cd2dca74b7f38fd7b88']: [
    'github:balancer/balancer-deployments addresses/base.json:534',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0xc49ca921c4cd1117162eaeec0ee969649997950c']: [
    'github:balancer/balancer-deployments addresses/base.json:732',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x5f6848976c2914403b425f18b589a65772f082e3']: [
    'github:balancer/balancer-deployments addresses/base.json:624',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0xf5cddf6fed9c589f1be04899f48f9738531dad59']: [
    'github:balancer/balancer-deployments addresses/base.json:582',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x3beb058de1a25dd24223fd9e1796df8589429ace']: [
    'github:balancer/balancer-deployments addresses/base.json:780',
  ],
  ['0x4fb47126fa83a8734991e41b942ac29a3266c968']: [
    'github:balancer/balancer-deployments addresses/base.json:596',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x8e3feaab11b7b351e3ea1e01247ab6ccc847dd52']: [
    'github:balancer/balancer-deployments addresses/base.json:756',
    'github:cowprotocol/services contracts/src/main.rs',
  ],
  ['0x1601843c5e9bc251a3272907010afa41fa18347e']: [
    'github:sparkdotfi/spark-address-registry src/Base.sol:35',
  ],
  ['0xc768c589647798a6ee01a91fde98ef2ed046dbd6']: [
    'github:balancer/code-review erc4626/registry.json',
    'github:bgd-labs/aave-address-book src/AaveV3Base.sol:244',
  ],
  ['0xa238dd80c259a72e81d7e4664a9801593f98d1c5']: [
    'github:bgd-labs/aave-address-book src/AaveV3Base.sol:12',
  ],
  ['0x5731a04b1e775f0fdd454bf70f3335886e9a96be']: [
    'github:bgd-labs/aave-address-book src/AaveV3Base.sol:16',
  ],
}
