import { makeQuote, makeRequest } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { moreBps } from '../amounts/amounts.ts'
import type { SourceQuote } from './provider/source.ts'
import {
  absurdProviders,
  bestOf,
  type GasPrice,
  type RankedQuote,
  rank,
  rankingOf,
} from './rank.ts'
import type { QuoteSimulation } from './simulateQuotes.ts'

const s = suite('meta/rank')
const request = makeRequest()

function ranked(
  provider: string,
  quote: Partial<SourceQuote>,
  simulation: QuoteSimulation = { status: 'disabled' },
): RankedQuote {
  const full = makeQuote({ provider, ...quote })
  return {
    entry: {
      provider,
      outcome: { status: 'quote', quote: full },
      attempts: 1,
      elapsedMs: 1,
      receivedAtMs: 1,
    },
    quote: full,
    simulation,
  }
}
const order = (quotes: readonly RankedQuote[], gasPrice?: GasPrice, references: bigint[] = []) =>
  rank({ quotes, request, gasPrice, references }).map(({ quote }) => quote.provider)

s('puts the higher output first, and the earlier of two equal ones [meta/rank]', () => {
  const quotes = [
    ranked('a', { amountOut: 100n }),
    ranked('b', { amountOut: 120n }),
    ranked('c', { amountOut: 120n }),
  ]
  assert.equal(order(quotes), ['b', 'c', 'a'])
})

s(
  'puts what a simulation proved before what is only promised, reverted last [meta/rank-proved]',
  () => {
    const quotes = [
      ranked('liar', { amountOut: 200n }, { status: 'success', actualOutput: 90n }),
      ranked('unproved', { amountOut: 150n }, { status: 'rpcError' }),
      ranked('honest', { amountOut: 100n }, { status: 'success', actualOutput: 100n }),
      ranked('broken', { amountOut: 500n }, { status: 'reverted' }),
    ]
    assert.equal(order(quotes), ['honest', 'liar', 'unproved', 'broken'])
  },
)

s('has no best when everything reverted', () => {
  assert.is(bestOf([ranked('a', {}, { status: 'reverted' })]), undefined)
})

s('compares net of gas and of the L1 data fee where a price is known [meta/rank-gas]', () => {
  const gasPrice = { tokenAmount: 1n, perWei: 1_000n, gasPriceWei: 1n, l1FeeWei: undefined }
  const quotes = [
    ranked('a', { amountOut: 110n, gasEstimate: 20_000n }), // nets 90, and 89 of L1 data
    ranked('b', { amountOut: 100n, gasEstimate: 5_000n }), // nets 95, and 88
  ]
  assert.equal(order(quotes), ['a', 'b'])
  assert.equal(order(quotes, gasPrice), ['b', 'a'])
  const l1FeeWei = { a: 1_000n, b: 7_000n }
  assert.equal(order(quotes, { ...gasPrice, l1FeeWei }), ['a', 'b'])
})

s('says of each quote what it was compared by', () => {
  const gasPrice = { tokenAmount: 3n, perWei: 1_000n, gasPriceWei: 2n, l1FeeWei: { b: 4_000n } }
  const proved = { status: 'success', actualOutput: 105n, gasUsed: 10_000n } as const
  const quotes = [
    ranked('a', { amountOut: 1n, gasEstimate: 1_000n }),
    ranked('b', { amountOut: 110n, gasEstimate: 20_000n }, proved),
  ]
  const compare = (price: GasPrice | undefined, change = {}) =>
    rank({ quotes, request: { ...request, ...change }, gasPrice: price, references: [] }).map(
      ({ comparedBy }) => comparedBy,
    )
  // b: 105 - (10,000 * 2 + 4,000) * 3 / 1,000; a: 1 - 1,000 * 2 * 3 / 1,000
  assert.equal(compare(gasPrice), [
    { gasCost: 72n, netAmountOut: 33n, l1FeeWei: 4_000n },
    { gasCost: 6n, netAmountOut: -5n, l1FeeWei: 0n },
  ])
  assert.equal(compare({ ...gasPrice, l1FeeWei: undefined })[0], {
    gasCost: 60n,
    netAmountOut: 45n,
    l1FeeWei: undefined,
  })
  assert.equal(compare(undefined), [undefined, undefined])
  assert.equal(compare({ ...gasPrice, perWei: 0n }), [undefined, undefined])
  const trade = { type: 'exactOutput', targetOut: 1n, maxIn: 1_000_000n }
  assert.equal(compare(gasPrice, { trade })[0], {
    gasCost: 72n,
    netAmountOut: undefined,
    l1FeeWei: 4_000n,
  })
})

s('says what amounts were compared less of [meta/rank-said]', () => {
  const gasPrice = { tokenAmount: 1n, perWei: 1n, gasPriceWei: 1n, l1FeeWei: {} }
  assert.is(rankingOf(undefined), 'gross')
  assert.is(rankingOf({ ...gasPrice, l1FeeWei: undefined }), 'netOfGas')
  assert.is(rankingOf(gasPrice), 'netOfGasAndL1Fee')
})

s('prefers the smaller input for an exact output', () => {
  const exactOutput = makeRequest({ trade: { type: 'exactOutput', targetOut: 1n, maxIn: 1_000n } })
  const quotes = [ranked('a', { amountIn: 12n }), ranked('b', { amountIn: 11n })]
  const sorted = rank({ quotes, request: exactOutput, gasPrice: undefined, references: [] })
  assert.is(sorted[0]?.quote.provider, 'b')
})

s('takes an exact output at what it may take less the slippage [17/as-may-be-taken]', () => {
  const trade = { type: 'exactOutput', targetOut: 1n, maxIn: 10n ** 20n } as const
  const orderOf = (quotes: readonly RankedQuote[]) =>
    rank({ quotes, request: makeRequest({ trade }), gasPrice: undefined, references: [] }).map(
      ({ quote }) => quote.provider,
    )
  const honest = ranked('honest', { amountIn: 100_000n, maxAmountIn: 100_500n })
  // Within the 100 bps that a native value may be above the slippage.
  const padded = ranked('padded', { amountIn: 99_900n, maxAmountIn: 101_398n })
  assert.equal(orderOf([padded, honest]), ['honest', 'padded'])
  for (const amountIn of [1n, 199n, 200n, 201n, 10n ** 18n + 7n]) {
    const firm = ranked('firm', { amountIn })
    const raised = ranked('raised', { amountIn, maxAmountIn: moreBps(amountIn, 50) })
    assert.equal(orderOf([firm, raised]), ['firm', 'raised'])
    assert.equal(orderOf([raised, firm]), ['raised', 'firm'])
  }
})

s(
  'keeps an absurdly high quote from winning until a simulation proves it [meta/rank-absurd]',
  () => {
    const others = [
      ranked('routing', { amountOut: 100n, isReference: true }),
      ranked('b', { amountOut: 101n }),
    ]
    assert.equal(order([...others, ranked('lure', { amountOut: 203n })]), ['b', 'routing', 'lure'])
    const proved = ranked('lure', { amountOut: 203n }, { status: 'success', actualOutput: 203n })
    assert.equal(order([...others, proved])[0], 'lure')
    // Nor where the caller guards the output himself.
    const relaxed = rank({
      quotes: [...others, ranked('lure', { amountOut: 203n, minAmountOut: 0n })],
      request: makeRequest({ relaxMinReturn: true }),
      gasPrice: undefined,
      references: [],
    })
    assert.equal(
      relaxed.map(({ quote }) => quote.provider),
      ['b', 'routing', 'lure'],
    )
  },
)

s('is not fooled by two lures that agree [meta/rank-lures]', () => {
  const quotes = [
    ranked('routing', { amountOut: 100n, isReference: true }),
    ranked('b', { amountOut: 99n }),
    ranked('x', { amountOut: 900n }),
    ranked('y', { amountOut: 901n }),
  ]
  assert.is(order(quotes)[0], 'routing')
})

s('takes nobody at more than what less the slippage is guaranteed [17/as-guaranteed]', () => {
  const honest = ranked('honest', { amountOut: 10_050n })
  // Within the 100 bps that guards may be looser.
  const loose = ranked('loose', { amountOut: 10_100n, minAmountOut: 9_949n })
  assert.equal(order([loose, honest]), ['honest', 'loose'])
  const net = (quotes: readonly RankedQuote[], asked = request) => {
    const gasPrice = { tokenAmount: 0n, perWei: 1n, gasPriceWei: 1n, l1FeeWei: undefined }
    const [first] = rank({ quotes, request: asked, gasPrice, references: [] })
    return first?.comparedBy?.netAmountOut
  }
  assert.is(net([loose]), 10_000n)
  assert.is(
    net([ranked('delivers', loose.quote, { status: 'success', actualOutput: 10_100n })]),
    10_100n,
  )
  // Whoever guards the output himself asks for no guard.
  assert.is(net([loose], makeRequest({ relaxMinReturn: true })), 10_100n)
  assert.is(net([loose], makeRequest({ slippageBps: 10_000 })), 10_100n)
  for (const amountOut of [1n, 100n, 199n, 200n, 201n, 10n ** 18n + 7n])
    assert.is(net([ranked('rounded', { amountOut })]), amountOut)
})

s('is not fooled by one that promises next to nothing beside one other [17/lone-word]', () => {
  const honest = ranked('honest', { amountOut: 100n })
  const low = ranked('low', { amountOut: 1n })
  assert.equal(order([low, honest]), ['honest', 'low'])
  const routing = ranked('routing', { amountOut: 40n, isReference: true })
  assert.equal(order([routing, honest]), ['routing', 'honest'])
})

s('takes routing at its word when it alone sees the good pool', () => {
  const quotes = [
    ranked('routing', { amountOut: 300n, isReference: true }),
    ranked('b', { amountOut: 100n }),
  ]
  assert.is(absurdProviders({ quotes, request, references: [] }).size, 0)
})

s('measures a lone quote against an order book', () => {
  const lone = [ranked('a', { amountOut: 300n })]
  assert.is(absurdProviders({ quotes: lone, request, references: [100n] }).has('a'), true)
  assert.is(absurdProviders({ quotes: lone, request, references: [200n] }).has('a'), false)
})

s('lets what must be proved win by a successful dry run only [meta/rank-must-prove]', () => {
  const mustBeProved = { amountOut: 200n, mustBeProved: true }
  const honest = ranked('honest', { amountOut: 100n })
  for (const status of [
    'disabled',
    'pending',
    'rpcError',
    'slotNotFound',
    'notConfigured',
  ] as const) {
    const unproved = ranked('unlisted', mustBeProved, { status })
    assert.equal(order([unproved, honest]), ['honest', 'unlisted'])
    assert.is(bestOf([unproved]), undefined)
  }
  const proved = ranked('unlisted', mustBeProved, { status: 'success', actualOutput: 200n })
  assert.equal(order([proved, honest]), ['unlisted', 'honest'])
  assert.is(bestOf([proved]), proved)
})

s('doubts what is more than twice the middle of the others, and no less [teeth/absurd]', () => {
  const doubted = (
    amounts: readonly number[],
    { references = [], own, exactOutput = false }: Doubt = {},
  ) => {
    const field = exactOutput ? 'amountIn' : 'amountOut'
    const quotes = amounts.map((amount, index) =>
      ranked(`${index}`, { [field]: BigInt(amount), isReference: index === own }),
    )
    const trade = { type: 'exactOutput', targetOut: 1n, maxIn: 1_000n } as const
    const asked = exactOutput ? makeRequest({ trade }) : request
    return [...absurdProviders({ quotes, request: asked, references: references.map(BigInt) })]
  }
  type Doubt = { references?: readonly number[]; own?: number; exactOutput?: boolean }
  assert.equal(doubted([100, 200], { references: [1] }), [])
  assert.equal(doubted([100, 201], { references: [1] }), ['1'])
  // One other alone tells nothing.
  assert.equal(doubted([100, 201]), [])
  // Of an odd number of others the middle one, of an even number the one nearer to the best.
  assert.equal(doubted([50, 100, 201]), ['2'])
  assert.equal(doubted([50, 100, 200]), [])
  assert.equal(doubted([10, 50, 100, 100]), [])
  assert.equal(doubted([10, 49, 49, 100]), ['3'])
  assert.equal(doubted([201, 100, 50, 202]), ['0', '3'])
  // Two lures that agree do not hide behind each other.
  assert.equal(doubted([100, 100, 100, 900, 900]), ['3', '4'])
  assert.equal(doubted([], { references: [1] }), [])
  // One alone is compared with what is known, if anything is.
  assert.equal([doubted([900]), doubted([900], { own: 0, references: [1] })], [[], []])
  assert.equal(
    [doubted([201], { references: [100] }), doubted([200], { references: [100] })],
    [['0'], []],
  )
  // What routing or any order book says bounds it too; routing's own is never doubted.
  assert.equal(doubted([100, 900], { references: [100, 450] }), [])
  assert.equal(doubted([100, 901], { references: [100, 450] }), ['1'])
  assert.equal(doubted([100, 100, 900, 460], { own: 3 }), [])
  assert.equal(doubted([100, 100, 900, 449], { own: 3 }), ['2'])
  // For an exact output less is better, and no order book is asked.
  assert.equal(doubted([100, 50], { exactOutput: true, own: 0 }), [])
  assert.equal(doubted([100, 49], { exactOutput: true, own: 0 }), ['1'])
  assert.equal(doubted([100, 49], { exactOutput: true, references: [1] }), [])
  assert.equal(doubted([49, 98, 200], { exactOutput: true }), [])
  assert.equal(doubted([100, 100, 49], { exactOutput: true, own: 0 }), ['2'])
  assert.equal(doubted([98, 100, 49, 100], { exactOutput: true, own: 0 }), [])
  assert.equal(doubted([49, 97, 98, 200], { exactOutput: true }), [])
  assert.equal(doubted([48, 98, 99, 200], { exactOutput: true, references: [49] }), ['0'])
})
s('doubts the same ones in whatever order they arrive [teeth/absurd]', () => {
  const permute = (left: readonly number[]): readonly (readonly number[])[] =>
    left.length < 2
      ? [left]
      : left.flatMap((one) =>
          permute(left.filter((each) => each !== one)).map((rest) => [one, ...rest]),
        )
  for (const arrived of permute([9, 40, 50, 90])) {
    const quotes = arrived.map((out) => ranked(`p${out}`, { amountOut: BigInt(out) }))
    assert.equal([...absurdProviders({ quotes, request, references: [] })], ['p90'])
  }
})
s(
  'puts the doubted behind the rest, then what must be proved, then what reverted [teeth/tiers]',
  () => {
    const plain = [100n, 101n, 102n, 103n].map((amountOut) =>
      ranked(`p${amountOut}`, { amountOut }),
    )
    const quotes = [
      ranked('reverted', { amountOut: 103n }, { status: 'reverted' }),
      ranked('to be proved', { amountOut: 102n, mustBeProved: true }),
      ranked('doubted', { amountOut: 900n }),
      ...plain,
    ]
    const last = ['doubted', 'to be proved', 'reverted']
    assert.equal(order(quotes), ['p103', 'p102', 'p101', 'p100', ...last])
    // Whatever each of them says.
    const [reverted, unproved] = [
      ranked('reverted', { amountOut: 104n }, { status: 'reverted' }),
      ranked('to be proved', { amountOut: 103n, mustBeProved: true }),
    ]
    assert.equal(order([reverted, unproved]), ['to be proved', 'reverted'])
    const wild = ranked('to be proved', { amountOut: 901n, mustBeProved: true })
    assert.equal(
      order([wild, ranked('doubted', { amountOut: 900n }), ...plain, ...plain]).slice(-2),
      ['doubted', 'to be proved'],
    )
  },
)
s('adds the cost of gas to what an exact output takes, to the unit', () => {
  const gasPrice = { tokenAmount: 1n, perWei: 1n, gasPriceWei: 2n, l1FeeWei: undefined }
  const exact = makeRequest({ trade: { type: 'exactOutput', targetOut: 1n, maxIn: 999n } })
  const found = rank({
    quotes: [
      ranked('cheap', { amountIn: 100n, gasEstimate: 10n }),
      ranked('dear', { amountIn: 90n, gasEstimate: 16n }),
    ],
    request: exact,
    gasPrice,
    references: [],
  })
  assert.equal(
    found.map(({ quote, comparedBy }) => [quote.provider, comparedBy?.gasCost]),
    [
      ['cheap', 20n],
      ['dear', 32n],
    ],
  )
})
s.run()
