import { encodeAbiParameters, getAddress, type Hex, pad } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  type Told,
} from '../../testing/viewNode.ts'
import { liquidityBookFamily } from './liquidityBookChain.ts'

const s = suite('pairs of the Liquidity Book on the chain')
const [pool, tokenX, tokenY] = [1, 2, 3].map(fakeAddress) as [Hex, Hex, Hex]
const dex = fakeDex({ protocol: 'liquidity_book' })
const blockNumber = 7n
const active = 8_388_608
const bin = (id: number, x: bigint, y: bigint): Told => [
  pool,
  'getBin(uint24)(uint128,uint128)',
  [x, y],
  [id],
]
const fixed = '(uint16,uint16,uint16,uint16,uint24,uint16,uint24)'
const pair = (held: readonly [bigint, bigint], bins: readonly Told[]): readonly Told[] => [
  [pool, 'getTokenX()(address)', [tokenX]],
  [pool, 'getTokenY()(address)', [tokenY]],
  [pool, 'getBinStep()(uint16)', [25]],
  [pool, 'getActiveId()(uint24)', [active]],
  [pool, 'getReserves()(uint128,uint128)', held],
  [pool, `getStaticFeeParameters()${fixed}`, [8_000, 30, 600, 5_000, 20_000, 1_000, 350_000]],
  [pool, 'getVariableFeeParameters()(uint24,uint24,uint24,uint40)', [70_000, 5, 8_380_675, 1_234]],
  ...bins,
]
async function load(told: readonly Told[]) {
  const node = createViewNode(told)
  const loaded = await liquidityBookFamily.load(node.deps, {
    // What answers nothing stands before: each pair's answers are its own.
    pools: [fakeAddress(600), pool].map((address) => ({ dex, address })),
    blockNumber,
  })
  assert.ok(loaded.every(Boolean))
  return { record: loaded[0], ...node }
}

s('are read with the bins that hold their reserves [teeth/book-chain]', async () => {
  const bins = [bin(active, 5n, 6n), bin(active + 60, 7n, 0n), bin(active - 60, 0n, 8n)]
  const { record, declined } = await load(pair([12n, 14n], bins))
  assert.equal(record, {
    id: pool,
    address: getAddress(pool),
    dex: 'd',
    tokens: [tokenX, tokenY],
    changedBlock: 7n,
    swapsSeen: 0,
    protocol: 'liquidity_book',
    binStepBps: 25,
    activeId: active,
    bins: [
      { id: active - 60, reserveX: 0n, reserveY: 8n },
      { id: active, reserveX: 5n, reserveY: 6n },
      { id: active + 60, reserveX: 7n, reserveY: 0n },
    ],
    feePips: 2_000,
    isFresh: [false, false],
    baseFactor: 8_000,
    filterPeriodSecs: 30,
    decayPeriodSecs: 600,
    reductionFactorBps: 5_000,
    variableFeeControl: 20_000,
    protocolShareBps: 1_000,
    maxVolatilityAccumulator: 350_000,
    volatilityAccumulator: 70_000,
    volatilityReference: 5,
    idReference: 8_380_675,
    lastUpdateSecs: 1_234,
  })
  assert.equal(declined, [])
})

s(
  'are looked through as far as reserves are missing, and no further [teeth/book-chain]',
  async () => {
    const bins = [
      bin(active, 5n, 6n),
      bin(active + 61, 7n, 0n),
      bin(active - 241, 0n, 8n),
      bin(active + 961, 1n, 0n),
    ]
    const idsFor = async (held: readonly [bigint, bigint], more: readonly Told[] = []) =>
      (await load(pair(held, [...bins, ...more]))).record?.bins.map(({ id }) => id - active)
    assert.equal(await idsFor([5n, 6n]), [0], 'all of both is in one window')
    assert.equal(await idsFor([6n, 6n]), [0, 61])
    assert.equal(await idsFor([5n, 7n]), [-241, 0, 61])
    assert.equal(await idsFor([13n, 14n]), [-241, 0, 61], 'nor beyond the widest')
    // Each window is read to its ends.
    const ends = (...at: readonly number[]) => at.map((off) => bin(active + off, 1n, 0n))
    const below = bin(active - 60, 0n, 1n)
    assert.equal(await idsFor([5n, 6n], [below, ...ends(60)]), [-60, 0, 60])
    assert.equal(await idsFor([6n, 6n], ends(240, 241)), [0, 61, 240])
    assert.equal(await idsFor([20n, 14n], ends(960)), [-241, 0, 61, 960])
  },
)

s('have no bins but those of 24 bits [teeth/book-chain]', async () => {
  for (const [activeId, end] of [
    [10, 0],
    [2 ** 24 - 11, 2 ** 24 - 1],
  ] as const) {
    const told = changeTold(pair([1n, 0n], [bin(end, 1n, 0n)]), 'getActiveId', [activeId])
    const { record } = await load(told)
    assert.equal(
      record?.bins.map(({ id }) => id),
      [end],
    )
  }
})

s(
  'are left out where a hook may do anything, or one view is missing [teeth/book-chain]',
  async () => {
    const bins = [bin(active, 5n, 6n)]
    const hooks = (value: Hex): Told => [pool, 'getLBHooksParameters()(bytes32)', [value]]
    const told = pair([5n, 6n], bins)
    const hooked = await load([...told, hooks(pad('0x5'))])
    assert.equal([hooked.record, hooked.declined], [undefined, [pool]])
    assert.ok((await load([...told, hooks(pad('0x0'))])).record)
    for (const [, gone] of told.slice(0, -1))
      assert.is((await load(told.filter(([, view]) => view !== gone))).record, undefined, gone)
  },
)

s('are listed by number and by their tokens [teeth/book-chain]', async () => {
  const count = (n: bigint): Told => [dex.factory, 'getNumberOfLBPairs()(uint256)', [n]]
  const at = (n: bigint, address: Hex): Told => [
    dex.factory,
    'getLBPairAtIndex(uint256)(address)',
    [address],
    [n],
  ]
  const list = async (told: readonly Told[]) =>
    (await liquidityBookFamily.list?.(createViewNode(told).deps, { dex, blockNumber }))?.map(
      ({ address }) => address.toLowerCase(),
    )
  assert.equal(await list([count(3n), at(0n, pool), at(2n, tokenX)]), [pool, tokenX])
  assert.equal(await list([count(3_000n), at(2_999n, pool)]), [pool])
  assert.equal([await list([count(3_001n)]), await list([])], [undefined, undefined])
  const all = '(address,address)((uint16,address,bool,bool)[])'
  const found = (a: Hex, b: Hex, pairs: readonly Hex[]): Told => [
    dex.factory,
    `getAllLBPairs${all}`,
    [pairs.map((each, k) => [k, each, false, false])],
    [a, b],
  ]
  const { deps } = createViewNode([
    found(tokenX, tokenY, [pool, fakeAddress(9)]),
    found(tokenY, tokenX, [pool]),
    // Nobody is asked for a token and itself.
    found(tokenX, tokenX, [fakeAddress(8)]),
  ])
  const tokens = [tokenX, tokenY, fakeAddress(77)]
  const pools = await liquidityBookFamily.find(deps, { dex, a: tokens, b: tokens, blockNumber })
  assert.equal(
    pools.map(({ address }) => address.toLowerCase()),
    [pool, fakeAddress(9)],
  )
})

s('are as of now, and never older than their last swap [teeth/book-chain]', async () => {
  const { record } = await load(pair([0n, 10n ** 12n], [bin(active, 0n, 10n ** 12n)]))
  if (!record) throw new Error('there is no pair')
  const swap = (own: Partial<typeof record>, atSecs?: number) =>
    liquidityBookFamily
      .toEnginePool({ ...record, idReference: active - 10, ...own }, atSecs)
      .swap(0, 1, 10n ** 9n)?.amountOut ?? 0n
  // Volatility of ten bins counts for half a minute, and then no more.
  const [held, dropped] = [swap({}, 1_234 + 29), swap({}, 1_234 + 600)]
  assert.ok(held > 0n && held < dropped, `${held}, ${dropped}`)
  assert.is(swap({}, 5), held, 'a clock behind the chain is set to it')
  const lastUpdateSecs = Math.floor(Date.now() / 1_000) - 300
  const [now, fading] = [undefined, lastUpdateSecs + 300].map((at) => swap({ lastUpdateSecs }, at))
  assert.is(now, fading, 'as of now where no other time is given')
  assert.ok(held !== fading && fading !== dropped)
  const engine = liquidityBookFamily.toEnginePool(record, 1_234)
  assert.equal([engine.id, engine.tokens, engine.curve(1, 0)], [pool, [tokenX, tokenY], undefined])
  assert.ok(engine.curve(0, 1))
  const { midPrice, held: heldOf, encodeStep, stepGas, depth } = liquidityBookFamily
  near(midPrice({ ...record, activeId: active + 4 }, 0, 1), 1.0025 ** 4)
  near(midPrice({ ...record, activeId: active + 4 }, 1, 0), 1.0025 ** -4)
  assert.equal([heldOf(record, 0), heldOf(record, 1), depth(record, 0)], [0, 1e12, undefined])
  const step = (tokenIn: Hex) => encodeStep(record, { tokenIn, tokenOut: tokenX })
  const bool = (value: boolean) => encodeAbiParameters([{ type: 'bool' }], [value])
  assert.equal(step(tokenX), { kind: 8, pool: getAddress(pool), data: bool(true) })
  assert.equal(step(tokenY).data, bool(false))
  assert.is(stepGas(record, 0), 69_000)
  const { crossingGas, takesTaxedInput, apply } = liquidityBookFamily
  assert.equal([crossingGas, takesTaxedInput], [22_000, true])
  assert.is(apply(record, fakeLog(pool, 'ForcedDecay(address,uint24,uint24)')), undefined)
})
s('are followed by the events of their contracts [teeth/book-chain]', () => {
  const followed = [
    'Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)',
    'DepositedToBins(address,address,uint256[],bytes32[])',
    'WithdrawnFromBins(address,address,uint256[],bytes32[])',
    'StaticFeeParametersSet(address,uint16,uint16,uint16,uint16,uint24,uint16,uint24)',
    'ForcedDecay(address,uint24,uint24)',
    'FlashLoan(address,address,uint24,bytes32,bytes32,bytes32)',
    'HooksParametersSet(address,bytes32)',
  ]
  const made = ['LBPairCreated(address,address,uint256,address,uint256)']
  proveEvents(liquidityBookFamily, followed, made)
})
s.run()
