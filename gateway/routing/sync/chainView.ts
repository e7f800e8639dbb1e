import type { Address } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import type { PoolRef } from '../reads/poolRef.ts'
import type { PartBounds } from '../reads/rangeLogs.ts'
import type { AskedOnce } from './askedOnce.ts'
import type { Audit } from './audit.ts'
import type { BackSearch } from './backSearch.ts'
import type { PoolBounds } from './bounds/poolBounds.ts'
import type { FoundPools } from './coverage.ts'
import type { CreationScan } from './creationScan.ts'
import type { PassedBlock } from './findAncestor.ts'
import type { HeardBlocks } from './heardBlocks.ts'
import type { LoadProgress } from './loadProgress.ts'
import type { RefreshBook } from './refreshBook.ts'
import type { Ahead } from './skipAhead.ts'
import type { SyncEvent } from './syncEvent.ts'
import type { SyncedState, TaxOf } from './syncedState.ts'
import type { TokenBook } from './tokenBook.ts'
import type { TroubledPools } from './troubledPools.ts'

/** What a gateway that reads a chain knows of it. Never changed: each step makes another. */
export type ChainView =
  | { readonly status: 'unread' }
  | {
      readonly status: 'following'
      readonly state: SyncedState
      /** What a reorg would undo. */
      readonly passed: readonly PassedBlock[]
      /** Known pools of which only some are followed again; undefined once all that was to be loaded is. */
      readonly unread?: readonly PoolRef[] | undefined
      /** Of a gap to the head that is being passed: the state stays behind until it is. */
      readonly ahead?: Ahead | undefined
      /** When the state was last known to be the node's head; undefined: not by this gateway. */
      readonly confirmedAtMs: number | undefined
    }

export type Following = Extract<ChainView, { status: 'following' }>

/** A fork fetches each storage slot on its own; its origin answers the large first reads in one go. */
export type Origin = { readonly client: ChainClient['client']; readonly blockNumber: bigint }

export type SyncDeps = {
  readonly chainId: number
  readonly client: ChainClient['client']
  readonly others?: ChainClient['others']
  readonly tellerOf?: ChainClient['tellerOf']
  /** Those that are what their rows say. */
  readonly dexes: readonly Dex[]
  readonly tokens: TokenBook
  /** Tokens that most liquidity is paired with. */
  readonly hubs: readonly Address[]
  /** Much asked for beside the hubs. */
  readonly majors: readonly Address[]
  /** What is loaded before anything is quoted. */
  readonly loadsFirst: 'all' | 'majors'
  /** Of a list that others have made: their pairs are looked for. */
  readonly deepPools: readonly Address[]
  readonly taxOf: TaxOf
  readonly origin: Origin | undefined
  /** Pools that are not followed, since they could not be read. */
  readonly troubled: TroubledPools
  /** Pools of the load that is under way. */
  readonly found: FoundPools
  readonly progress: LoadProgress
  /** Pools of earlier blocks, where a node gives their creations bit by bit. */
  readonly scan: CreationScan
  /** Pools of the past of tokens that were asked for. */
  readonly backSearch: BackSearch
  /** Which pools are worth following. */
  readonly bounds: PoolBounds
  /** When what moves without events is read. */
  readonly refreshes: RefreshBook
  /** Of the logs of a long gap that are held at once. Default: some thousands. */
  readonly partBounds?: PartBounds | undefined
  /** Blocks whose logs are looked at again. */
  readonly askedOnce: AskedOnce
  /** Blocks whose logs another endpoint is asked for. */
  readonly heardBlocks: HeardBlocks
  /** Which pools are read anew, and when. */
  readonly audit: Audit
  /** Where they are read, and whether there are calls to spend for it. */
  readonly auditor: {
    readonly client: ChainClient['client']
    readonly others?: ChainClient['others']
    readonly hasRoom: () => Promise<boolean>
  }
  /** Whether what nobody asked for waits, since a small node gives all that it does to pools that are loaded. */
  readonly isHeld: () => boolean
  /** Whether the node takes few calls: pools are read by few, and not by few round trips. */
  readonly isSmall?: (() => boolean) | undefined
  /** Told where a long gap to the head is being passed. */
  readonly farBehind?: (() => void) | undefined
  readonly observe: (event: SyncEvent) => void
  readonly now: () => number
}
