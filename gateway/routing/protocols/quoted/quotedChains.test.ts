import { getAddress, type Hex, pad, toEventSelector, toFunctionSelector } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { createSampleLens } from '../../testing/sampleLens.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { balancerV3QuotedFamily } from '../balancer/balancerV3QuotedChain.ts'
import type { PoolFamily } from '../family/poolFamily.ts'
import { erc4626Family } from '../wrapped/erc4626Chain.ts'
import { curveCryptoFamily } from './curveCryptoChain.ts'
import { dodoV2Family } from './dodoV2Chain.ts'
import { fluidFamily } from './fluidChain.ts'
import { maverickV2Family } from './maverickV2Chain.ts'
import { listGrid } from './quoted.ts'
import type { QuotedRecord } from './quotedChain.ts'
import { ramsesV1Family } from './ramsesV1Chain.ts'
import { woofiFamily } from './woofiChain.ts'

const s = suite('quoters of pools')
const [pool, token0, token1, quoter, stranger] = [1, 2, 3, 4, 5].map(fakeAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const [liquidityLayer, vault] = [
  '0x52Aa899454998Be5b000Ad077a46Bbe360F4e497',
  '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
] as const
const record: QuotedRecord = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  protocol: 'woofi',
  tokens: [token0, token1],
  feePips: 0,
  changedBlock: 1n,
  swapsSeen: 0,
  isFresh: [false, false],
  quoter: getAddress(quoter),
  native: [false, true],
  held: [5n, 6n],
  amounts: [],
  outputs: [],
}
const blockNumber = 7n

function wordOf(value: bigint | number | boolean | Hex): string {
  const number = typeof value === 'string' ? BigInt(value) : BigInt(value)
  return BigInt.asUintN(256, number).toString(16).padStart(64, '0')
}
const call = (signature: string, ...values: readonly (bigint | number | boolean | Hex)[]): Hex =>
  `${toFunctionSelector(signature)}${values.map(wordOf).join('')}`
const wordsOf = (...values: readonly (bigint | number | boolean | Hex)[]): Hex =>
  `0x${values.map(wordOf).join('')}`
const amountIn = 1_234n

type Row = {
  readonly family: PoolFamily<QuotedRecord>
  readonly target: Hex
  /** What is asked about token 0, and about token 1. */
  readonly asks: readonly [Hex, Hex]
  readonly step: { readonly kind: number; readonly pool?: Hex; readonly data: readonly [Hex, Hex] }
  readonly gas: readonly [number, number]
}
const calculate = 'calculateSwap(address,uint128,bool,bool,int32)'
const estimate = 'estimateSwapIn(address,bool,uint256,uint256)'
const query = 'querySwapSingleTokenExactIn(address,address,address,uint256,address,bytes)'
const rows: Readonly<Record<string, Row>> = {
  'Curve crypto': {
    family: curveCryptoFamily,
    target: pool,
    asks: [
      call('get_dy(uint256,uint256,uint256)', 0, 1, amountIn),
      call('get_dy(uint256,uint256,uint256)', 1, 0, amountIn),
    ],
    step: { kind: 7, data: [wordsOf(0, 1), wordsOf(1, 0)] },
    gas: [88_000, 88_000],
  },
  'DODO v2': {
    family: dodoV2Family,
    target: pool,
    asks: [
      call('querySellBase(address,uint256)', 0, amountIn),
      call('querySellQuote(address,uint256)', 0, amountIn),
    ],
    step: { kind: 10, data: [wordsOf(true), wordsOf(false)] },
    gas: [56_500, 56_500],
  },
  'Maverick v2': {
    family: maverickV2Family,
    target: quoter,
    asks: [
      call(calculate, pool, amountIn, true, false, 2 ** 31 - 1),
      call(calculate, pool, amountIn, false, false, -(2 ** 31)),
    ],
    step: { kind: 9, data: [wordsOf(true), wordsOf(false)] },
    gas: [65_000, 65_000],
  },
  Fluid: {
    family: fluidFamily,
    target: quoter,
    asks: [call(estimate, pool, true, amountIn, 0), call(estimate, pool, false, amountIn, 0)],
    step: { kind: 12, data: [wordsOf(true, true), wordsOf(false, true)] },
    gas: [100_000, 70_000],
  },
  WOOFi: {
    family: woofiFamily,
    target: pool,
    asks: [
      call('query(address,address,uint256)', token0, token1, amountIn),
      call('query(address,address,uint256)', token1, token0, amountIn),
    ],
    step: { kind: 11, data: ['0x', '0x'] },
    gas: [68_000, 68_000],
  },
  'Ramses v1': {
    family: ramsesV1Family,
    target: pool,
    asks: [
      call('getAmountOut(uint256,address)', amountIn, token0),
      call('getAmountOut(uint256,address)', amountIn, token1),
    ],
    step: { kind: 2, data: ['0x', '0x'] },
    gas: [98_000, 98_000],
  },
  'the third vault of Balancer': {
    family: balancerV3QuotedFamily,
    target: quoter,
    asks: [
      call(query, pool, token0, token1, amountIn, 0, 192, 0),
      call(query, pool, token1, token0, amountIn, 0, 192, 0),
    ],
    step: { kind: 5, pool: vault, data: [wordsOf(pool), wordsOf(pool)] },
    gas: [205_000, 205_000],
  },
  'ERC-4626': {
    family: erc4626Family,
    target: pool,
    asks: [call('previewDeposit(uint256)', amountIn), call('previewRedeem(uint256)', amountIn)],
    step: { kind: 14, data: ['0x', '0x'] },
    gas: [250_000, 190_000],
  },
}

for (const [name, { family, target, asks, step, gas }] of Object.entries(rows))
  s(`${name}: is asked, stepped and priced as its contracts want it [teeth/quoters]`, () => {
    for (const i of [0, 1] as const) {
      const trade = { i, j: 1 - i, amountIn }
      const question = family.quoter?.question(record, trade)
      assert.equal([question?.target.toLowerCase(), question?.data], [target, asks[i]])
      const [tokenIn, tokenOut] = i === 0 ? [token0, token1] : [token1, token0]
      assert.equal(family.encodeStep(record, { tokenIn, tokenOut }), {
        kind: step.kind,
        pool: step.pool ?? getAddress(pool),
        data: step.data[i],
      })
      assert.is(family.stepGas(record, i), gas[i])
      assert.is(family.takesTaxedInput, false)
      const words = family === maverickV2Family ? [amountIn, 77n] : [77n]
      const read = (own: Partial<QuotedRecord>, told = words) =>
        family.quoter?.readAnswer(told, trade, { ...record, ...own })
      assert.equal([read({}), read({}, [])], [77n, undefined])
      // What the pool may not pay it does not pay.
      const limits = (most: bigint) => ({ limits: i === 0 ? [0n, most] : [most, 0n] })
      assert.equal([read(limits(77n)), read(limits(76n))], [77n, undefined])
    }
  })

s(
  'a quoter of 128 bits is asked for no more, and its answer to less refused [teeth/quoters]',
  () => {
    const [end, trade] = [1n << 128n, { i: 0, j: 1, amountIn: 1n << 128n }]
    const data = (amount: bigint) =>
      maverickV2Family.quoter?.question(record, { ...trade, amountIn: amount }).data
    assert.is(data(end), call(calculate, pool, end - 1n, true, false, 2 ** 31 - 1))
    assert.is(data(end - 1n), data(end))
    const read = maverickV2Family.quoter?.readAnswer
    assert.is(read?.([end - 1n, 5n], trade, record), undefined)
  },
)

s(
  "a pool's own word, and its vault's, has it asked again; a stranger's not [teeth/quoters]",
  () => {
    const log = (address: string) => ({
      address: address.toLowerCase(),
      topics: ['0x1'],
      data: '0x' as const,
      blockNumber: 9n,
      blockHash: '0x9',
      logIndex: 0,
    })
    const heard = (family: PoolFamily<QuotedRecord>, address: string) =>
      family.apply(record, log(address)) === undefined
    assert.equal([heard(woofiFamily, pool), heard(woofiFamily, stranger)], [true, false])
    for (const [family, own] of [
      [fluidFamily, liquidityLayer],
      [balancerV3QuotedFamily, vault],
    ] as const) {
      assert.equal([heard(family, own), heard(family, stranger)], [true, false])
      assert.equal(family.emitters?.(fakeDex({ protocol: 'fluid' })), [own])
    }
    assert.is(woofiFamily.emitters, undefined)
    const operate = 'LogOperate(address,address,int256,int256,address,address,uint256,uint256)'
    const told = { ...log(liquidityLayer), topics: [toEventSelector(operate), pad(pool)] }
    const { poolIdOf } = fluidFamily
    assert.equal(
      [poolIdOf?.(told), poolIdOf?.({ ...told, topics: ['0x1', pad(pool)] })],
      [pool, undefined],
    )
  },
)

s('events that make pools name them and their tokens [teeth/quoters]', () => {
  const log = (data: Hex) => ({ topics: [], data })
  const made = dodoV2Family.creations.map(({ read }) =>
    read(log(wordsOf(token0, token1, stranger, pool))),
  )
  assert.equal(made, Array(3).fill({ tokens: [token0, token1], address: pool }))
  assert.is(dodoV2Family.creations[0]?.read(log(wordsOf(token0, token1, stranger))), undefined)
  const [maverick] = maverickV2Family.creations
  const fields = [pool, 0, 1, 2, 3, 4, 5, token0, token1, 1, stranger] as const
  assert.equal(maverick?.read(log(wordsOf(...fields))), { tokens: [token0, token1], address: pool })
  assert.is(maverick?.read(log(wordsOf(...fields.slice(0, 8)))), undefined)
})

/** Quoters that give twice what they are asked about, of pools that hold a whole unit of each token. */
const whole = 10n ** 18n
const { sample } = createSampleLens({ heldOf: () => whole, quote: (_, amountIn) => 2n * amountIn })
const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const weth = '0x4200000000000000000000000000000000000006'
const twin = fakeAddress(601)

async function load(family: PoolFamily<QuotedRecord>, told: readonly Told[], own = {}) {
  const dex = fakeDex({ protocol: 'woofi', quoter, ...own })
  const node = createViewNode(told, { sample })
  // What answers nothing stands before, and another behind: each pool's answers are its own.
  const pools = [fakeAddress(600), pool, twin].map((address) => ({ dex, address }))
  const [loaded] = await family.load(node.deps, { pools, blockNumber })
  return { loaded, ...node }
}

s('Curve crypto pools have two or three coins, and a fee of now [teeth/quoted-loads]', async () => {
  const coin = (at: number, address: Hex, of = pool): Told => [
    of,
    'coins(uint256)(address)',
    [address],
    [BigInt(at)],
  ]
  const fee: Told = [pool, 'fee()(uint256)', [26_000_000n]]
  const { loaded } = await load(curveCryptoFamily, [coin(0, token0), coin(1, native), fee])
  assert.equal(
    [loaded?.tokens, loaded?.native, loaded?.feePips, loaded?.held, loaded?.quoter],
    [[token0, weth], [false, true], 2_600, [whole, whole], getAddress(quoter)],
  )
  assert.equal(loaded?.amounts.slice(14, 28), listGrid(whole))
  assert.equal(
    loaded?.outputs.slice(14, 28),
    listGrid(whole).map((one) => 2n * one),
  )
  const three = [coin(0, token0), coin(1, token1), coin(2, stranger), coin(3, weth)]
  const others = [coin(0, token1, twin), coin(1, weth, twin)]
  const own = { quoter: undefined }
  const found = (await load(curveCryptoFamily, [...three, ...others], own)).loaded
  assert.equal([found?.tokens.length, found?.feePips, found?.quoter], [3, 0, getAddress(pool)])
  // A list for each of three tokens in and three out.
  assert.equal([found?.amounts.length, found?.outputs.length], [126, 126])
  const two = [coin(0, token0), coin(1, token1), ...others]
  assert.equal((await load(curveCryptoFamily, two)).loaded?.tokens, [token0, token1])
  const dear: Told = [pool, 'fee()(uint256)', [10n ** 10n]]
  assert.is((await load(curveCryptoFamily, [...two, dear])).loaded?.feePips, 1_000_000)
  assert.is((await load(curveCryptoFamily, [coin(0, token0)])).loaded, undefined)
})

s('pairs name their tokens each in their own way [teeth/quoted-loads]', async () => {
  for (const [family, one, other] of [
    [dodoV2Family, '_BASE_TOKEN_()(address)', '_QUOTE_TOKEN_()(address)'],
    [maverickV2Family, 'tokenA()(address)', 'tokenB()(address)'],
    [ramsesV1Family, 'token0()(address)', 'token1()(address)'],
  ] as const) {
    const told: readonly Told[] = [
      [pool, one, [token0]],
      [pool, other, [token1]],
    ]
    // Answers of a quoter of 128 bits come with what was taken.
    const { loaded, failures } = await load(family, told)
    if (family === maverickV2Family)
      assert.equal([loaded, failures.at(-1)], [undefined, `unopened ${pool}`])
    else assert.equal(loaded?.tokens, [token0, token1])
    assert.is((await load(family, told.slice(1))).loaded, undefined)
  }
})

s(
  'WOOFi has its quote token and what it holds of the known ones [teeth/quoted-loads]',
  async () => {
    const info = (token: string, reserve: bigint): Told => [
      pool,
      'tokenInfos(address)(uint192)',
      [reserve],
      [token],
    ]
    const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
    const quote: Told = [pool, 'quoteToken()(address)', [usdc]]
    const { loaded } = await load(woofiFamily, [quote, info(weth, 5n), info(usdc, 7n)])
    assert.equal(loaded?.tokens, [usdc.toLowerCase(), weth])
    assert.is((await load(woofiFamily, [quote, info(weth, 0n)])).loaded, undefined)
    assert.is((await load(woofiFamily, [info(weth, 5n), info(usdc, 7n)])).loaded, undefined)
  },
)

s(
  'Fluid pays no more than may be withdrawn, and than may be borrowed [teeth/quoted-loads]',
  async () => {
    const tokens: Told = [
      quoter,
      'getPoolTokens(address)(address,address)',
      [token0, native],
      [pool],
    ]
    const reserves = (set: Readonly<Record<number, bigint>>): Told => [
      quoter,
      'getPoolReservesAdjusted(address)(uint256[27])',
      [Array.from({ length: 27 }, (_, k) => set[k] ?? 0n)],
      [pool],
    ]
    const bounds = { 15: 9n * whole, 18: 8n * whole, 21: 7n * whole, 24: 10n * whole }
    const limits = async (set: Readonly<Record<number, bigint>>) =>
      (await load(fluidFamily, [tokens, reserves({ ...bounds, ...set })])).loaded?.limits
    assert.equal(await limits({ 5: 1n }), [9n * whole, 8n * whole])
    assert.equal(await limits({ 6: 1n }), [9n * whole, 8n * whole])
    assert.equal(await limits({ 11: 1n }), [7n * whole, 10n * whole])
    assert.equal(await limits({ 12: 1n, 5: 1n }), [7n * whole, 8n * whole])
    const none = await load(fluidFamily, [tokens, reserves(bounds)])
    assert.equal([none.loaded, none.failures.at(-1)], [undefined, `unopened ${pool}`])
    // Of a longer answer the rest says nothing.
    const three = 'getPoolTokens(address)(address,address,address)'
    const long: Told = [quoter, three, [token0, native, stranger], [pool]]
    const { loaded } = await load(fluidFamily, [long])
    assert.equal(
      [loaded?.tokens, loaded?.native, loaded?.limits],
      [[token0, weth], [false, true], undefined],
    )
    const boundsOf = (told: Told) =>
      fluidFamily.quoter?.readBounds?.(createViewNode([told]).deps, { record, blockNumber })
    assert.equal(await boundsOf(reserves(bounds)), { limits: [0n, 0n] })
    const short = 'getPoolReservesAdjusted(address)(uint256[26])'
    assert.equal(await boundsOf([quoter, short, [Array(26).fill(1n)], [pool]]), {})
    const plain = { ...record, native: [false, false] }
    const step = fluidFamily.encodeStep(plain, { tokenIn: token0, tokenOut: token1 })
    assert.is(step.data, wordsOf(true, false))
  },
)

s(
  'vaults take what they say, and give what their largest holder may redeem [teeth/quoted-loads]',
  async () => {
    const told = (deposit: bigint): readonly Told[] => [
      [pool, 'asset()(address)', [token0]],
      [pool, 'totalAssets()(uint256)', [5n * whole]],
      [pool, 'totalSupply()(uint256)', [4n * whole]],
      [pool, 'maxDeposit(address)(uint256)', [deposit], [vault]],
      [pool, 'maxRedeem(address)(uint256)', [3n * whole], [vault]],
      [pool, 'previewRedeem(uint256)(uint256)', [6n * whole], [3n * whole]],
      [pool, 'previewDeposit(uint256)(uint256)', [8n * whole], [9n * whole]],
      [pool, 'previewDeposit(uint256)(uint256)', [1n << 111n], [1n << 112n]],
    ]
    const { loaded } = await load(erc4626Family, told(9n * whole))
    assert.equal(
      [loaded?.tokens, loaded?.held, loaded?.limits],
      [
        [token0, pool],
        [5n * whole, 4n * whole],
        [6n * whole - 1n, 8n * whole - 1n],
      ],
    )
    // Who knows no bound names a number that its own arithmetic does not bear.
    const free = (await load(erc4626Family, told((1n << 256n) - 1n))).loaded
    assert.is(free?.limits?.[1], (1n << 111n) - 1n)
    const shut = await load(erc4626Family, told(9n * whole).slice(0, 3))
    assert.equal([shut.loaded, shut.failures.at(-1)], [undefined, `unopened ${pool}`])
    assert.is((await load(erc4626Family, told(9n * whole).slice(1))).loaded, undefined)
    // Half of an answer is none: what it has itself is asked about, and nothing more is promised.
    const noSupply = told(9n * whole).toSpliced(2, 1)
    assert.equal((await load(erc4626Family, noSupply)).loaded?.held, [whole, whole])
    const ones = [0n, 1n].flatMap((shares): readonly Told[] => [
      [pool, 'previewRedeem(uint256)(uint256)', [5n * shares], [shares]],
      [pool, 'previewDeposit(uint256)(uint256)', [5n * shares], [shares]],
    ])
    const { deps } = createViewNode([...told(9n * whole).toSpliced(4, 1), ...ones])
    const bounds = await erc4626Family.quoter?.readBounds?.(deps, { record, blockNumber })
    assert.equal(bounds, { limits: [0n, 0n] })
  },
)
s.run()
