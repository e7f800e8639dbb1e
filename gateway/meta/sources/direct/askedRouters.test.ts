import { type Address, zeroAddress } from 'viem'
import {
  type Answers,
  deadline,
  encodeResult,
  encodeSwap,
  exactInput,
  exactOutput,
  forInput,
  forOutput,
  named,
  openDex,
  pool,
  quoter,
  readCall,
  recipient,
  spare,
} from '../../../../fixtures/meta/directRouters.ts'
import { makeRequest, router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { nativeSpellings } from '../../provider/provider.ts'
import { nativeToken, type SourceRequest } from '../../provider/source.ts'
import { createBalancerV2 } from './balancerV2.ts'
import { balancerV3 } from './balancerV3.ts'
import type { Swap } from './directSource.ts'
import { createDodoV2 } from './dodoV2.ts'
import { createFluid } from './fluid.ts'

/** Families that ask the chain what they trade through; `quotedSources.fork.test.ts` has real ones. */
const s = suite('meta/direct routers that are asked')
const [proxy, taker] = [named('b1'), named('b2')]
const signal = new AbortController().signal

const v2 = {
  single:
    '(bytes32 poolId, uint8 kind, address assetIn, address assetOut, uint256 amount, bytes userData)',
  funds: '(address sender, bool fromInternalBalance, address recipient, bool toInternalBalance)',
}
s(
  'tells the Balancer v2 vault which end is exact, and of value by no address [teeth/balancer]',
  async () => {
    const family = createBalancerV2('weighted')
    const poolId = `0x${'12'.repeat(32)}`
    const { dex, calls } = openDex({
      [router]: { 'WETH() returns (address)': weth },
      [pool]: { 'getPoolId() returns (bytes32)': poolId },
    })
    assert.is(await family.isRouter(dex, signal), true)
    const before = calls()
    const list = () => family.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
    const [path, ...more] = await list()
    if (!path) throw new Error('no pool was found')
    assert.equal([path, more], [{ poolId, tokens: [usdc, weth] }, []])
    await list()
    // The one that has an id is asked once, the other again.
    assert.is(calls() - before, 3)
    const signatures = [
      `function querySwap(${v2.single}, ${v2.funds}) returns (uint256)`,
      `function swap(${v2.single}, ${v2.funds}, uint256, uint256)`,
    ]
    const swapOf = (
      kind: number,
      amount: bigint,
      assetIn: Address = usdc,
      assetOut: Address = weth,
    ) => ({
      poolId,
      kind,
      assetIn,
      assetOut,
      amount,
      userData: '0x',
    })
    const fundsOf = (sender: Address, to: Address) => ({
      sender,
      fromInternalBalance: false,
      recipient: to,
      toInternalBalance: false,
    })
    const nobody = fundsOf(zeroAddress, zeroAddress)
    const asked = [exactInput, exactOutput].map((trade) => family.askPrice(dex, path, trade))
    assert.equal(
      asked.map(({ target, data }) => [target, ...readCall(signatures, data)]),
      [
        [quoter, 'querySwap', swapOf(0, 1_000n), nobody],
        [quoter, 'querySwap', swapOf(1, 900n), nobody],
      ],
    )
    const answer = encodeResult(signatures[0] ?? '', 5n)
    assert.equal(family.readPrice(answer, path, exactInput), { amount: 5n, gas: 0n })
    const funds = fundsOf(makeRequest().sender, recipient)
    const told = (given: Partial<SourceRequest>, amounts: Swap<unknown>['amounts']) => {
      const { target, spender, calldata } = encodeSwap(family, dex, { path, given, amounts })
      return [target, spender, ...readCall(signatures, calldata)]
    }
    const rest = (limit: bigint) => [funds, limit, deadline]
    assert.equal(told({}, forInput), [router, router, 'swap', swapOf(0, 1_000n), ...rest(990n)])
    assert.equal(told({}, forOutput), [router, router, 'swap', swapOf(1, 900n), ...rest(1_010n)])
    const [bareIn, bareOut] = [{ tokenIn: nativeToken }, { tokenOut: nativeToken }]
    assert.equal(told(bareIn, forInput)[3], swapOf(0, 1_000n, zeroAddress, weth))
    assert.equal(told(bareOut, forInput)[3], swapOf(0, 1_000n, usdc, zeroAddress))
  },
)
s(
  'knows the Balancer v3 router by its version, and has it pay whoever sends [teeth/balancer]',
  async () => {
    const is = (version: string) =>
      balancerV3.isRouter(
        openDex({ [router]: { 'version() returns (string)': version } }).dex,
        signal,
      )
    assert.equal([await is('{"name":"Router"}'), await is('{"name":"BatchRouter"}')], [true, false])
    assert.is(await balancerV3.isRouter(openDex({}).dex, signal), false)
    const { dex } = openDex({})
    const p = { tokenIn: usdc, tokenOut: weth, signal }
    const [path] = await balancerV3.listPaths(dex, p)
    if (!path) throw new Error('no pool was found')
    const signatures = [
      'function querySwapSingleTokenExactIn(address, address, address, uint256, address, bytes) returns (uint256)',
      'function swapSingleTokenExactIn(address, address, address, uint256, uint256, uint256, bool, bytes)',
    ]
    const asked = [exactInput, exactOutput].map((trade) => balancerV3.askPrice(dex, path, trade))
    assert.equal(
      asked.map(({ data }) => readCall(signatures, data).slice(1)),
      [1_000n, 900n].map((amount) => [pool, usdc, weth, amount, zeroAddress, '0x']),
    )
    const answer = encodeResult(signatures[0] ?? '', 5n)
    assert.equal(balancerV3.readPrice(answer, path, exactInput), { amount: 5n, gas: 0n })
    const { target, calldata } = encodeSwap(balancerV3, dex, { path })
    const told = [pool, usdc, weth, 1_000n, 990n, deadline, true, '0x']
    assert.equal([target, ...readCall(signatures, calldata).slice(1)], [router, ...told])
    assert.throws(
      () => encodeSwap(balancerV3, dex, { path, amounts: forOutput }),
      /exact inputs only/,
    )
  },
)

s(
  'tells DODO which way a pool is sold, and who takes the tokens by its own word [teeth/dodo]',
  async () => {
    const takers = new Set<Address>()
    const family = createDodoV2(undefined, { spenders: () => takers })
    const { dex } = openDex({
      [router]: { '_DODO_APPROVE_PROXY_() returns (address)': proxy },
      [proxy]: { '_DODO_APPROVE_() returns (address)': taker },
      [pool]: {
        '_BASE_TOKEN_() returns (address)': usdc,
        '_QUOTE_TOKEN_() returns (address)': weth,
      },
      [spare]: {
        '_BASE_TOKEN_() returns (address)': weth,
        '_QUOTE_TOKEN_() returns (address)': usdc,
      },
    })
    const [first, second] = await family.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
    if (!first || !second) throw new Error('a pool was not found')
    assert.equal([first.pool, first.givesFirst], [pool, true])
    assert.equal([second.pool, second.givesFirst], [spare, false])
    assert.throws(() => encodeSwap(family, dex, { path: first }), /was not asked/)
    assert.is(await family.isRouter(dex, signal), true)
    assert.equal([...takers], [taker])
    const signatures = [
      'function dodoSwapV2TokenToToken(address, address, uint256, uint256, address[], uint256, bool, uint256)',
      'function dodoSwapV2ETHToToken(address, uint256, address[], uint256, bool, uint256)',
      'function dodoSwapV2TokenToETH(address, uint256, uint256, address[], uint256, bool, uint256)',
      'function querySellBase(address, uint256) returns (uint256, uint256)',
      'function querySellQuote(address, uint256) returns (uint256, uint256)',
    ]
    const { target, spender, calldata } = encodeSwap(family, dex, { path: first })
    const way = (directions: bigint, of = pool) => [[of], directions, false, deadline]
    assert.equal([target, spender], [router, taker])
    assert.equal(readCall(signatures, calldata).slice(1), [usdc, weth, 1_000n, 990n, ...way(0n)])
    const tell = (path: typeof first, given: Partial<SourceRequest>) =>
      readCall(signatures, encodeSwap(family, dex, { path, given }).calldata)
    assert.equal(tell(second, { tokenIn: nativeToken, tokenOut: usdc }), [
      'dodoSwapV2ETHToToken',
      usdc,
      990n,
      ...way(1n, spare),
    ])
    assert.equal(tell(first, { tokenOut: nativeToken }), [
      'dodoSwapV2TokenToETH',
      usdc,
      1_000n,
      990n,
      ...way(0n),
    ])
    const ask = (path: typeof first, trade: SourceRequest['trade']) => {
      const asked = family.askPrice(dex, path, trade)
      return [asked.target, ...readCall(signatures, asked.data)]
    }
    assert.equal(ask(first, exactInput), [pool, 'querySellBase', zeroAddress, 1_000n])
    assert.equal(ask(second, exactOutput), [spare, 'querySellQuote', zeroAddress, 900n])
    const answer = encodeResult(signatures[3] ?? '', [5n, 6n])
    assert.equal(family.readPrice(answer, first, exactInput), { amount: 5n, gas: 0n })
    assert.throws(
      () => encodeSwap(family, dex, { path: first, amounts: forOutput }),
      /exact inputs only/,
    )
  },
)
s('takes nobody for DODO whose contracts name nobody [teeth/dodo]', async () => {
  for (const answers of [
    {},
    { [router]: { '_DODO_APPROVE_PROXY_() returns (address)': zeroAddress } },
    { [router]: { '_DODO_APPROVE_PROXY_() returns (address)': proxy } },
    {
      [router]: { '_DODO_APPROVE_PROXY_() returns (address)': proxy },
      [proxy]: { '_DODO_APPROVE_() returns (address)': zeroAddress },
    },
  ] as Answers[]) {
    const takers = new Set<Address>()
    const family = createDodoV2(undefined, { spenders: () => takers })
    assert.equal([await family.isRouter(openDex(answers).dex, signal), takers.size], [false, 0])
  }
})

s('trades with a Fluid pool itself, which holds bare value [teeth/fluid]', async () => {
  const pools = new Set<Address>()
  const family = createFluid(undefined, { pools: () => pools })
  const bare = nativeSpellings.e
  const { dex, calls } = openDex({
    [quoter]: {
      'getAllPoolAddresses() returns (address[])': [pool, spare],
      'getPoolTokens(address) returns (address, address)': (asked: Address) =>
        asked === pool ? [usdc, bare] : undefined,
    },
  })
  assert.is(await family.isRouter(dex, signal), true)
  assert.is(await family.isRouter(openDex({}).dex, signal), false)
  const before = calls()
  const list = (tokenIn: Address, tokenOut: Address) =>
    family.listPaths(dex, { tokenIn, tokenOut, signal })
  const [path, ...more] = await list(usdc, nativeToken)
  if (!path) throw new Error('no pool was found')
  assert.equal([path.pool, path.givesFirst, more, [...pools]], [pool, true, [], [pool]])
  assert.equal(
    (await list(nativeToken, usdc)).map(({ givesFirst }) => givesFirst),
    [false],
  )
  assert.equal(await list(usdc, weth), [])
  // Tokens of a pool are read once; one that did not tell is asked again.
  assert.is(calls() - before, 4)
  const signatures = [
    'function estimateSwapIn(address, bool, uint256, uint256) returns (uint256)',
    'function swapIn(bool, uint256, uint256, address)',
  ]
  const asked = family.askPrice(dex, path, exactInput)
  const estimate = ['estimateSwapIn', pool, true, 1_000n, 0n]
  assert.equal([asked.target, ...readCall(signatures, asked.data)], [quoter, ...estimate])
  assert.is(readCall(signatures, family.askPrice(dex, path, exactOutput).data)[3], 900n)
  const answer = encodeResult(signatures[0] ?? '', 5n)
  assert.equal(family.readPrice(answer, path, exactInput), { amount: 5n, gas: 0n })
  const { target, spender, calldata } = encodeSwap(family, dex, { path })
  assert.equal([target, spender], [pool, pool])
  assert.equal(readCall(signatures, calldata), ['swapIn', true, 1_000n, 990n, recipient])
  assert.throws(() => encodeSwap(family, dex, { path, amounts: forOutput }), /exact inputs only/)
})
s.run()
