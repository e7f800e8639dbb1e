import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  hexToBigInt,
  pad,
  slice,
  toHex,
} from 'viem'
import { quoteLens } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { Route } from './engine/route.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { gridSize, listGrid } from './protocols/quoted/quoted.ts'
import type { QuotedRecord } from './protocols/quoted/quotedChain.ts'
import { searchSettled } from './settleFound.ts'
import { createSyncedState } from './sync/syncedState.ts'

const s = suite('settling a route')
const [tokenIn, tokenOut] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const
const [local, quoted] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
const million = 10n ** 24n
const head = { address: local, dex: 'd', tokens: [tokenIn, tokenOut], feePips: 0, changedBlock: 1n }
const common = { ...head, isFresh: [false, false], swapsSeen: 0 }
/** Pays 3 bps less than one for one, before what a trade of a millionth moves it by. */
const pairRecord: PairRecord = {
  ...common,
  id: local,
  protocol: 'uniswap_v2',
  feePips: 300,
  reserve0: million,
  reserve1: million,
}
const none = Array.from({ length: gridSize }, () => 0n)
/** Its samples promise one for one. */
const quotedRecord: QuotedRecord = {
  ...common,
  id: quoted,
  address: quoted,
  protocol: 'woofi',
  quoter: quoted,
  native: [false, false],
  amounts: [...listGrid(million), ...listGrid(million)],
  outputs: [...none, ...listGrid(million), ...listGrid(million), ...none],
}

/** The best route for a unit where the quoter pays `missingBps` less than its samples say. */
async function settle(missingBps: bigint) {
  const { chain } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
  const request = async ({ params }: { readonly params: readonly [{ data: Hex }] }) => {
    const { args } = decodeFunctionData({ abi: quoteLens.abi, data: params[0].data })
    const [questions] = args as unknown as [readonly { readonly data: Hex }[]]
    const answers = questions.map(({ data }) => {
      const amountIn = hexToBigInt(slice(data, -32))
      return pad(toHex(amountIn - (amountIn * missingBps) / 10_000n), { size: 32 })
    })
    return encodeFunctionResult({ abi: quoteLens.abi, functionName: 'ask', result: answers })
  }
  const client = {
    ...chain.chainClient.client,
    request,
  } as unknown as typeof chain.chainClient.client
  const records = [pairRecord, quotedRecord]
  const block = { number: 1n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const
  const state = createSyncedState({ taxOf: () => 0 }, { head: block, records })
  const settled = await searchSettled(
    { now: () => performance.now() },
    {
      chain: { ...chain, chainClient: { ...chain.chainClient, client }, gasPriceWei: () => 0n },
      state,
      market: state.market,
      tokenIn,
      tokenOut,
      amountIn: 10n ** 18n,
      mode: 'deep',
    },
  )
  return settled?.route
}

s(
  'a shortfall stands against the local route, and the better one is answered [20/shortfall]',
  async () => {
    const poolsOf = (route: Route | undefined) => route?.steps.map(({ poolId }) => poolId)
    assert.equal(poolsOf(await settle(0n)), [quoted])
    assert.equal(poolsOf(await settle(2n)), [quoted])
    assert.equal(poolsOf(await settle(5n)), [local])
    assert.equal(poolsOf(await settle(50n)), [local])
  },
)

s('no gap is told of what samples bound, or of the best without them [20/gap]', async () => {
  for (const missingBps of [-1n, 0n, 2n, 50n]) {
    const route = await settle(missingBps)
    assert.ok(route && route.gapBps === undefined, `${missingBps} bps missing`)
  }
})

s.run()
