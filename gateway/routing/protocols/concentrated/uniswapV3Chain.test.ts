import { type Hex, numberToHex, pad } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { findThrough, lookup } from '../../testing/findThrough.ts'
import { openRanges } from '../../testing/rangeLens.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { algebraIntegralFamily, camelotV3Family } from './algebraChain.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import {
  pancakeV3Family,
  ramsesV2Family,
  slipstreamFamily,
  uniswapV3Family,
} from './uniswapV3Chain.ts'

const s = suite('exchanges of ranges')
const [byFee, bySpacing] = ['uint24', 'int24'].map((key) => `getPool(address,address,${key})`) as [
  string,
  string,
]

s(
  'are looked up by tiers of their row, and by those enabled since [teeth/range-exchanges]',
  async () => {
    const enabled = (feePips: number) => ({
      topics: [0, feePips, 1].map((value) => numberToHex(value, { size: 32 })),
      data: '0x' as const,
    })
    for (const [at, family] of [uniswapV3Family, pancakeV3Family, ramsesV2Family].entries()) {
      // Tiers are kept by factory.
      const row = { factory: fakeAddress(200 + at), feesPips: [500, 3_000] }
      assert.equal(await findThrough(family, { ...row, logs: [enabled(3_000), enabled(250)] }), [
        lookup(byFee, 500, 3_000),
        lookup(byFee, 250),
      ])
    }
    const row = { factory: fakeAddress(210), feesPips: [500] }
    assert.equal(await findThrough(uniswapV3Family, row), [lookup(byFee, 500)])
  },
)
s(
  'are looked up by spacings, up to sixty-four that came since [teeth/range-exchanges]',
  async () => {
    const factory = fakeAddress(70)
    const spacings = (...all: readonly number[]): Told => [
      factory,
      'tickSpacings()(int24[])',
      [all],
    ]
    const findBy = (poolKeys: readonly number[], ...told: readonly Told[]) =>
      findThrough(slipstreamFamily, { factory, poolKeys, told })
    assert.equal(await findBy([1, 100]), [lookup(bySpacing, 1, 100)])
    assert.equal(await findBy([100], spacings(1, 50, 0, -5, 100, 7)), [
      lookup(bySpacing, 100),
      lookup(bySpacing, 1, 50, 7),
    ])
    const many = Array.from({ length: 65 }, (_, n) => n + 1)
    assert.equal(await findBy([100], spacings(...many)), [
      lookup(bySpacing, 100),
      lookup(bySpacing, ...many.slice(0, 64)),
    ])
  },
)
s('ask nobody for tiers where nobody waits for more [teeth/range-exchanges]', async () => {
  const { deps } = createViewNode([])
  const asked: string[] = []
  const client = {
    ...deps.client,
    request: async ({ method }: { readonly method: string }) => {
      asked.push(method)
      return '0x000000'
    },
  } as unknown as typeof deps.client
  const dex = fakeDex({ protocol: 'uniswap_v3', factory: fakeAddress(220), feesPips: [500] })
  const [a, b] = [[fakeAddress(1)], [fakeAddress(2)]]
  const parameters = { dex, a, b, blockNumber: 7n, isBrief: true }
  assert.equal([await uniswapV3Family.find({ client }, parameters), asked], [[], ['eth_call']])
})
s('of Algebra have one pool for each pair [teeth/range-exchanges]', async () => {
  for (const family of [camelotV3Family, algebraIntegralFamily])
    assert.equal(await findThrough(family), [lookup('poolByPair(address,address)', 0)])
})
s('tell of a new pool where its factory puts it [teeth/range-exchanges]', () => {
  const [token0, token1, pool] = [1, 2, 3].map(fakeAddress) as [Hex, Hex, Hex]
  const topics = ['0x1', pad(token0), pad(token1), pad('0x5')]
  const made = { tokens: [token0, token1], address: pool }
  const [first, second]: readonly [Hex, Hex] = [pad(pool), `${pad('0x3c')}${pad(pool).slice(2)}`]
  for (const [family, data] of [
    [uniswapV3Family, second],
    [pancakeV3Family, second],
    [ramsesV2Family, second],
    [slipstreamFamily, first],
    [camelotV3Family, first],
    [algebraIntegralFamily, first],
  ] as const)
    assert.equal(family.creations[0]?.read({ topics, data }), made)
})
s('of Ramses take what their owners set since [teeth/range-exchanges]', async () => {
  const [pool, view] = [fakeAddress(1), 'currentFee()(uint24)']
  const load = async (told: readonly Told[]) => {
    const pools = [{ dex: fakeDex({ protocol: 'ramses_v2' }), address: pool }]
    const { deps } = openRanges(undefined, told)
    return (await ramsesV2Family.load(deps, { pools, blockNumber: 7n }))[0]
  }
  const read = await load([[pool, view, [70]]])
  assert.equal([read?.protocol, read?.feePips, read?.feePips1], ['ramses_v2', 70, 70])
  assert.is(await load([]), undefined)
  assert.is(await load([[pool, view, [1_000_000]]]), undefined)
})
s(
  'have their fees read anew where they move apart from events [teeth/range-exchanges]',
  async () => {
    const record = (n: number) =>
      ({ id: fakeAddress(n), address: fakeAddress(n) }) as unknown as ConcentratedRecord
    const views = [
      [slipstreamFamily, 'fee()(uint24)'],
      [ramsesV2Family, 'currentFee()(uint24)'],
    ] as const
    for (const [family, view] of views) {
      const { deps } = createViewNode([
        [fakeAddress(1), view, [999_999]],
        [fakeAddress(2), view, [1_000_000]],
        [fakeAddress(3), view, [0]],
      ])
      const parameters = { records: [1, 2, 3, 4].map(record), dexes: [], blockNumber: 7n }
      assert.equal(
        [...((await family.refresh?.(deps, parameters)) ?? [])],
        [
          [fakeAddress(1), { feePips: 999_999, feePips1: 999_999 }],
          [fakeAddress(3), { feePips: 0, feePips1: 0 }],
        ],
      )
    }
    assert.equal(
      [uniswapV3Family, slipstreamFamily, ramsesV2Family].map(({ movesApart }) => movesApart),
      [undefined, true, undefined],
    )
    assert.is(uniswapV3Family.refresh, undefined)
  },
)
s.run()
