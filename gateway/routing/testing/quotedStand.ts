import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  hexToBigInt,
  pad,
  slice,
  toHex,
} from 'viem'
import { quoteLens } from '../../../contracts/artifacts.ts'
import type { PairRecord } from '../protocols/pair/uniswapV2Chain.ts'
import { gridSize, listGrid } from '../protocols/quoted/quoted.ts'
import type { QuotedRecord } from '../protocols/quoted/quotedChain.ts'
import type { RoutingChain } from '../routingChain.ts'
import { createSyncedState } from '../sync/syncedState.ts'

export const [tokenIn, tokenOut] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const
export const [local, quoted] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
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
  held: [million, million],
  amounts: [...none, ...listGrid(million), ...listGrid(million), ...none],
  outputs: [...none, ...listGrid(million), ...listGrid(million), ...none],
}

/** The chain with a pool of either kind between two tokens; the quoter pays `missingBps` less than its samples say. */
export function createQuotedStand(
  generated: RoutingChain,
  { missingBps }: { readonly missingBps: bigint },
) {
  let asked = 0
  const request = async ({ params }: { readonly params: readonly [{ data: Hex }] }) => {
    asked += 1
    const { args } = decodeFunctionData({ abi: quoteLens.abi, data: params[0].data })
    const [questions] = args as unknown as [readonly { readonly data: Hex }[]]
    const answers = questions.map(({ data }) => {
      const amountIn = hexToBigInt(slice(data, -32))
      return pad(toHex(amountIn - (amountIn * missingBps) / 10_000n), { size: 32 })
    })
    return encodeFunctionResult({ abi: quoteLens.abi, functionName: 'ask', result: answers })
  }
  const { chainClient, sync } = generated
  const client = { ...chainClient.client, request } as unknown as typeof chainClient.client
  const records = [pairRecord, quotedRecord]
  const block = { number: 1n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const
  const state = createSyncedState({ taxOf: () => 0 }, { head: block, records })
  const chain: RoutingChain = {
    ...generated,
    chainClient: { ...chainClient, client },
    gasPriceWei: () => 0n,
    sync: { ...sync, current: () => state, fresh: async () => state },
  }
  return {
    chain,
    state,
    /** Calls of the chain so far. */
    asked: () => asked,
  }
}
