import { type Address, encodeFunctionData, erc20Abi, toHex, zeroAddress } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { balanceReaderAt, balanceReaderOverride, readBalancesCall } from './balanceReader.ts'
import { type Bundle, buildBundle, type Candidate } from './buildBundle.ts'
import { type Holding, holdingsReaderOverride, readHoldingsCall } from './holdingsReader.ts'
import type { CallShape, StateOverrides } from './rpc/callShapes.ts'
import { addressOf, word } from './testing/answers.ts'

const s = suite('simulator/buildBundle')
const taker = addressOf('d')
const named = addressOf('e')
const spender = addressOf('f')
const tokenIn = addressOf('b')
const tokenOut = addressOf('c')
const candidate: Candidate = {
  target: addressOf('a'),
  data: '0x01020304',
  value: 7n,
  tokenIn,
  tokenOut,
  amountIn: 100n,
  spender,
}
const ether = 10n ** 18n
const given: Omit<Parameters<typeof buildBundle>[0], 'candidate'> = {
  taker,
  holders: [taker, named],
  funding: {},
  gasCap: 2_000_000n,
  timeSecs: 1_000n,
  baseOverrides: {},
}
const build = (change: Partial<Candidate> = {}, more: Partial<typeof given> = {}) =>
  buildBundle({ ...given, ...more, candidate: { ...candidate, ...change } })

const approve = (amount: bigint): CallShape => ({
  from: taker,
  to: tokenIn,
  gas: toHex(1_000_000n),
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
})
const swap: CallShape = {
  from: taker,
  to: candidate.target,
  gas: toHex(2_000_000n),
  data: candidate.data,
  value: '0x7',
}
const outputs = [taker, named].map((holder) => ({ token: tokenOut, holder }))
const looks = readBalancesCall(outputs)
const looksAtFunds = readBalancesCall([{ token: tokenIn, holder: taker }, ...outputs])
const placesOf = ({ approveIndex, swapIndex, readsFunding }: Bundle) => [
  approveIndex,
  swapIndex,
  readsFunding,
]
const prelude: CallShape = { from: addressOf('9'), to: tokenIn, gas: '0x1', data: '0x' }
const holdings: readonly Holding[] = [
  { contract: tokenOut, data: '0x05', loss: 'fall', sentence: 'takes shares' },
]

s('approves what is sold, looks, swaps and looks again [teeth/bundle]', () => {
  const bundle = build()
  assert.equal(bundle.calls, [approve(100n), looksAtFunds, swap, looks])
  assert.equal(placesOf(bundle), [0, 2, true])
  assert.equal(bundle.trade, {
    taker,
    recipient: taker,
    tokenIn,
    tokenOut,
    amountIn: 100n,
    spender,
    allowance: 100n,
  })
  assert.equal(bundle.rpcCall, {
    method: 'eth_simulateV1',
    params: [
      {
        blockStateCalls: [
          {
            blockOverrides: { time: toHex(1_000) },
            stateOverrides: bundle.stateOverrides,
            calls: bundle.calls,
          },
        ],
        validation: false,
        traceTransfers: false,
      },
      'latest',
    ],
  })
  assert.equal([bundle.holders, bundle.holdings, bundle.gasPriceWei], [[taker, named], [], 0n])
})
s('allows what is held where that is more, for the trade that it is [teeth/bundle]', () => {
  const { calls, trade } = build({ heldAmount: 150n, recipient: named })
  assert.equal(calls[0], approve(150n))
  assert.equal([trade.amountIn, trade.allowance, trade.recipient], [100n, 150n, named])
})
s("resets a real taker's allowance first, and gives it nothing [teeth/bundle-real]", () => {
  const bundle = build({ funding: 'real' })
  assert.equal(bundle.calls, [approve(0n), approve(100n), looks, swap, looks])
  assert.equal(placesOf(bundle), [1, 3, false])
  assert.equal(bundle.stateOverrides, balanceReaderOverride)
})
s('approves nothing where nobody is to have it, or nothing can be [teeth/bundle-bare]', () => {
  const bare = build({ spender: undefined })
  assert.equal(bare.calls, [looksAtFunds, swap, looks])
  assert.equal(placesOf(bare), [undefined, 1, true])
  const native = build({ tokenIn: zeroAddress })
  assert.equal(native.calls, [looks, swap, looks])
  assert.equal(placesOf(native), [undefined, 1, false])
})
s('has somebody pay first, and looks at holdings around everything [teeth/bundle-watch]', () => {
  const bundle = build({ holdings }, { prelude: [prelude] })
  const watch = readHoldingsCall(holdings)
  assert.equal(bundle.calls, [prelude, approve(100n), watch, looksAtFunds, swap, looks, watch])
  assert.equal(placesOf(bundle), [1, 4, true])
  assert.equal(bundle.holdings, holdings)
  assert.equal(bundle.stateOverrides, {
    ...balanceReaderOverride,
    ...holdingsReaderOverride,
    [taker]: { balance: toHex(7n + ether) },
  })
})
s('gives the taker its funds beside what the chain and its token need [teeth/bundle-funds]', () => {
  const stateDiff = { [word(1n)]: word(100n) }
  const precompile: StateOverrides = { [addressOf('0')]: { code: '0xfe' } }
  const fund = (of: Address, value: bigint) =>
    build({ value }, { funding: { [of]: { stateDiff } }, baseOverrides: precompile }).stateOverrides
  const rest = { ...precompile, ...balanceReaderOverride }
  assert.equal(fund(tokenIn, 0n), {
    ...rest,
    [tokenIn]: { stateDiff },
    [taker]: { balance: toHex(ether) },
  })
  // Balances of a token may lie in the taker's own storage.
  assert.equal(fund(taker, 0n)[taker], { stateDiff, balance: toHex(ether) })
  const most = 2n ** 256n - 1n
  for (const [value, balance] of [
    [most, most],
    [most - ether + 1n, most],
    [most - ether - 1n, most - 1n],
  ] as const)
    assert.is(fund(tokenIn, value)[taker]?.balance, toHex(balance))
})
s('lets all calls share what gas there is [teeth/bundle-share]', () => {
  const share = (calls: readonly CallShape[]) =>
    calls.map((call, index) => ({ ...call, gas: toHex(index + 1) }))
  const { calls, rpcCall } = build({}, { share })
  assert.equal(
    calls.map(({ gas }) => gas),
    ['0x1', '0x2', '0x3', '0x4'],
  )
  assert.match(JSON.stringify(rpcCall.params), '"gas":"0x4"')
})
s('is dressed as a transaction whose gas everybody pays for [teeth/bundle-dressed]', () => {
  const reader = addressOf('7')
  const costume = {
    gas: '0x5000',
    gasPriceWei: 3n,
    reader,
    purseWei: 11n,
    blockOverrides: { time: '0x77', number: '0x78' },
    overrides: { [addressOf('8')]: { stateDiff: { [word(2n)]: word(3n) } } },
  } as const
  const bundle = build({ holdings }, { costume, prelude: [prelude] })
  const plain = [prelude, approve(100n), readHoldingsCall(holdings)]
  assert.equal(bundle.calls, [
    ...plain,
    readBalancesCall([{ token: tokenIn, holder: taker }, ...outputs], reader),
    { ...swap, gas: '0x5000' },
    readBalancesCall(outputs, reader),
    readHoldingsCall(holdings),
  ])
  const purse = toHex(10n ** 24n)
  assert.equal(bundle.stateOverrides, {
    ...costume.overrides,
    ...balanceReaderAt(reader, purse),
    ...holdingsReaderOverride,
    [prelude.from]: { balance: purse },
    [taker]: { balance: toHex(7n + 11n + 2n * 0x5000n * 3n) },
  })
  assert.is(bundle.gasPriceWei, 3n)
  assert.equal(bundle.rpcCall.params[0], {
    blockStateCalls: [
      {
        blockOverrides: costume.blockOverrides,
        stateOverrides: bundle.stateOverrides,
        calls: bundle.calls.map((call) => ({ ...call, gasPrice: '0x3' })),
      },
    ],
    validation: true,
    traceTransfers: false,
  })
})
s.run()
