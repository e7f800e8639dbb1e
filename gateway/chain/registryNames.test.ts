import { assert, suite } from '../../fixtures/test.ts'
import { getDexes } from './dexes.ts'

/**
 * The exchanges of the registry that this configuration was made from, each with the rows that cover
 * it. A protocol of several factories is several rows; an exchange without any says why.
 */
type Covered = readonly string[] | { readonly leftOut: string }

const both: Readonly<Record<string, Covered>> = {
  'uniswap-v2': ['uniswap-v2'],
  'uniswap-v3': ['uniswap-v3'],
  'uniswap-v4': ['uniswap-v4'],
  'pancakeswap-v2': ['pancakeswap-v2'],
  'pancakeswap-v3': ['pancakeswap-v3'],
  'sushiswap-v2': ['sushiswap-v2'],
  'sushiswap-v3': ['sushiswap-v3'],
  'balancer-v2': ['balancer-v2-weighted', 'balancer-v2-stable', 'balancer-v2-stable-v6'],
  // Its Gyro, reCLAMM and StableSurge factories have maths or hooks of their own: no family prices them.
  'balancer-v3': ['balancer-v3-weighted', 'balancer-v3-stable'],
  'maverick-v2': ['maverick-v2'],
  'dodo-v2': ['dodo-v2-dvm', 'dodo-v2-dpp', 'dodo-v2-dsp'],
  'woofi-v2': ['woofi-v2'],
  'fluid-dex': ['fluid-dex'],
}

const registry: Readonly<Record<number, Readonly<Record<string, Covered>>>> = {
  8453: {
    ...both,
    'aerodrome-v2': ['aerodrome-v2'],
    'aerodrome-slipstream': ['aerodrome-slipstream'],
    'aerodrome-slipstream-gauge-caps': ['aerodrome-slipstream-gauge-caps'],
    'baseswap-v2': ['baseswap-v2'],
    'alienbase-v3': ['alienbase-v3'],
    curve: [
      ...['curve-stable-ng', 'curve-plain'],
      ...['curve-twocrypto-ng', 'curve-tricrypto-ng', 'curve-crypto'],
    ],
  },
  42161: {
    ...both,
    'camelot-v2': ['camelot-v2'],
    'camelot-v3': ['camelot-v3'],
    'trader-joe-lb-v2.1': ['lb-v2.1'],
    'trader-joe-lb-v2.2': ['lb-v2.2'],
    curve: ['curve-stable-ng', 'curve-plain', 'curve-twocrypto-ng', 'curve-tricrypto-ng'],
    'ramses-v1': {
      leftOut:
        'finds its pairs by getPair(a, b, stable) and their fees by pairFee(pair), which is neither ' +
        "Aerodrome's getPool nor its getFee, and no vector says which of the two stable loops it runs",
    },
    'ramses-v2': {
      leftOut:
        'swaps take currentFee(), which its owners move, while fee() names the tier a pool was ' +
        'opened with; and it asks for its payment by ramsesV2SwapCallback, which the executor refuses',
    },
    trident: {
      leftOut:
        'its pools hold shares of a BentoBox, not tokens: a swap is paid by a deposit there, and ' +
        'shares convert at a rate that moves; its stable pools differ from every known stable pair',
    },
  },
}
/** Rows that no registry names: the offline world's own. */
const ownRows = ['algebra-integral']

const s = suite('names of the registry')
for (const [chainId, exchanges] of Object.entries(registry)) {
  const names = getDexes(Number(chainId)).map(({ name }) => name)
  const coverings = Object.values(exchanges)

  s(`every exchange of ${chainId} is configured or says why it is not`, () => {
    const missing = Object.entries(exchanges).filter(([, covered]) =>
      'leftOut' in covered
        ? covered.leftOut.length < 40
        : covered.length === 0 || covered.some((name) => !names.includes(name)),
    )
    assert.equal(missing, [])
  })
  s(`every row of ${chainId} is of an exchange of the registry`, () => {
    const covered = coverings.flatMap((covering) => ('leftOut' in covering ? [] : covering))
    assert.equal(names.toSorted(), [...covered, ...ownRows].toSorted())
  })
}
s.run()
