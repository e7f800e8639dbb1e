import { decodeAbiParameters, getAddress, type Hex, stringToHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { findThrough, lookup } from '../../testing/findThrough.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  moveTold,
  type Told,
} from '../../testing/viewNode.ts'
import { tridentFamily } from './tridentChain.ts'

const s = suite('pools of Trident on the chain')
const e = (power: number) => 10n ** BigInt(power)
const [pool, other, token0, token1, box] = [1, 2, 3, 4, 5].map(fakeAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const blockNumber = 7n
const named = (name: string) => stringToHex(`Trident:${name}`, { size: 32 })
const tridentViews = (kind = named('ConstantProduct')): readonly Told[] => [
  [pool, 'token0()(address)', [token0]],
  [pool, 'token1()(address)', [token1]],
  [pool, 'swapFee()(uint256)', [30n]],
  [pool, 'poolIdentifier()(bytes32)', [kind]],
  [pool, 'bento()(address)', [box]],
  [pool, 'getReserves()(uint256,uint256)', [11n, 12n]],
  [box, 'balanceOf(address,address)(uint256)', [21n], [token0, pool]],
  [box, 'balanceOf(address,address)(uint256)', [22n], [token1, pool]],
  [box, 'totals(address)(uint128,uint128)', [31n, 41n], [token0]],
  [box, 'totals(address)(uint128,uint128)', [32n, 42n], [token1]],
  [token0, 'balanceOf(address)(uint256)', [51n], [box]],
  [token1, 'balanceOf(address)(uint256)', [52n], [box]],
  [token0, 'decimals()(uint8)', [6]],
  [token1, 'decimals()(uint8)', [18]],
]

s('are what lies in their box [teeth/trident-chain]', async () => {
  const dex = fakeDex({ protocol: 'trident', holder: getAddress(box) })
  const load = async (told: readonly Told[], own = dex) => {
    const { deps } = createViewNode(told)
    // What answers nothing stands before: each pool's answers are its own.
    const pools = [fakeAddress(600), pool].map((address) => ({ dex: own, address }))
    const loaded = await tridentFamily.load(deps, { pools, blockNumber })
    assert.ok(loaded.every(Boolean))
    return loaded[0]
  }
  const held = { shares: [21n, 22n], elastics: [31n, 32n], bases: [41n, 42n], liquid: [51n, 52n] }
  const record = await load(tridentViews())
  if (!record) throw new Error('there is no pool')
  assert.equal(record, {
    id: pool,
    address: getAddress(pool),
    dex: 'd',
    tokens: [token0, token1],
    changedBlock: 7n,
    swapsSeen: 0,
    ...held,
    protocol: 'trident',
    stable: false,
    feeBps: 30n,
    feePips: 3_000,
    bentoBox: getAddress(box),
    reserves: [11n, 12n],
    units: [e(6), e(18)],
    isFresh: [false, false],
  })
  assert.is((await load(tridentViews(named('StablePool'))))?.stable, true)
  assert.is(await load(tridentViews(named('HybridPool'))), undefined)
  assert.is(await load(tridentViews(), { ...dex, holder: other }), undefined, 'in another box')
  assert.is(await load(tridentViews(), { ...dex, holder: undefined }), undefined)
  for (const [index, [, gone]] of tridentViews().entries())
    assert.is(await load(tridentViews().filter((_, at) => at !== index)), undefined, gone)
  const halves = [
    changeTold(tridentViews(), 'getReserves', [11n], 'getReserves()(uint256)'),
    changeTold(tridentViews(), 'totals', [31n], 'totals(address)(uint128)'),
    changeTold(tridentViews(), 'decimals', [37]),
  ]
  for (const told of halves) assert.is(await load(told), undefined)
  const fine = await load(changeTold(tridentViews(), 'decimals', [36]))
  assert.equal(fine?.units, [e(36), e(36)])
  // What follows another pool is its own.
  const twin = { ...record, id: other, address: getAddress(other) }
  const third = fakeAddress(9)
  const told = [pool, other, third].flatMap((each) => moveTold(tridentViews(), pool, each))
  const { deps } = createViewNode(told)
  const pools = [pool, other, third].map((address) => ({ dex, address }))
  assert.equal(await tridentFamily.load(deps, { pools, blockNumber }), [
    record,
    twin,
    { ...twin, id: third, address: getAddress(third) },
  ])
  const gone = { ...record, id: 'gone', address: fakeAddress(600) }
  const records = [gone, record, twin]
  const fields = await tridentFamily.refresh?.(deps, { records, dexes: [dex], blockNumber })
  assert.equal(
    [...(fields ?? [])],
    [
      [pool, held],
      [other, held],
    ],
  )
  const step = tridentFamily.encodeStep(record, { tokenIn: token0, tokenOut: token1 })
  assert.equal([step.kind, step.pool], [13, getAddress(pool)])
  assert.equal(decodeAbiParameters([{ type: 'address' }], step.data), [getAddress(box)])
  assert.is(tridentFamily.apply(record, fakeLog(pool, 'Sync(uint256,uint256)')), undefined)
  assert.equal(tridentFamily.emitters?.({ ...dex, announcer: other }), [other])
  assert.equal(tridentFamily.emitters?.(dex), [])
  const gas = [true, false].map((stable) => tridentFamily.stepGas({ ...record, stable }, 0))
  assert.equal(gas, [99_700, 79_500])
  // 21 shares of 31 / 41 each.
  const { held: heldOf, depth, midPrice, takesTaxedInput } = tridentFamily
  assert.equal([heldOf(record, 0), depth(record, 0), heldOf(record, 1)], [15, 15, 16])
  assert.equal([depth({ ...record, stable: true }, 0), takesTaxedInput], [undefined, false])
  near(midPrice(record, 0, 1), 16 / 15)
})

s('are announced with the bytes that they were made of [teeth/trident-chain]', () => {
  const word = (value: string) => value.slice(2).padStart(64, '0')
  const [creation] = tridentFamily.creations
  const topics = ['0x1', `0x${word(other)}`, `0x${word(pool)}`]
  const data: Hex = `0x${word('0x20')}${word('0x80')}${word(token0)}${word(token1)}`
  const made = { tokens: [token0, token1], address: pool }
  assert.equal(creation?.read({ topics, data }), made)
  assert.equal(creation?.read({ topics, data: `${data}${word('0x1e')}` }), made, 'with its fee')
  assert.is(creation?.read({ topics: topics.slice(0, 2), data }), undefined)
  assert.is(creation?.read({ topics, data: data.slice(0, -64) as Hex }), undefined)
  assert.is(creation?.read({ topics, data: '0x' }), undefined)
})
s('are looked up by the first four numbers of their pair [teeth/trident-chain]', async () => {
  const byNumber = lookup('pools(address,address,uint256)', 0, 1, 2, 3)
  assert.equal(await findThrough(tridentFamily), [byNumber])
})
s('are the deepest of a long list, by what the box holds [teeth/trident-chain]', async () => {
  const made = Array.from({ length: 12 }, (_, n) => fakeAddress(100 + n))
  const [deep, deepElsewhere] = [fakeAddress(111), fakeAddress(110)]
  const told: readonly Told[] = [
    ...made.map(
      (address, n): Told => [
        fakeDex({ protocol: 'trident' }).factory,
        'pools(address,address,uint256)(address)',
        [address],
        [token0, token1, BigInt(n)],
      ],
    ),
    [box, 'balanceOf(address,address)(uint256)', [9n], [token0, deep]],
    [token0, 'balanceOf(address)(uint256)', [9n], [deepElsewhere]],
  ]
  const find = async (holder?: Hex) => {
    const dex = fakeDex({ protocol: 'trident', holder })
    const { deps } = createViewNode(told, { findPools: () => [[], [0n]] })
    const parameters = { dex, a: [token0], b: [token1], blockNumber }
    const pools = (await tridentFamily.find(deps, parameters)).map(({ address }) => address)
    return [deep, deepElsewhere].filter((address) => pools.includes(address))
  }
  assert.equal([await find(box), await find()], [[deep], [deepElsewhere]])
})
s('are followed by the events of their contracts [teeth/trident-chain]', () => {
  proveEvents(tridentFamily, ['Sync(uint256,uint256)'], ['DeployPool(address,address,bytes)'])
})
s.run()
