import type { Context } from 'koa'
import type { Upstream } from '../../chain/nodes/upstream.ts'
import type { Log } from '../../http/serviceOptions.ts'
import type { SourceOutcome } from '../../meta/provider/source.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import type { LabChains } from './labChains.ts'
import type { Lasting } from './lasting.ts'
import type { Trade } from './movePools.ts'

export type FaultSettings = {
  readonly ms: number
  readonly bytes: number
  readonly events: number
  readonly retryAfterSecs: number
  readonly blocks: number
  readonly gwei: number
  readonly bps: number
}

export const usualSettings: FaultSettings = {
  ms: 1_000,
  bytes: 10,
  events: 1,
  retryAfterSecs: 2,
  blocks: 1,
  gwei: 1_000,
  bps: 100,
}

export type Play = (played: {
  readonly ctx: Context
  readonly next: () => Promise<unknown>
  readonly settings: FaultSettings
  /** The chains that are meant. */
  readonly chains: LabChains
  readonly lasting: Lasting
  /** By whatever way gives most. */
  readonly sellBack: (chain: LeasedChain, trade: Trade) => Promise<void>
  readonly log: Log
}) => Promise<void>

type Send = Upstream['send']

/** Where a fault is played: at a request's edge, at its charge, at a source of quotes, at a chain's node. */
type Played =
  | { readonly at: 'request'; readonly play: Play }
  | { readonly at: 'charge' }
  | { readonly at: 'source'; readonly outcome: SourceOutcome }
  | {
      readonly at: 'node'
      readonly send: (
        sent: { readonly send: Send; readonly settings: FaultSettings },
        ...call: Parameters<Send>
      ) => ReturnType<Send>
    }

export type Fault = Played & {
  readonly name: string
  readonly sentence: string
  /** Which settings it reads. */
  readonly reads: readonly (keyof FaultSettings)[]
  /** Where they are not the usual ones. */
  readonly usual?: Partial<FaultSettings> | undefined
}

export type Place = Fault['at']
export type FaultAt<place extends Place> = Fault & { readonly at: place }
