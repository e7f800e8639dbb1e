import type { Hex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { findThrough, lookup } from '../../testing/findThrough.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { curvePrice } from './curveChain.ts'
import { curvePlainAmountOut } from './curvePlain.ts'
import { curvePlainFamily } from './curvePlainChain.ts'
import { curveStableNgFamily } from './curveStableNgChain.ts'

const s = suite('factories and prices of Curve')
const e = (power: number) => 10n ** BigInt(power)
const [pool, usd] = [fakeAddress(1), fakeAddress(2)]
const dex = fakeDex({ protocol: 'curve_plain' })
const blockNumber = 7n

s('a factory is asked for the first five pools of a pair [teeth/curve-factories]', async () => {
  const first = lookup('find_pool_for_coins(address,address,uint256)', 0, 1, 2, 3, 4)
  for (const family of [curvePlainFamily, curveStableNgFamily])
    assert.equal(await findThrough(family), [first])
})
s(
  'a factory lists its pools, each once, unless they are too many [teeth/curve-factories]',
  async () => {
    const list = async (told: readonly Told[]) =>
      (await curvePlainFamily.list?.(createViewNode(told).deps, { dex, blockNumber }))?.map(
        ({ address }) => address,
      )
    const count = (n: bigint): Told => [dex.factory, 'pool_count()(uint256)', [n]]
    const entry = (n: bigint, address: Hex): Told => [
      dex.factory,
      'pool_list(uint256)(address)',
      [address],
      [n],
    ]
    const none = fakeAddress(0).replace(/fa0000$/, '000000') as Hex
    const told = [count(4n), entry(0n, pool), entry(1n, none), entry(2n, pool), entry(3n, usd)]
    assert.equal(await list(told), [pool, usd])
    assert.equal(await list([count(1_001n)]), undefined)
    assert.equal(await list([count(1_000n), entry(999n, pool)]), [pool])
    assert.equal([await list([]), await list([entry(0n, pool)])], [[], []])
  },
)
s('a factory is asked about 200 pairs at once [teeth/curve-factories]', async () => {
  const sizes: number[] = []
  const findPools = (...[, , a, b]: readonly (readonly Hex[])[]) => {
    sizes.push((a?.length ?? 0) * (b?.length ?? 0))
    return [[], []]
  }
  const { deps } = createViewNode([], { findPools })
  const b = Array.from({ length: 201 }, (_, n) => fakeAddress(1_000 + n))
  await curvePlainFamily.find(deps, { dex, a: [usd], b, blockNumber })
  assert.equal(sizes, [200, 1])
})
s('a factory is asked for all of a long list [teeth/curve-factories]', async () => {
  const told = [0n, 63n].map(
    (at): Told => [
      dex.factory,
      'find_pool_for_coins(address,address,uint256)(address)',
      [fakeAddress(100 + Number(at))],
      [usd, pool, at],
    ],
  )
  const { deps } = createViewNode(told, { findPools: () => [[], [0n]] })
  const found = await curvePlainFamily.find(deps, { dex, a: [usd], b: [pool], blockNumber })
  assert.equal(
    found.map(({ address }) => address),
    [fakeAddress(100), fakeAddress(163)],
  )
})
s('a price is that of next to nothing, at any balance [teeth/curve-factories]', () => {
  const state = {
    id: pool,
    tokens: [],
    aPrecise: 1_000n,
    fee: 0n,
    adminFee: 0n,
    balances: [3n, 60n, 7n].map((whole) => whole * e(18)),
    rates: [1n, 2n, 1n].map((times) => times * e(18)),
  }
  for (const [i, j] of [
    [0, 1],
    [1, 0],
    [2, 1],
  ] as const) {
    const amountIn = 3n * e(9)
    const paid = curvePlainAmountOut(state, { i, j, amountIn }) ?? 0n
    near(curvePrice(state, i, j), Number(paid) / Number(amountIn), 1e-7)
  }
})
s('pools are followed by the events of their contracts [teeth/curve-factories]', () => {
  const lists = ['uint256[2]', 'uint256[3]', 'uint256[4]', 'uint256[]']
  const followed = [
    'TokenExchange(address,int128,uint256,int128,uint256)',
    'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
    'RemoveLiquidityOne(address,uint256,uint256,uint256)',
    'RemoveLiquidityOne(address,uint256,uint256)',
    'RemoveLiquidityOne(address,int128,uint256,uint256,uint256)',
    'ApplyNewFee(uint256,uint256)',
    'ApplyNewFee(uint256)',
    ...lists.map((list) => `AddLiquidity(address,${list},${list},uint256,uint256)`),
    ...lists.map((list) => `RemoveLiquidity(address,${list},${list},uint256)`),
    ...lists.map((list) => `RemoveLiquidityImbalance(address,${list},${list},uint256,uint256)`),
  ]
  const made = ['address[]', 'address[4]'].map(
    (list) => `PlainPoolDeployed(${list},uint256,uint256,address)`,
  )
  const meta = 'MetaPoolDeployed(address,address,uint256,uint256,address)'
  proveEvents(curvePlainFamily, followed, made)
  proveEvents(curveStableNgFamily, followed, [...made, meta])
})
s.run()
