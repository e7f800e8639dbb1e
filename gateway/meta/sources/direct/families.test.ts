import type { Address } from 'viem'
import { factory, hub, openDex, pool, spare } from '../../../../fixtures/meta/directRouters.ts'
import { router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { createAerodromeV2 } from './aerodromeV2.ts'
import { createBalancerV2 } from './balancerV2.ts'
import { balancerV3 } from './balancerV3.ts'
import { createCurveCrypto, createCurveNg, createCurvePlain } from './curve.ts'
import { createDodoV2 } from './dodoV2.ts'
import { createFluid } from './fluid.ts'
import { liquidityBook } from './liquidityBook.ts'
import { createMaverickV2 } from './maverickV2.ts'
import { createRanged } from './ranged.ts'
import { camelotV2, routerV2 } from './routerV2.ts'
import { createUniswapV4 } from './uniswapV4.ts'
import { woofi } from './woofi.ts'

/** What is the same of all families: how a path is shown, what gas it takes, and what a router is known by. */
const s = suite('meta/direct families')
const { signal } = new AbortController()
const now = () => 0
const nobody = () => new Set<Address>()
const tokens = [usdc, weth] as const
const hop = { pool, tokens, givesFirst: true, i: 0n, j: 1n }
const [curveNg, curvePlain, curveCrypto] = [createCurveNg, createCurvePlain, createCurveCrypto].map(
  (create) => create({ now }, { pools: nobody }),
)
const [dodo, fluid] = [
  createDodoV2(undefined, { spenders: nobody }),
  createFluid(undefined, { pools: nobody }),
]
const [maverick, aerodrome, v4] = [
  createMaverickV2(),
  createAerodromeV2({ now }),
  createUniswapV4({ now }),
]

s('shows a path by its tokens, and what lies between by what it is found by', () => {
  const along = [usdc, hub, weth]
  const id = `0x${'12'.repeat(32)}` as const
  const shown = `${usdc}[${pool}]>${weth}`
  const ofPools = [curveNg, curvePlain, curveCrypto, dodo, fluid, maverick, balancerV3, woofi]
  for (const family of ofPools) assert.is(family?.describe(hop), shown)
  assert.is(createBalancerV2('stable').describe({ poolId: id, tokens }), `${usdc}[${id}]>${weth}`)
  assert.is(
    aerodrome.describe({ tokens: along, keys: [true, false] }),
    `${usdc}[stable]>${hub}[volatile]>${weth}`,
  )
  assert.is(v4.describe({ tokens: along, keys: [100, 500] }), `${usdc}[100]>${hub}[500]>${weth}`)
  for (const family of [routerV2, camelotV2]) assert.is(family.describe(along), along.join('>'))
})
s('counts the gas of a swap as receipts show it, beside what a quoter says', () => {
  const gas = {
    routerV2,
    aerodrome,
    v4,
    weighted: createBalancerV2('weighted'),
    stable: createBalancerV2('stable'),
    balancerV3,
    liquidityBook,
    curveNg,
    curvePlain,
    curveCrypto,
    dodo,
    fluid,
    maverick,
    ranged: createRanged({ now }, 'slipstream'),
    woofi,
  }
  const told = Object.entries(gas).map(([name, family]) => [name, Number(family?.gas) / 1_000])
  assert.equal(Object.fromEntries(told), {
    routerV2: 0,
    aerodrome: 0,
    v4: 60,
    weighted: 105,
    stable: 150,
    balancerV3: 215,
    liquidityBook: 150,
    curveNg: 190,
    curvePlain: 140,
    curveCrypto: 200,
    dodo: 210,
    fluid: 170,
    maverick: 60,
    ranged: 30,
    woofi: 150,
  })
})
s('knows a router by the currency that it wraps, whatever it calls that', async () => {
  const known = [
    [routerV2, 'WETH'],
    [camelotV2, 'WETH'],
    [createBalancerV2('stable'), 'WETH'],
    [aerodrome, 'weth'],
    [maverick, 'weth'],
    [liquidityBook, 'getWNATIVE'],
  ] as const
  for (const [family, word] of known) {
    const is = (name: string, wrapped: Address) =>
      family.isRouter(
        openDex({ [router]: { [`${name}() returns (address)`]: wrapped } }).dex,
        signal,
      )
    assert.equal(
      [await is(word, weth), await is(word, usdc), await is('name', weth)],
      [true, false, false],
    )
  }
  const isV4 = (manager: Address) =>
    v4.isRouter(openDex({ [router]: { 'poolManager() returns (address)': manager } }).dex, signal)
  assert.equal([await isV4(factory), await isV4(router)], [true, false])
  assert.is(await v4.isRouter(openDex({}).dex, signal), false)
})
s('tells which tokens and trades it takes', () => {
  const takes = ({
    takesTaxedInput,
    exactOutput,
    hasNativePools,
  }: typeof woofi | typeof routerV2) => [takesTaxedInput, exactOutput, hasNativePools]
  assert.equal(takes(routerV2), [true, true, false])
  assert.equal(takes(camelotV2), [true, false, false])
  const told = [
    aerodrome,
    liquidityBook,
    v4,
    maverick,
    fluid,
    curveNg,
    dodo,
    woofi,
    balancerV3,
  ].map((family) => family && takes(family as never))
  const [taxed, bare, held] = [
    [true, false, false],
    [false, false, true],
    [false, false, false],
  ]
  assert.equal(told, [taxed, taxed, bare, bare, bare, bare, held, held, held])
  for (const family of [createBalancerV2('stable'), createRanged({ now }, 'uniswapV3')])
    assert.equal(takes(family as never), [false, true, false])
})
s('goes through the middle tokens of a Router02 that are neither end', async () => {
  const { dex } = openDex({}, { hubTokens: [hub, weth] })
  const list = (tokenOut: Address) => routerV2.listPaths(dex, { tokenIn: usdc, tokenOut, signal })
  assert.equal(await list(weth), [
    [usdc, weth],
    [usdc, hub, weth],
  ])
  assert.equal(await list(spare), [
    [usdc, spare],
    [usdc, hub, spare],
    [usdc, weth, spare],
  ])
})
s('finds the pools of Aerodrome, stable ones and others', async () => {
  const { dex } = openDex(
    {
      [factory]: {
        'getPool(address, address, bool) returns (address)': (
          a: Address,
          b: Address,
          isStable: boolean,
        ) =>
          [a, b].includes(hub) === isStable ? pool : '0x0000000000000000000000000000000000000000',
      },
    },
    { hubTokens: [hub] },
  )
  assert.equal(await aerodrome.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal }), [
    { tokens: [usdc, weth], keys: [false] },
    { tokens: [usdc, hub, weth], keys: [true, true] },
  ])
})
s('finds the pools of Maverick by their two tokens, either way', async () => {
  const { dex } = openDex({
    [pool]: { 'tokenA() returns (address)': usdc, 'tokenB() returns (address)': weth },
    [spare]: { 'tokenA() returns (address)': weth, 'tokenB() returns (address)': usdc },
  })
  const hops = await maverick.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
  assert.equal(
    hops.map((each) => [each.pool, each.givesFirst, each.tokens]),
    [
      [pool, true, tokens],
      [spare, false, tokens],
    ],
  )
})
s.run()
