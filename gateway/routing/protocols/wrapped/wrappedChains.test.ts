import { encodeAbiParameters, getAddress, type Hex, pad } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
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
import { type AaveV3Record, aaveV3Family } from './aaveV3Chain.ts'
import { psm3Family } from './psm3Chain.ts'

const s = suite('wrappers on the chain')
const e = (power: number) => 10n ** BigInt(power)
const [market, asset, aToken, configurator] = [1, 2, 3, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]
const blockNumber = 7n
const aave = fakeDex({
  protocol: 'aave_v3',
  factory: market,
  announcer: configurator,
  // The first two are none of the market's.
  reserves: [
    [fakeAddress(600), fakeAddress(601)],
    [fakeAddress(603), fakeAddress(604)],
    [asset, aToken],
  ],
})
const id = pad(asset)
const [active, frozen, paused] = [1n << 56n, 1n << 57n, 1n << 60n]
const [capOf, sixDecimals] = [(tokens: bigint) => tokens << 116n, 6n << 48n]
/** A reserve's data as 15 words: its configuration, its aToken, what its treasury is owed. */
const data = (configuration: bigint, token = aToken) => [
  Array.from({ length: 15 }, (_, k) =>
    k === 0 ? configuration : k === 8 ? BigInt(token) : k === 12 ? 3n : 99n,
  ),
]
/** An answer of another length is none. */
const short = [[data(active)[0]?.slice(0, 14)], 'getReserveData(address)(uint256[14])'] as const
const reserve = (configuration: bigint): readonly Told[] => [
  [market, 'POOL_REVISION()(uint256)', [9n]],
  [market, 'getReserveData(address)(uint256[15])', data(configuration), [asset]],
  // A unit is worth one and a half, of which a supply loses two at most.
  [market, 'getReserveNormalizedIncome(address)(uint256)', [15n * e(26)], [asset]],
  [market, 'getVirtualUnderlyingBalance(address)(uint128)', [1_000n], [asset]],
  [asset, 'balanceOf(address)(uint256)', [900n], [aToken]],
  [aToken, 'scaledTotalSupply()(uint256)', [5_000_000n]],
]
/** The second is not listed, and what stands beside it is none of the market's. */
const pools = [pad(fakeAddress(600)), pad(fakeAddress(602)), pad(fakeAddress(603)), id].map(
  (own) => ({
    dex: aave,
    address: market,
    id: own,
  }),
)
const load = async (told: readonly Told[]) =>
  (await aaveV3Family.load(createViewNode(told).deps, { pools, blockNumber }))[0]
const boundless = 2n ** 112n

s(
  'reserves of Aave take what their cap leaves, and give what lies there [teeth/wrapped-chains]',
  async () => {
    // Behind the cap stands another field.
    const capped = active | capOf(101n) | sixDecimals | (1n << 152n)
    const record = await load(reserve(capped))
    const room = 101_000_000n - (5_000_003n * 15n + 9n) / 10n
    assert.equal(record, {
      id,
      address: getAddress(market),
      dex: 'd',
      tokens: [asset, aToken],
      changedBlock: 7n,
      swapsSeen: 0,
      protocol: 'aave_v3',
      feePips: 0,
      isFresh: [false, false],
      configurator,
      rounding: 2n,
      mosts: [898n, room],
      capped: { cap: 101_000_000n, scaled: 5_000_003n },
    })
    const mosts = async (configuration: bigint) => (await load(reserve(configuration)))?.mosts
    assert.equal(await mosts(active), [898n, boundless])
    assert.is((await load(reserve(active | capOf(1n << 35n))))?.capped?.cap, 1n << 35n)
    assert.equal(await mosts(active | frozen), [898n, -boundless])
    assert.equal(await mosts(capped | frozen), [898n, -boundless])
    assert.equal(await mosts(capped | paused), [-boundless, -boundless])
    assert.equal(await mosts(0n), [-boundless, -boundless])
    const less = changeTold(reserve(active), 'getVirtualUnderlyingBalance', [700n])
    assert.equal((await load(less))?.mosts, [698n, boundless], 'whichever is less')
    for (const told of [
      changeTold(reserve(active), 'POOL_REVISION', [8n]),
      changeTold(reserve(active), 'POOL_REVISION'),
      changeTold(reserve(active), 'getReserveData', data(active, configurator)),
      changeTold(reserve(active), 'getReserveData', ...short),
      ...[
        'getReserveData',
        'getReserveNormalizedIncome',
        'getVirtualUnderlyingBalance',
        'balanceOf',
        'scaledTotalSupply',
      ].map((view) => changeTold(reserve(active), view)),
    ])
      assert.is(await load(told), undefined)
    const refresh = async (own: Partial<AaveV3Record>, told: readonly Told[]) => {
      const gone = { id: 'gone', tokens: [fakeAddress(600)] }
      const records = record
        ? [
            { ...record, ...gone, ...own },
            { ...record, ...own },
          ]
        : []
      const { deps } = createViewNode(told)
      return aaveV3Family.refresh?.(deps, { records, dexes: [aave], blockNumber })
    }
    const later = changeTold(reserve(capped), 'getReserveNormalizedIncome', [2n * e(27)])
    assert.equal((await refresh({}, later))?.get(id), { mosts: [898n, 101_000_000n - 10_000_006n] })
    assert.is((await refresh({ capped: undefined }, later))?.size, 0)
    assert.is((await refresh({}, []))?.size, 0)
  },
)

s(
  'reserves of Aave are listed where the market has them, and hear two voices [teeth/wrapped-chains]',
  async () => {
    const list = async (told: readonly Told[]) =>
      aaveV3Family.list?.(createViewNode(told).deps, { dex: aave, blockNumber })
    assert.equal(await list(reserve(active)), [{ dex: aave, address: market, id }])
    assert.equal(
      await list(changeTold(reserve(active), 'getReserveData', data(active, market))),
      [],
    )
    assert.equal(await list([]), [])
    assert.equal(await list(changeTold(reserve(active), 'getReserveData', ...short)), [])
    const record = await load(reserve(active))
    if (!record) throw new Error('there is no reserve')
    const event = 'SupplyCapChanged(address,uint256,uint256)'
    const log = (address: string, name = event) => fakeLog(address, name, { topics: [id] })
    const { apply, poolIdOf, nameInLogs, encodeStep, stepGas } = aaveV3Family
    assert.equal(
      [apply(record, log(market)), apply(record, log(configurator))],
      [undefined, undefined],
    )
    assert.is(apply(record, log(asset)), record)
    assert.equal(
      [poolIdOf?.(log(asset)), poolIdOf?.(log(asset, 'Other(address)'))],
      [id, undefined],
    )
    assert.equal(nameInLogs?.(record), { name: id, by: [getAddress(market), configurator] })
    const alone = nameInLogs?.({ ...record, configurator: undefined })
    assert.equal(alone?.by, [getAddress(market)])
    const supply = (tokenIn: Hex, tokenOut: Hex) => encodeStep(record, { tokenIn, tokenOut })
    const bool = (value: boolean) => encodeAbiParameters([{ type: 'bool' }], [value])
    assert.equal(supply(asset, aToken), { kind: 15, pool: getAddress(market), data: bool(true) })
    assert.equal(supply(aToken, asset).data, bool(false))
    assert.equal([stepGas(record, 0), stepGas(record, 1)], [165_000, 140_000])
    const held = (most: bigint) => aaveV3Family.held({ ...record, mosts: [most, 0n] }, 0)
    assert.equal([held(5n), held(-boundless)], [5, 0])
    const { emitters, find, movesApart, midPrice, depth, takesTaxedInput } = aaveV3Family
    assert.equal(emitters?.(aave), [configurator])
    assert.equal(emitters?.({ ...aave, announcer: undefined }), [])
    const { deps } = createViewNode([])
    assert.equal(await find(deps, { dex: aave, a: [asset], b: [aToken], blockNumber }), [])
    assert.equal([movesApart, takesTaxedInput], [true, false])
    assert.equal([midPrice(record, 1, 0), depth(record, 0)], [1, undefined])
    assert.equal(aaveV3Family.toEnginePool(record).tokens, [asset, aToken])
  },
)

const [usdc, usds, susds, oracle, pocket, twin] = [11, 12, 13, 14, 15, 16].map(fakeAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const psm = fakeDex({ protocol: 'psm3', factory: market })
/** What answers nothing stands before: each one's answers are its own. */
const psms = [fakeAddress(600), market].map((address) => ({ dex: psm, address }))
const views = (owner: Hex): readonly Told[] => [
  [market, 'usdc()(address)', [usdc]],
  [market, 'usds()(address)', [usds]],
  [market, 'susds()(address)', [susds]],
  [market, 'rateProvider()(address)', [oracle]],
  [market, 'pocket()(address)', [owner]],
  [usdc, 'balanceOf(address)(uint256)', [500n], [owner]],
  [usdc, 'allowance(address,address)(uint256)', [400n], [owner, market]],
  [usds, 'balanceOf(address)(uint256)', [600n], [market]],
  [susds, 'balanceOf(address)(uint256)', [700n], [market]],
  [oracle, 'getConversionRate()(uint256)', [11n * e(26)]],
  [usdc, 'decimals()(uint8)', [6]],
  [usds, 'decimals()(uint8)', [18]],
  [susds, 'decimals()(uint8)', [18]],
]

s('a PSM pays what lies with it, or with who lets it [teeth/wrapped-chains]', async () => {
  const loadPsm = async (told: readonly Told[]) => {
    const { deps } = createViewNode(told)
    const loaded = await psm3Family.load(deps, { pools: psms, blockNumber })
    assert.ok(loaded.every(Boolean))
    return loaded[0]
  }
  const record = await loadPsm(views(pocket))
  if (!record) throw new Error('there is no PSM')
  assert.equal(record, {
    id: market,
    address: getAddress(market),
    dex: 'd',
    tokens: [usdc, usds, susds],
    changedBlock: 7n,
    swapsSeen: 0,
    protocol: 'psm3',
    feePips: 0,
    isFresh: [false, false, false],
    reserves: [400n, 600n, 700n],
    rate: 11n * e(26),
    units: [e(6), e(18), e(18)],
    rateProvider: oracle,
    pocket,
  })
  const generous = changeTold(views(pocket), 'allowance', [501n])
  assert.is((await loadPsm(generous))?.reserves[0], 500n)
  // Of its own it needs no allowance.
  assert.is((await loadPsm(views(market)))?.reserves[0], 500n)
  for (const [index, [, gone]] of views(pocket).entries())
    assert.is(await loadPsm(views(pocket).filter((_, at) => at !== index)), undefined, gone)
  assert.is(await loadPsm(changeTold(views(pocket), 'getConversionRate', [0n])), undefined)
  assert.is(await loadPsm(changeTold(views(pocket), 'decimals', [37])), undefined)
  const long = await loadPsm(changeTold(views(pocket), 'decimals', [36]))
  assert.equal(long?.units, [e(36), e(36), e(36)])
  // What follows another is its own, and nothing of the one before.
  const second = moveTold(views(pocket), market, twin)
  const third = fakeAddress(17)
  const all = createViewNode([
    ...views(pocket),
    ...second,
    ...moveTold(views(pocket), market, third),
  ])
  const three = [market, twin, third].map((address) => ({ dex: psm, address }))
  const loaded = await psm3Family.load(all.deps, { pools: three, blockNumber })
  const copyAt = (address: Hex) => ({ ...record, id: address, address: getAddress(address) })
  assert.equal(loaded, [market, twin, third].map(copyAt))
  const left = [
    ...changeTold(views(pocket), 'pocket'),
    ...second,
    [usdc, 'balanceOf(address)(uint256)', [1n], [usdc]],
    [usdc, 'allowance(address,address)(uint256)', [1n], [usdc, market]],
  ] as const
  const two = three.slice(0, 2)
  const rest = await psm3Family.load(createViewNode(left).deps, { pools: two, blockNumber })
  assert.equal(rest, [copyAt(twin)])
  const { deps } = createViewNode(generous)
  const gone = { id: 'gone', tokens: [usds, usds, usds] }
  const records = [{ ...record, ...gone }, record]
  const fields = await psm3Family.refresh?.(deps, { records, dexes: [psm], blockNumber })
  assert.equal(fields?.get(market), { reserves: [500n, 600n, 700n], rate: 11n * e(26) })
  const step = psm3Family.encodeStep(record, { tokenIn: usdc, tokenOut: usds })
  assert.equal(step, { kind: 16, pool: getAddress(market), data: '0x' })
  assert.equal([psm3Family.held(record, 2), psm3Family.stepGas(record, 0)], [700, 70_000])
  const listed = await psm3Family.list?.(deps, { dex: psm, blockNumber })
  assert.equal(listed, [{ dex: psm, address: market }])
  const found = await psm3Family.find(deps, { dex: psm, a: [usdc], b: [usds], blockNumber })
  assert.equal([found, psm3Family.takesTaxedInput], [[], false])
})

s('wrappers are followed by the events of their contracts [teeth/wrapped-chains]', () => {
  const aaveEvents = [
    'ReserveDataUpdated(address,uint256,uint256,uint256,uint256,uint256)',
    'ReserveActive(address,bool)',
    'ReserveFrozen(address,bool)',
    'ReservePaused(address,bool)',
    'SupplyCapChanged(address,uint256,uint256)',
  ]
  const psmEvents = [
    'Swap(address,address,address,address,uint256,uint256,uint256)',
    'Deposit(address,address,address,uint256,uint256)',
    'Withdraw(address,address,address,uint256,uint256)',
    'PocketSet(address,address,uint256)',
  ]
  proveEvents(aaveV3Family, aaveEvents, [])
  proveEvents(psm3Family, psmEvents, [])
})
s.run()
