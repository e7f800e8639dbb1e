import { createClient, custom, encodeAbiParameters, type Hex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { type ChainClient, toViemChain } from '../chain/client.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { basket } from './testing/boundMarket.ts'
import { createUsdPrices, priceFor } from './usdPrices.ts'

const s = suite('routing/usdPrices')
const usdc = base.usdc.address.toLowerCase()
const [weth, cake, pie, far] = ['0xe', '0xc', '0xd', '0xf'] as const
const address = '0x2222222222222222222222222222222222222222' as const
const nowSecs = 1_000_000n
const dollars = 10n ** 6n
const whole = 10n ** 18n

function pair(id: string, tokens: readonly string[], reserves: readonly bigint[]): PairRecord {
  const common = { feePips: 3_000, changedBlock: 1n, isFresh: [false, false], swapsSeen: 0 }
  const [reserve0 = 0n, reserve1 = 0n] = reserves
  return { ...common, id, address, dex: 'd', tokens, protocol: 'uniswap_v2', reserve0, reserve1 }
}
/** Each token is worth twice the one before, and its pool holds as many dollars. */
const usdcOf = (amount: bigint) =>
  pair('1', [usdc, weth], [amount, (1_000n * whole * amount) / (2_000_000n * dollars)])
const stateOf = (...records: readonly PairRecord[]) =>
  ({
    pools: new Map(records.map((record) => [record.id, record])),
    head: { timestampSecs: nowSecs },
  }) as unknown as SyncedState

type Feed = { readonly answer: bigint; readonly ageSecs: bigint }
/** The prices of a chain with a feed of ether that says this, and how often it was asked. */
function open(feed?: Feed, { isKnown = true } = {}) {
  const asked = { count: 0 }
  const clock = { ms: 0 }
  async function request({ params }: { readonly params?: unknown }): Promise<Hex> {
    asked.count += 1
    const [{ data }] = params as [{ readonly data: Hex }]
    if (data === '0x313ce567') return encodeAbiParameters([{ type: 'uint8' }], [8])
    const types = ['uint80', 'int256', 'uint256', 'uint256', 'uint80'].map((type) => ({ type }))
    return encodeAbiParameters(types, [1n, feed?.answer, 0n, nowSecs - (feed?.ageSecs ?? 0n), 1n])
  }
  const client = createClient({
    chain: toViemChain(base),
    transport: custom({ request } as never, { retryCount: 0 }),
  })
  const prices = createUsdPrices({
    chainClient: { client, chain: base } as unknown as ChainClient,
    feeds: feed ? [{ token: weth, feed: address } as never] : [],
    decimalsOf: () => (isKnown ? 18 : undefined),
    now: () => clock.ms,
  })
  return { prices, asked, clock }
}

s('takes the dollar coin for a dollar where nobody says otherwise [teeth/usd]', async () => {
  const found = await open().prices(stateOf())
  assert.equal(
    [...found],
    [
      [
        usdc,
        {
          usdPerRawE36: 10n ** 30n,
          origin: 'pools',
          ageSecs: 0,
          confidence: 1,
          depthUsd: Number.POSITIVE_INFINITY,
        },
      ],
    ],
  )
  assert.is((await open().prices(Promise.resolve(undefined))).size, 0)
})
s('prices along the deepest pool, by what a thousand dollars move it [teeth/usd]', async () => {
  const deep = usdcOf(2_000_000n * dollars)
  const shallow = { ...pair('2', [weth, usdc], [100n * whole, 210_000n * dollars]) }
  const price = (await open().prices(stateOf(shallow, deep))).get(weth)
  assert.is(price?.origin, 'pools')
  assert.ok(Math.abs(Number(price?.usdPerRawE36) / 2e21 - 1) < 1e-9, `${price?.usdPerRawE36}`)
  assert.ok(Math.abs((price?.confidence ?? 0) - 0.999) < 1e-9, `${price?.confidence}`)
  assert.ok(Math.abs((price?.depthUsd ?? 0) - 10_000) < 1e-6, `${price?.depthUsd}`)
})
s('prices nothing that a thousand dollars move by over a hundredth [teeth/usd]', async () => {
  const priced = async (amount: bigint) => (await open().prices(stateOf(usdcOf(amount)))).has(weth)
  assert.equal([await priced(200_000n * dollars), await priced(199_999n * dollars)], [true, false])
  const empty = pair('1', [usdc, weth], [2_000_000n * dollars, 0n])
  assert.is((await open().prices(stateOf(empty))).has(weth), false)
})
s('goes three pools far, and each takes off what it is moved by [teeth/usd]', async () => {
  const hop = (id: string, from: string, to: string) =>
    pair(id, [from, to], [1_000n * whole, 1_000n * whole])
  const found = await open().prices(
    stateOf(
      hop('4', pie, far),
      hop('3', cake, pie),
      hop('2', weth, cake),
      usdcOf(2_000_000n * dollars),
    ),
  )
  assert.equal(
    [weth, cake, pie, far].map((token) => found.has(token)),
    [true, true, true, false],
  )
  assert.ok(Math.abs((found.get(pie)?.confidence ?? 0) - 0.999 ** 3) < 1e-9)
  assert.ok(Math.abs((found.get(pie)?.depthUsd ?? 0) - 10_000) < 1e-6)
})
s('believes a feed for 26 hours, the less the older it is [teeth/usd]', async () => {
  const longest = 26n * 3_600n
  const read = async (ageSecs: bigint) =>
    (await open({ answer: 2_000n * 10n ** 8n, ageSecs }).prices(stateOf())).get(weth)
  const fresh = await read(0n)
  assert.equal(fresh, {
    usdPerRawE36: 2_000n * whole,
    origin: 'feed',
    ageSecs: 0,
    depthUsd: Number.POSITIVE_INFINITY,
    confidence: 1,
  })
  const oldest = await read(longest)
  assert.equal([oldest?.confidence, oldest?.ageSecs], [0.9, Number(longest)])
  assert.is(await read(longest + 1n), undefined)
  // A round that is ahead of the block is new.
  assert.is((await read(-5n))?.ageSecs, 0)
  const unknown = open({ answer: 1n, ageSecs: 0n }, { isKnown: false })
  assert.is((await unknown.prices(stateOf())).has(weth), false)
})
s('asks feeds again after half a minute, and spreads once for a state [teeth/usd]', async () => {
  const { prices, asked, clock } = open({ answer: 2_000n * 10n ** 8n, ageSecs: 0n })
  const state = stateOf()
  const first = await prices(state)
  clock.ms = 30_000
  assert.is(await prices(state), first)
  assert.is(asked.count, 2)
  clock.ms = 30_001
  assert.is.not(await prices(state), first)
  assert.is(asked.count, 4)
})
s('sizes no trade by a price that the trade could move [teeth/usd]', () => {
  const price = {
    usdPerRawE36: 1n,
    origin: 'pools',
    ageSecs: 0,
    confidence: 1,
    depthUsd: 100,
  } as const
  const prices = new Map([[weth, price]])
  const found = [100, 100.01].map((valueUsd) => priceFor(prices, { token: weth, valueUsd }))
  assert.equal(
    [...found, priceFor(prices, { token: pie, valueUsd: 1 })],
    [price, undefined, undefined],
  )
})

s('prices nothing through pools whose depth nobody knows [teeth/usd]', async () => {
  const sampled = basket([usdc, weth], 2_000_000)
  const found = await open().prices(stateOf(sampled as PairRecord))
  assert.equal([...found.keys()], [usdc])
})
s('prices no token by pools that has a price [teeth/usd]', async () => {
  const feed = { answer: 2_500n * 10n ** 8n, ageSecs: 0n }
  const found = await open(feed).prices(stateOf(usdcOf(2_000_000n * dollars)))
  const [dollar, ether] = [found.get(usdc), found.get(weth)]
  assert.equal([dollar?.usdPerRawE36, dollar?.confidence], [10n ** 30n, 1])
  assert.equal([ether?.usdPerRawE36, ether?.origin], [2_500n * whole, 'feed'])
})

s.run()
