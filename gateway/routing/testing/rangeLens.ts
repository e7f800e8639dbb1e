import type { Hex } from 'viem'
import { createViewNode, fakeAddress, type Told } from './viewNode.ts'

type RangeRequest = { readonly pool: Hex; readonly from: number; readonly shape: number }
type ManagedRequest = {
  readonly id: Hex
  readonly tickSpacing: number
  readonly fromWord: number
}

export const rangeTokens = [fakeAddress(3), fakeAddress(4)] as const

/** Two words for each tick: its index above its gross liquidity, and the net. */
export const ticksOf = (
  ...ticks: readonly (readonly [index: number, gross: bigint, net: bigint])[]
) =>
  ticks.flatMap(([index, gross, net]) => [
    (BigInt.asUintN(24, BigInt(index)) << 128n) | gross,
    BigInt.asUintN(256, net),
  ])

const state = {
  ok: true,
  done: true,
  sqrtPriceX96: 1n << 96n,
  tick: -3,
  liquidity: 7n,
  ticks: ticksOf([-60, 9n, 7n], [60, 7n, -7n]),
}
/** What a lens says of a pool of ticks. */
export const rangeAnswer = {
  ...state,
  isFresh0: false,
  isFresh1: true,
  next: 0,
  tickSpacing: 60,
  feePips: 500,
  feePips1: 600,
  token0: rangeTokens[0],
  token1: rangeTokens[1],
}
/** And of one inside a manager. */
export const managedAnswer = {
  ...state,
  isFresh0: true,
  isFresh1: false,
  nextWord: 0,
  lpFee: 500,
  protocolFee: (9 << 12) | 7,
}

/** A node with pools of ticks: what a lens says to each round of questions, and what it was asked. */
export function openRanges(
  say: (request: RangeRequest, round: number) => object = () => ({}),
  told: readonly Told[] = [],
) {
  const calls: (readonly RangeRequest[])[] = []
  const node = createViewNode(told, {
    readCalls: () => [],
    readRanges: (requests: readonly RangeRequest[]) => {
      calls.push(requests)
      return requests.map((request) => ({ ...rangeAnswer, ...say(request, calls.length) }))
    },
  })
  return { ...node, calls }
}

/** The same of managers of pools. */
export function openManagers(say: (request: ManagedRequest, round: number) => object = () => ({})) {
  const calls: (readonly [manager: string, requests: readonly ManagedRequest[]])[] = []
  const node = createViewNode([], {
    readCalls: () => [],
    readManaged: (manager: Hex, requests: readonly ManagedRequest[]) => {
      calls.push([manager.toLowerCase(), requests])
      return requests.map((request) => ({ ...managedAnswer, ...say(request, calls.length) }))
    },
  })
  return { ...node, calls }
}
