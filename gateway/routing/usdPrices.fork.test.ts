import type { Address } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { compileSource } from '../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { createSyncedState } from './sync/syncedState.ts'
import { createUsdPrices, priceFor } from './usdPrices.ts'

const { Feed } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
/// Answers as a Chainlink aggregator (AggregatorV3Interface) does.
contract Feed {
  uint8 public immutable decimals; int256 answer; uint256 updatedAt;
  constructor(uint8 d, int256 a, uint256 u) { decimals = d; answer = a; updatedAt = u; }
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return (7, answer, updatedAt, updatedAt, 7);
  }
}`)
const chainId = 8453
const node = await startAnvil({ args: ['--chain-id', String(chainId)] })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [node.rpcUrl] })
const nowSecs = 1_800_000_000n
const hour = 3_600n
const weth = chain.wrappedNative.toLowerCase()
const usdc = chain.usdc.address.toLowerCase()
const deep = `0x${'d'.repeat(40)}`
const thin = `0x${'e'.repeat(40)}`
const farther = `0x${'f'.repeat(40)}`
const lone = `0x${'c'.repeat(40)}`

function makePair(index: number, tokens: readonly [string, string], reserves: [bigint, bigint]) {
  const id = `0x${String(index).repeat(40)}`
  return {
    id,
    address: id as Address,
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    feePips: 3000,
    tokens,
    reserve0: reserves[0],
    reserve1: reserves[1],
    changedBlock: 0n,
    swapsSeen: 0,
    isFresh: [false, false],
  } satisfies PairRecord
}

const wei = 10n ** 18n
/** WETH at 3,000: 1,000,000 USD in each side of the deep pair, 50,000 in the thin one. */
const records = [
  makePair(1, [weth, usdc], [1_000n * wei, 3_000_000n * 10n ** 6n]),
  makePair(2, [weth, deep], [333n * wei, 666_000n * wei]),
  makePair(3, [weth, thin], [16n * wei, 1_000n * wei]),
  makePair(4, [deep, farther], [600_000n * wei, 600_000n * wei]),
  makePair(5, [usdc, lone], [300_000n * 10n ** 6n, 0n]),
  makePair(6, [deep, lone], [0n, 0n]),
]
const hash = `0x${'1'.repeat(64)}` as const
const state = createSyncedState(
  { taxOf: () => 0 },
  { head: { number: 1n, hash, parentHash: hash, timestampSecs: nowSecs }, records },
)
const deploy = async (decimals: number, answer: bigint, updatedAtSecs: bigint) =>
  deployArtifact(node.rpcUrl, { artifact: Feed, args: [decimals, answer, updatedAtSecs] })

/** USD per whole token as the prices of the state say. */
const read = (feeds: readonly { token: string; feed: Address }[]) =>
  createUsdPrices({
    chainClient,
    feeds: feeds.map(({ token, feed }) => ({ token: token as Address, feed })),
    decimalsOf: (token) => (token === usdc ? 6 : 18),
    now: () => 0,
  })(state)
const usdPerWhole = (price: { readonly usdPerRawE36: bigint } | undefined, decimals: number) =>
  Number((price?.usdPerRawE36 ?? 0n) * 10n ** BigInt(decimals)) / 1e36

const s = suite('USD prices')
s.after(async () => {
  chainClient.close()
  await node.close()
})

s(
  'takes a feed at its own decimals, with its age and the confidence that follows [routing/usd-feed]',
  async () => {
    const prices = await read([
      { token: weth, feed: await deploy(8, 3_100_00000000n, nowSecs) },
      { token: usdc, feed: await deploy(18, 999n * 10n ** 15n, nowSecs - 13n * hour) },
    ])
    assert.is(usdPerWhole(prices.get(weth), 18), 3_100)
    assert.is(prices.get(usdc)?.usdPerRawE36, 999n * 10n ** 27n)
    const { origin, ageSecs, confidence, depthUsd } = prices.get(usdc) ?? {}
    assert.equal([origin, ageSecs, confidence, depthUsd], ['feed', 46_800, 0.95, Infinity])
    assert.is(prices.get(weth)?.confidence, 1)
  },
)

s(
  'leaves out feeds that are too old, at or below zero, without a round, or not there',
  async () => {
    const nobody = `0x${'9'.repeat(40)}` as const
    for (const feed of [
      await deploy(8, 9_999_00000000n, nowSecs - 27n * hour),
      await deploy(8, -1n, nowSecs),
      await deploy(8, 0n, nowSecs),
      await deploy(8, 9_999_00000000n, 0n),
      nobody,
      chain.multicall3,
    ]) {
      const price = (await read([{ token: weth, feed }])).get(weth)
      assert.is(price?.origin, 'pools')
      assert.is(Math.round(usdPerWhole(price, 18)), 3_000)
    }
  },
)

s(
  'prices the rest along deep pools, less sure with each, from the feed where there is one',
  async () => {
    const prices = await read([{ token: weth, feed: await deploy(8, 3_100_00000000n, nowSecs) }])
    const [one, two] = [prices.get(deep), prices.get(farther)]
    assert.ok(Math.abs(usdPerWhole(one, 18) - 1.55) < 1e-9)
    assert.ok(Math.abs(usdPerWhole(two, 18) - 1.55) < 1e-9)
    assert.is(one?.origin, 'pools')
    assert.ok((one?.confidence ?? 1) < 1 && (two?.confidence ?? 1) < (one?.confidence ?? 0))
  },
)

s(
  'never prices from a pool that a trade of 1,000 USD, or the one to be sized, moves by 1 %',
  async () => {
    const prices = await read([])
    assert.is(prices.get(thin), undefined)
    const { depthUsd = 0 } = prices.get(deep) ?? {}
    // Twice the amount over the reserve is one per cent.
    assert.ok(Math.abs(depthUsd - (333 * 3_000 * 0.01) / 2) < 1)
    assert.ok(priceFor(prices, { token: deep, valueUsd: depthUsd }))
    assert.is(priceFor(prices, { token: deep, valueUsd: depthUsd * 1.001 }), undefined)
    assert.ok((prices.get(farther)?.depthUsd ?? 0) < depthUsd)
    assert.ok(priceFor(prices, { token: usdc, valueUsd: 1e12 }))
  },
)

s('prices nothing from a pool with nothing on one side', async () => {
  const prices = await read([])
  assert.is(prices.get(lone), undefined)
  assert.ok(prices.get(deep))
})

s.run()
