import { size } from 'viem'
import type { CallShape, StateOverrides } from '../rpc/callShapes.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { type AnsweredCall, pairs, simulated } from './answers.ts'

/** What a bundle asks for. */
export type AskedBundle = {
  readonly calls: readonly CallShape[]
  /** The candidate's own. */
  readonly swap: CallShape
  readonly prelude: readonly CallShape[]
  /** Whose balances of the output are watched. */
  readonly holders: number
  readonly overrides: StateOverrides
  readonly validation: boolean
  readonly time: string
}
export type Performance = {
  /** Of the token sold, before the swap. */
  readonly held?: bigint
  /** Of each holder, in their order; default: none. */
  readonly gains?: readonly bigint[]
  readonly swap?: AnsweredCall
}

const pairBytes = 40

export function readAsked({ params }: RpcCall): AskedBundle {
  const [{ blockStateCalls, validation }] = params as [
    {
      readonly blockStateCalls: readonly [
        {
          readonly calls: readonly CallShape[]
          readonly stateOverrides: StateOverrides
          readonly blockOverrides: { readonly time: string }
        },
      ]
      readonly validation: boolean
    },
  ]
  const [{ calls, stateOverrides: overrides, blockOverrides }] = blockStateCalls
  const at = calls.findIndex(({ value }) => value !== undefined)
  const [swap, after] = [calls[at], calls[at + 1]]
  if (!swap || !after) throw new Error('a bundle holds its swap')
  const { time } = blockOverrides
  const prelude = calls.filter(({ data }) => data.startsWith('0xa9059cbb'))
  const holders = size(after.data) / pairBytes
  return { calls, swap, prelude, holders, overrides, validation, time }
}

/** As a fork answers a bundle in which everything else goes well. */
export function performBundle(
  { calls, swap, holders }: AskedBundle,
  { held = 0n, gains = [], swap: outcome = {} }: Performance,
): RpcOutcome {
  const at = calls.indexOf(swap)
  const before = calls[at - 1]
  const lead = before && size(before.data) / pairBytes > holders ? [held] : []
  const nothing = Array.from({ length: holders }, () => 0n)
  const after = nothing.map((none, index) => gains[index] ?? none)
  return simulated(
    calls.map((_, index) => {
      if (index === at - 1) return pairs(...lead, ...nothing)
      if (index === at) return outcome
      return index === at + 1 ? pairs(...after) : {}
    }),
  )
}
