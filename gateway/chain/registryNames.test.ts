import { assert, suite } from '../../fixtures/test.ts'
import { getDexes } from './chains.ts'
import { factoriesOf } from './dex.ts'

/**
 * The exchanges of the registry that this configuration was made from, each with the rows that cover
 * it. A protocol of several factories is several rows; none is left out.
 */
const both: Readonly<Record<string, readonly string[]>> = {
  'uniswap-v2': ['uniswap-v2'],
  'uniswap-v3': ['uniswap-v3'],
  'uniswap-v4': ['uniswap-v4'],
  'pancakeswap-v2': ['pancakeswap-v2'],
  'pancakeswap-v3': ['pancakeswap-v3'],
  'sushiswap-v2': ['sushiswap-v2'],
  'sushiswap-v3': ['sushiswap-v3'],
  'balancer-v2': ['balancer-v2-weighted', 'balancer-v2-stable', 'balancer-v2-stable-v6'],
  'balancer-v3': [
    'balancer-v3-weighted',
    'balancer-v3-stable',
    'balancer-v3-stable-surge',
    'balancer-v3-gyro-eclp',
    'balancer-v3-gyro-2clp',
    'balancer-v3-reclamm',
  ],
  'maverick-v2': ['maverick-v2'],
  'dodo-v2': ['dodo-v2-dvm', 'dodo-v2-dpp', 'dodo-v2-dsp'],
  'woofi-v2': ['woofi-v2'],
  'fluid-dex': ['fluid-dex'],
}

const registry: Readonly<Record<number, Readonly<Record<string, readonly string[]>>>> = {
  8453: {
    ...both,
    'aerodrome-v2': ['aerodrome-v2'],
    'aerodrome-slipstream': ['aerodrome-slipstream'],
    'aerodrome-slipstream-gauge-caps': ['aerodrome-slipstream-gauge-caps'],
    'baseswap-v2': ['baseswap-v2'],
    'alienbase-v3': ['alienbase-v3'],
    curve: [
      'curve-stable-ng',
      'curve-plain',
      'curve-twocrypto-ng',
      'curve-tricrypto-ng',
      'curve-crypto',
    ],
  },
  42161: {
    ...both,
    'camelot-v2': ['camelot-v2'],
    'camelot-v3': ['camelot-v3'],
    'trader-joe-lb-v2.1': ['lb-v2.1'],
    'trader-joe-lb-v2.2': ['lb-v2.2'],
    curve: ['curve-stable-ng', 'curve-plain', 'curve-twocrypto-ng', 'curve-tricrypto-ng'],
    'ramses-v1': ['ramses-v1'],
    'ramses-v2': ['ramses-v2'],
    trident: ['trident-classic', 'trident-stable'],
  },
}
/** Rows that no registry names: the offline world's own. */
const ownRows = ['algebra-integral']
/** Wrappers: no exchange of any registry. */
const wrappers = ['psm3', 'aave-v3', 'erc4626-reviewed']

/** Every factory that the registry names, by chain; contracts of other roles are found through these. */
const factories: Readonly<Record<number, readonly string[]>> = {
  8453: [
    '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
    '0x33128a8fc17869897dce68ed026d694621f6fdfd',
    '0x498581ff718922c3f8e6a244956af099b2652b2b',
    '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
    '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
    '0x71524b4f93c58fcbf659783284e38825f0622859',
    '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
    '0x420dd381b31aef6683db6b902084cb0ffece40da',
    '0x5e7bb104d84c7cb9b682aac2f3d509f5f406809a',
    '0xade65c38cd4849adba595a4323a8c7ddfe89716a',
    '0x3093f9b57a428f3eb6285a589cb35bea6e78c336',
    '0x5ef72230578b3e399e6c6f4f6360edf95e83bbfd',
    '0xd2002373543ce3527023c75e7518c274a51ce712',
    '0xc9fe0c63af9a39402e8a5514f9c43af0322b665f',
    '0xa5961898870943c68037f6848d2d866ed2016bcb',
    '0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4',
    '0x8df317a729fcaa260306d7de28888932cb579b88',
    '0x956ccab09898c0af2aca5e6c229c3ad4e93d9288',
    '0xbdbadc891bb95dee80ebc491699228ef0f7d6ff1',
    '0xfc2986feab34713e659da84f3b1fa32c1da95832',
    '0x86a0e97ec0d5db8dae106d3067358d41968fd12c',
    '0x312600bc7645e47a4926dc658827398af070d431',
    '0x201efd508c8dfe9de1a13c2452863a78cb2a86cc',
    '0x6623d1ceeab236ae93acafb285ddfb77336b6981',
    '0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e',
    '0x0226fce8c969604c3a0ad19c37d1fafac73e13c2',
    '0xc0f9553df63de5a97fe64422c8578d0657c360f7',
    '0x200d866edf41070de251ef92715a6ea825a5eb80',
    '0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4',
    '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
    '0xfda619b6d20975be80a10332cd39b9a4b0faa8bb',
    '0x0fd83557b2be93617c9c1c1b6fd549401c74558c',
    '0x5cf4928a3205728bd12830e1840f7db85c62a4b9',
    '0xb9f8ab3ed3f3acba64bc6cd2dca74b7f38fd7b88',
    '0xc49ca921c4cd1117162eaeec0ee969649997950c',
    '0x5f6848976c2914403b425f18b589a65772f082e3',
    '0xf5cddf6fed9c589f1be04899f48f9738531dad59',
    '0x3beb058de1a25dd24223fd9e1796df8589429ace',
    '0x4fb47126fa83a8734991e41b942ac29a3266c968',
    '0x8e3feaab11b7b351e3ea1e01247ab6ccc847dd52',
  ],
  42161: [
    '0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9',
    '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
    '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
    '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
    '0x1af415a1eba07a4986a52b6f2e7de7003d82231e',
    '0x6eccab422d763ac031210895c81787e87b43a652',
    '0x1a3c9b1d2f0529d97f2afc5136cc23e58f1fd35b',
    '0x8e42f2f4101563bf679975178e880fd87d3efd4e',
    '0xb43120c4745967fa9b93e79c149e66b0f2d6fe0c',
    '0xb17b674d9c5cb2e441f8e196a2f048a81355d031',
    '0x9af14d26075f142eb3f292d5065eb3faa646167b',
    '0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f',
    '0xbc0797015fcfc47d9c1856639cae50d0e69fbee8',
    '0xc7e5ed1054a24ef31d827e6f86caa58b3bc168d7',
    '0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c',
    '0xf1665e19bc105be4edd3739f88315cc699cc5b65',
    '0x7dfdef5f355096603419239ce743bfaf1120312b',
    '0xa8920455934da4d853faac1f94fe7bef72943ef1',
    '0x4bdcc2fb18aeb9e2d281b0278d946445070eada7',
    '0x83bf399fa3dc49af8fb5c34031a50c7c93f56129',
    '0x1fc7f1f84cfe61a04224ac8d3f87f56214fec08c',
    '0xe31715e75207acc8bfadd96902ff522058928479',
    '0x64b7dfe8a3972639712efa124d180dc3ff0f5bcf',
    '0x355bd33f0033066bb3de396a6d069be57353ad95',
    '0x8a8b9f35765899b3a0291700141470d79ea2ea88',
    '0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e',
    '0xda4c4411c55b0785e501332354a036c04833b72b',
    '0xa6cf3d163358af376ec5e8b7cc5e102a05fde63d',
    '0xc8fe2440744dcd733246a4db14093664defd5a53',
    '0x5520385bfcf07ec87c4c53a7d8d65595dff69fa4',
    '0x91716c4eda1fb55e84bf8b4c7085f84285c19085',
    '0xaa2cd7477c451e703f3b9ba5663334914763edf8',
    '0xaaa20d08e59f6561f242b08513d36266c5a29415',
    '0xc79ae87e9f55761c08e346b98dddf070c9872787',
    '0xc2fb256aba36852dccea92181ec6b355f09a0288',
    '0xd961e30156c2e0d0d925a0de45f931cb7815e970',
    '0xeb1eeabf0126d813589c3d2cfeffe410d9ae3863',
    '0x44d33798dddcdabc93fe6a40c80588033dc502d3',
    '0x88ed12a90142fdbfe2a28f7d5b48927254c7e760',
    '0x65a22ec32c37835ad5e77eb6f7452ac59e113a9f',
    '0xa1d0791a41318c775707c56eae247af81a05322c',
    '0x86e67e115f96df37239e0479441303de0de7bc2b',
    '0x201efd508c8dfe9de1a13c2452863a78cb2a86cc',
  ],
}

const s = suite('names of the registry')
for (const [chainId, exchanges] of Object.entries(registry)) {
  const rows = getDexes(Number(chainId))
  const names = rows.map(({ name }) => name)

  s(`every exchange of ${chainId} is configured`, () => {
    const missing = Object.entries(exchanges).filter(
      ([, covered]) => covered.length === 0 || covered.some((name) => !names.includes(name)),
    )
    assert.equal(missing, [])
  })
  s(`every row of ${chainId} is of an exchange of the registry`, () => {
    const covered = Object.values(exchanges).flat()
    assert.equal(names.toSorted(), [...covered, ...wrappers, ...ownRows].toSorted())
  })
  s(`every factory of ${chainId} that the registry names has a row [21/factories]`, () => {
    const own = new Set(rows.flatMap(factoriesOf).map((factory) => factory.toLowerCase()))
    assert.equal(
      (factories[Number(chainId)] ?? []).filter((factory) => !own.has(factory)),
      [],
    )
  })
}
s.run()
