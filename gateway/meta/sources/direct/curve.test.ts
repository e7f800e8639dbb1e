import { type Address, zeroAddress } from 'viem'
import {
  deadline,
  encodeResult,
  encodeSwap,
  exactInput,
  exactOutput,
  factory,
  forOutput,
  hub,
  openDex,
  pool,
  quoter,
  readCall,
  recipient,
  spare,
} from '../../../../fixtures/meta/directRouters.ts'
import { router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { nativeSpellings } from '../../provider/provider.ts'
import { nativeToken, type SourceRequest } from '../../provider/source.ts'
import { createCurveCrypto, createCurveNg, createCurvePlain } from './curve.ts'
import { liquidityBook } from './liquidityBook.ts'
import { woofi } from './woofi.ts'

/** Exchanges that count their coins, or find their pairs themselves; `quotedSources.fork.test.ts` has real ones. */
const s = suite('meta/direct curve')
const signal = new AbortController().signal
const bare = nativeSpellings.e

/** A factory that names two pools of these coins for each pair, and nothing as the third. */
function openCurve(coins: readonly Address[]) {
  const coinsOf = (index: bigint) => coins[Number(index)]
  return openDex({
    [factory]: {
      'pool_count() returns (uint256)': 2n,
      'find_pool_for_coins(address, address, uint256) returns (address)': (
        _: Address,
        __: Address,
        skip: bigint,
      ) => [pool, spare, zeroAddress][Number(skip)],
    },
    [pool]: { 'coins(uint256) returns (address)': coinsOf },
    [spare]: { 'coins(uint256) returns (address)': (index: bigint) => [usdc, hub][Number(index)] },
  })
}
const eight = [hub, hub, usdc, hub, hub, hub, hub, weth]

for (const [what, create, count, exchange, told] of [
  ['NG', createCurveNg, 'int128', 'int128, int128, uint256, uint256, address', [recipient]],
  ['plain', createCurvePlain, 'int128', 'int128, int128, uint256, uint256', []],
  ['crypto', createCurveCrypto, 'uint256', 'uint256, uint256, uint256, uint256', []],
] as const)
  s(`trades with ${what} pools of Curve by the places of their coins [teeth/curve]`, async () => {
    let nowMs = 0
    const pools = new Set<Address>()
    const family = create({ now: () => nowMs }, { pools: () => pools })
    const { dex, calls } = openCurve(eight)
    assert.is(await family.isRouter(dex, signal), true)
    assert.is(await family.isRouter(openDex({}).dex, signal), false)
    const before = calls()
    const list = () => family.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
    const [path, ...more] = await list()
    if (!path) throw new Error('no pool was found')
    const hop = { pool, tokens: [usdc, weth], i: 2n, j: 7n }
    // The other pool does not hold both, whatever the factory says.
    assert.equal([path, more, [...pools]], [hop, [], [pool]])
    const asked = calls() - before
    nowMs = 59_999
    await list()
    assert.is(calls() - before, asked)
    nowMs = 60_000
    await list()
    assert.is(calls() - before, 2 * asked)
    const signatures = [
      `function get_dy(${count}, ${count}, uint256) returns (uint256)`,
      `function exchange(${exchange})`,
    ]
    const prices = [exactInput, exactOutput].map((trade) => family.askPrice(dex, path, trade))
    assert.equal(
      prices.map(({ target, data }) => [target, ...readCall(signatures, data)]),
      [1_000n, 900n].map((amount) => [pool, 'get_dy', 2n, 7n, amount]),
    )
    const answer = encodeResult(signatures[0] ?? '', 5n)
    assert.equal(family.readPrice(answer, path, exactInput), { amount: 5n, gas: 0n })
    const { target, spender, calldata } = encodeSwap(family, dex, { path })
    assert.equal([target, spender], [pool, pool])
    assert.equal(readCall(signatures, calldata), ['exchange', 2n, 7n, 1_000n, 990n, ...told])
    assert.throws(() => encodeSwap(family, dex, { path, amounts: forOutput }), /exact inputs only/)
  })
s('finds bare value in plain pools of Curve alone [teeth/curve]', async () => {
  const { dex, calls } = openCurve([bare, usdc])
  const list = (create: typeof createCurveNg, tokenIn: Address, tokenOut: Address) => {
    const family = create({ now: () => 0 }, { pools: () => new Set() })
    return family.listPaths(dex, { tokenIn, tokenOut, signal })
  }
  for (const create of [createCurveNg, createCurveCrypto])
    for (const [tokenIn, tokenOut] of [
      [nativeToken, usdc],
      [usdc, nativeToken],
    ] as const)
      assert.equal(await list(create, tokenIn, tokenOut), [])
  assert.is(calls(), 0)
  const [hop] = await list(createCurvePlain, nativeToken, usdc)
  assert.equal(hop, { pool, tokens: [bare, usdc], i: 0n, j: 1n })
})

s(
  'tells WOOFi of both ends, and knows its router by what it wraps and trades with [teeth/woofi]',
  async () => {
    const is = (wrapped: Address | undefined, wooPool: Address | undefined) =>
      woofi.isRouter(
        openDex({
          [router]: {
            'WETH() returns (address)': wrapped,
            'wooPool() returns (address)': wooPool,
          },
        }).dex,
        signal,
      )
    assert.equal(
      [await is(weth, factory), await is(usdc, factory), await is(weth, pool)],
      [true, false, false],
    )
    assert.equal([await is(undefined, factory), await is(weth, undefined)], [false, false])
    const { dex } = openDex({})
    const [path] = await woofi.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
    if (!path) throw new Error('there is no path')
    const signatures = [
      'function query(address, address, uint256) returns (uint256)',
      'function swap(address, address, uint256, uint256, address, address)',
    ]
    const prices = [exactInput, exactOutput].map((trade) => woofi.askPrice(dex, path, trade))
    assert.equal(
      prices.map(({ target, data }) => [target, ...readCall(signatures, data)]),
      [1_000n, 900n].map((amount) => [factory, 'query', usdc, weth, amount]),
    )
    const answer = encodeResult(signatures[0] ?? '', 5n)
    assert.equal(woofi.readPrice(answer, path, exactInput), { amount: 5n, gas: 0n })
    const tell = (given: Partial<SourceRequest>) =>
      readCall(signatures, encodeSwap(woofi, dex, { path, given }).calldata)
    const rest = [1_000n, 990n, recipient, zeroAddress]
    assert.equal(tell({}), ['swap', usdc, weth, ...rest])
    assert.equal(tell({ tokenIn: nativeToken, tokenOut: usdc }), ['swap', bare, usdc, ...rest])
    assert.throws(() => encodeSwap(woofi, dex, { path, amounts: forOutput }), /exact inputs only/)
  },
)

const quote =
  '(address[] route, address[] pairs, uint256[] binSteps, uint8[] versions, uint128[] amounts, uint128[] virtualAmountsWithoutSlippage, uint128[] fees)'
const path3 = '(uint256[] pairBinSteps, uint8[] versions, address[] tokenPath)'
const fee = 'SupportingFeeOnTransferTokens'
s(
  'trades along the pairs that the quoter of the Liquidity Book names [teeth/liquidity-book]',
  async () => {
    const { dex } = openDex({}, { hubTokens: [hub] })
    const paths = await liquidityBook.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
    assert.equal(
      paths.map(({ tokens }) => tokens),
      [
        [usdc, weth],
        [usdc, hub, weth],
      ],
    )
    const [, path] = paths
    if (!path) throw new Error('there is no path')
    const signatures = [
      `function findBestPathFromAmountIn(address[], uint128) returns (${quote})`,
      `function swapExactTokensForTokens${fee}(uint256, uint256, ${path3}, address, uint256)`,
      `function swapExactNATIVEForTokens${fee}(uint256, ${path3}, address, uint256)`,
      `function swapExactTokensForNATIVE${fee}(uint256, uint256, ${path3}, address, uint256)`,
    ]
    const ask = (trade: SourceRequest['trade']) => {
      const { target, data } = liquidityBook.askPrice(dex, path, trade)
      return [target, ...readCall(signatures, data)]
    }
    const asked = (amount: bigint) => [quoter, 'findBestPathFromAmountIn', path.tokens, amount]
    assert.equal([ask(exactInput), ask(exactOutput)], [asked(1_000n), asked(900n)])
    const most = 2n ** 128n - 1n
    for (const amountIn of [most, most + 1n])
      assert.equal(ask({ type: 'exactInput', amountIn }), asked(most))
    const none = { pairs: [], virtualAmountsWithoutSlippage: [], fees: [] }
    const found = {
      route: [],
      binSteps: [15n, 20n],
      versions: [2, 3],
      amounts: [1n, 2n, 5n],
      ...none,
    }
    const read = (answer: object) =>
      liquidityBook.readPrice(encodeResult(signatures[0] ?? '', answer), path, exactInput)
    const price = read(found)
    assert.is(read({ ...found, amounts: [] }).amount, 0n)
    const priced = { tokens: path.tokens, binSteps: [15n, 20n], versions: [2, 3] }
    assert.equal(price, { amount: 5n, gas: 90_000n, path: priced })
    const [ways, rest] = [
      { pairBinSteps: [15n, 20n], versions: [2, 3], tokenPath: path.tokens },
      [recipient, deadline],
    ]
    const tell = (given: Partial<SourceRequest>) =>
      readCall(signatures, encodeSwap(liquidityBook, dex, { path: priced, given }).calldata)
    assert.equal(tell({}), [`swapExactTokensForTokens${fee}`, 1_000n, 990n, ways, ...rest])
    assert.equal(tell({ tokenIn: nativeToken }), [
      `swapExactNATIVEForTokens${fee}`,
      990n,
      ways,
      ...rest,
    ])
    const bareOut = tell({ tokenOut: nativeToken })
    assert.equal(bareOut, [`swapExactTokensForNATIVE${fee}`, 1_000n, 990n, ways, ...rest])
    const wrong = { path: priced, amounts: forOutput }
    assert.throws(() => encodeSwap(liquidityBook, dex, wrong), /exact inputs only/)
  },
)
s.run()
