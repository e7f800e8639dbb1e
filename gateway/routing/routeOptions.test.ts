import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { createMarket, type Market, poolOf } from './engine/market.ts'
import { nameOptions, narrowMarket, type RouteOptions } from './routeOptions.ts'
import { createSyncedState } from './sync/syncedState.ts'
import { against, weth } from './testing/boundMarket.ts'
import { fakeAddress } from './testing/viewNode.ts'
import type { QuoteResponse } from './wire/quote.ts'

const stand = createGeneratedStand({ pools: 120, tokens: 16, seed: 7 })
const { chainId } = stand.chain
const trades = generateTrades(stand.market, 40).trades.map((trade) => ({
  chain_id: chainId,
  token_in: trade.in,
  token_out: trade.out,
  amount_in: String(trade.amount),
}))
type Trade = (typeof trades)[number]
type Steps = QuoteResponse['steps']

const s = suite('routeOptions')

/** Undefined where there is no route. */
async function quote(trade: Trade, options: object): Promise<QuoteResponse | undefined> {
  const { status, body } = await stand.ask('/quote', { ...trade, ...options })
  assert.ok(status === 200 || status === 404, JSON.stringify(body))
  return status === 200 ? (body as QuoteResponse) : undefined
}

/** Counts the trades that have a route under these options; each answer must be `isAllowed`. */
async function countAllowed(options: object, isAllowed: (steps: Steps) => boolean) {
  let found = 0
  let isForeign = 0
  for (const trade of trades) {
    const free = await quote(trade, {})
    const bound = await quote(trade, options)
    // Asked again, an answer without options must not come back in the place of one with them.
    assert.equal((await quote(trade, {}))?.output, free?.output)
    if (free && !isAllowed(free.steps)) isForeign += 1
    if (!bound) continue
    found += 1
    assert.ok(isAllowed(bound.steps), JSON.stringify(bound.steps))
  }
  assert.ok(found > 10 && isForeign > 3, `${found} found, ${isForeign} would not be allowed`)
}

s('only pools of the DEXes asked for, and none of those left out [20/dexes]', async () => {
  const isOf = (name: string) => (steps: Steps) => steps.every(({ dex }) => dex === name)
  await countAllowed({ include_dexes: ['uniswap-v3'] }, isOf('uniswap-v3'))
  await countAllowed({ exclude_dexes: ['uniswap-v3'] }, isOf('uniswap-v2'))
  const both = { include_dexes: ['uniswap-v3'], exclude_dexes: ['uniswap-v3'] }
  for (const trade of trades.slice(0, 3)) assert.is(await quote(trade, both), undefined)
})

s('no pools that the caller leaves out [20/pools]', async () => {
  let found = 0
  for (const trade of trades) {
    const first = await quote(trade, {})
    if (!first) continue
    const exclude_pools = first.steps.map(({ pool }) => pool)
    const other = await quote(trade, { exclude_pools: exclude_pools.slice(0, 100) })
    if (!other) continue
    found += 1
    for (const { pool } of other.steps) assert.not(exclude_pools.includes(pool))
  }
  assert.ok(found > 10, `${found} have another route`)
})

s('no more hops and steps than asked for [20/limits]', async () => {
  await countAllowed({ max_steps: 2 }, (steps) => steps.length <= 2)
  await countAllowed({ single_path: true }, (steps) =>
    steps.every(({ share_bps }) => share_bps === 10_000),
  )
  await countAllowed({ max_hops: 1 }, (steps) =>
    steps.every(({ token_in, token_out }) => {
      const [first] = steps
      return token_in === first?.token_in && token_out === steps.at(-1)?.token_out
    }),
  )
})

s('chooses by the gas price that is asked for [20/gas-price]', async () => {
  let isFewer = 0
  for (const trade of trades) {
    const free = await quote(trade, { gas_price_wei: '0' })
    const dear = await quote(trade, { gas_price_wei: '1000000000000' })
    if (!free || !dear) continue
    assert.ok(BigInt(free.output) >= BigInt(dear.output))
    assert.ok(BigInt(free.gas_estimate) >= BigInt(dear.gas_estimate))
    if (dear.steps.length < free.steps.length) isFewer += 1
  }
  assert.ok(isFewer > 10, `${isFewer} take fewer steps where gas is dear`)
})

s('writes the deadline into the payload [20/deadline]', async () => {
  const deadline = Math.floor(Date.now() / 1000) + 77
  const words = (answer: QuoteResponse | undefined) => answer?.calldata?.slice(10).match(/.{64}/g)
  const [trade] = trades
  assert.ok(trade)
  if (!trade) return
  assert.is(BigInt(`0x${words(await quote(trade, { deadline }))?.[5]}`), BigInt(deadline))
})

s('every endpoint of quotes takes them [20/options-everywhere]', async () => {
  const [trade] = trades
  assert.ok(trade)
  if (!trade) return
  const { token_in: token, token_out, amount_in: amount } = trade
  const pair = { chain_id: String(chainId), token_in: token, token_out }
  const exact = { ...pair, target_output: '1000', max_input: amount }
  const options = { exclude_dexes: 'uniswap-v3', max_steps: '1', single_path: 'true' }
  const solved = await stand.get<QuoteResponse>(
    `/quote_exact_output?${new URLSearchParams({ ...exact, ...options })}`,
  )
  assert.equal([solved.steps.length, solved.steps[0]?.dex], [1, 'uniswap-v2'])
  const disposal = await stand.get<{ legs: { quote: QuoteResponse }[] }>('/quote_lp_disposal', {
    chain_id: chainId,
    target_token: token_out,
    legs: [{ token, amount }],
    include_dexes: ['uniswap-v2'],
    max_steps: 1,
  })
  const [leg] = disposal.legs
  assert.equal([leg?.quote.steps.length, leg?.quote.steps[0]?.dex], [1, 'uniswap-v2'])
})

s('says which option is wrong, and why [20/wrong-options]', async () => {
  const past = Math.floor(Date.now() / 1000) - 1
  const rows: readonly (readonly [options: object, field: string, reason: RegExp])[] = [
    [{ include_dexes: ['uniswap-v2', 'sushi'] }, 'include_dexes[1]', /must be one of .*uniswap-v2/],
    [{ exclude_dexes: ['sushi'] }, 'exclude_dexes[0]', /must be one of/],
    [{ include_dexes: [] }, 'include_dexes', /at least 1/],
    [{ include_dexes: 'uniswap-v2' }, 'include_dexes', /an array/],
    [{ exclude_pools: ['0x12'] }, 'exclude_pools[0]', /address of a pool/],
    [{ max_hops: 0 }, 'max_hops', />= 1/],
    [{ max_hops: 7 }, 'max_hops', /<= 6/],
    [{ max_steps: 113 }, 'max_steps', /<= 112/],
    [{ gas_price_wei: '-1' }, 'gas_price_wei', /unsigned/],
    [{ gas_price_wei: `1${'0'.repeat(16)}` }, 'gas_price_wei', /at most/],
    [{ deadline: past }, 'deadline', /in the future/],
  ]
  for (const [options, field, reason] of rows) {
    const refused = await stand.refusalOf('/quote', { ...trades[0], ...options })
    assert.is(refused.status, 400)
    assert.is(refused.details?.[0]?.field, field)
    assert.match(refused.details?.[0]?.reason ?? '', reason)
  }
  const pair = { ...trades[0], chain_id: String(chainId), target_output: '1', max_input: '1' }
  const asked = new URLSearchParams({ ...pair, exclude_pools: '0x12,0x13' })
  const refused = await stand.refusalOf(`/quote_exact_output?${asked}`)
  assert.equal([refused.status, refused.details?.[0]?.field], [400, 'exclude_pools'])
})

const [one, two, three] = ['one', 'two', 'two'].map((dex) => ({ ...against(weth, 3_000_000), dex }))
if (!one || !two || !three) throw new Error('there are three')
const block = { number: 1n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const
/** The last one is known by an id within a contract. */
const records = [one, two, { ...three, id: 'within', address: fakeAddress(5) }]
const read = () => createSyncedState({ taxOf: () => 0 }, { head: block, records })

s('leave out pools of a market by their exchange, id or address [teeth/narrowed]', () => {
  const { market, pools } = read()
  const openIn = (options: RouteOptions) => {
    const narrowed = narrowMarket(market, { ...options, pools })
    return records.map(({ id }) => poolOf(narrowed, id)?.curve(0, 1) !== undefined)
  }
  assert.equal(openIn({ includeDexes: ['one'] }), [true, false, false])
  assert.equal(openIn({ includeDexes: [] }), [false, false, false])
  assert.equal(openIn({ excludeDexes: ['one'] }), [false, true, true])
  assert.equal(openIn({ excludePools: [two.id] }), [true, false, true])
  assert.equal(openIn({ excludePools: ['within'] }), [true, true, false])
  assert.equal(openIn({ excludePools: [fakeAddress(5)] }), [true, true, false])
  assert.equal(openIn({ excludeDexes: ['one'], excludePools: [two.id] }), [false, false, true])
})
s(
  'make each market once, for eight lists of it, and none where nothing goes [teeth/narrowed]',
  () => {
    const { market, pools } = read()
    const narrow = (options: RouteOptions, of: Market = market) =>
      narrowMarket(of, { ...options, pools })
    for (const none of [{}, { maxHops: 1 }, { excludeDexes: [] }, { excludePools: [] }])
      assert.is(narrow(none), market)
    assert.is(narrow({ excludePools: ['nobody'] }), market)
    const without = (n: number) => narrow({ excludePools: [two.id, `${n}`] })
    const other = read()
    const elsewhere = narrow({ excludeDexes: ['one'] }, other.market)
    // One name is taken already.
    const made = Array.from({ length: 7 }, (_, n) => without(n))
    assert.ok(made.every((each, n) => each === without(n)))
    without(7)
    assert.is.not(without(0), made[0], 'who has lists of his own takes no memory')
    assert.is(narrow({ excludeDexes: ['one'] }, other.market), elsewhere)
    const nobody = createMarket([])
    assert.is(narrow({ excludeDexes: ['one'] }, nobody), nobody)
  },
)
s('are told apart by each of them [teeth/narrowed]', () => {
  assert.is(nameOptions(undefined), '')
  const names = [
    {},
    { includeDexes: ['a'] },
    { excludeDexes: ['a'] },
    { excludePools: ['a'] },
    { maxHops: 1 },
    { maxSteps: 1 },
    { singlePath: true },
    { gasPriceWei: 1n },
    { gasPriceWei: 2n },
  ].map((options) => nameOptions(options))
  assert.is(new Set(names).size, names.length)
  assert.ok(names.every((name) => name.length === 44))
})

s.run()
