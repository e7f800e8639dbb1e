import { type Address, getAddress, type Hex } from 'viem'
import type { Dex } from '../../../chain/dex.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolLog } from '../../reads/poolLog.ts'
import type {
  FindParameters,
  ListParameters,
  LoadParameters,
  PoolRef,
  ReadDeps,
} from '../../reads/poolRef.ts'
import type { EnginePool } from '../maths/enginePool.ts'

export type StepTokens = { readonly tokenIn: string; readonly tokenOut: string }
/** The family's part of a step of the executor; `kind` is a constant of `StepKinds.sol`, `data` whole words. */
export type StepCall = { readonly kind: number; readonly pool: Address; readonly data: Hex }

/** How the on-chain quoter of a pool is asked. */
export type Quoter<record extends PoolHead = PoolHead> = {
  question(record: record, trade: Trade): { readonly target: Address; readonly data: Hex }
  /** The output in an answer's words; undefined where the pool would not take all. */
  readAnswer(words: readonly bigint[], trade: Trade, record: record): bigint | undefined
  /** What bounds the answers and moves without an event of the pool: fields to lay over its record. */
  readBounds?(
    deps: ReadDeps,
    parameters: { readonly record: record; readonly blockNumber: bigint },
  ): Promise<Partial<record>>
}
export type Trade = { readonly i: number; readonly j: number; readonly amountIn: bigint }

/** A creation event: its topic, and the pool that came into being. */
export type PoolCreation = {
  readonly topic: Hex
  /** Whether its two tokens are the first indexed fields: nodes find the events of some tokens by them. */
  readonly hasTokenTopics?: boolean | undefined
  /** Where they stand, from 1, of pools whose maker names a key: looking up the usual ones does not find them. */
  readonly keyedTokensAt?: number | undefined
  /** Lower-case tokens and the pool; undefined where the event does not name it: the DEX is listed again. */
  read(
    log: Pick<PoolLog, 'topics' | 'data'>,
  ): (Omit<PoolRef, 'dex'> & { readonly tokens: readonly string[] }) | undefined
}

/**
 * One family of pools: all that sync, quotes and execution need to know of it. `npm run new:family`
 * makes the skeleton of a new one. Methods are shorthand on purpose: a family takes its own records
 * only.
 */
export type PoolFamily<record extends PoolHead = PoolHead> = {
  /** Pools of a factory between any token of `a` and any of `b`. */
  find(deps: ReadDeps, parameters: FindParameters): Promise<readonly PoolRef[]>
  /** All pools of a factory; undefined when there are too many to hold. */
  list?(deps: ReadDeps, parameters: ListParameters): Promise<readonly PoolRef[] | undefined>
  /** The whole state of pools at a block. What does not answer as a pool is left out. */
  load(deps: ReadDeps, parameters: LoadParameters): Promise<readonly record[]>
  /** Events that may change a pool's swaps. */
  readonly topics: readonly Hex[]
  readonly creations: readonly PoolCreation[]
  /** Contracts other than pools and factories whose events concern pools: a vault, a manager. */
  emitters?(dex: Dex): readonly Address[]
  /** The pool an event is about, where it is not the emitting contract. */
  poolIdOf?(log: PoolLog): string | undefined
  /** The topic that names the pool where others speak of it, and who they are: anybody may log the same. */
  nameInLogs?(record: record): { readonly name: Hex; readonly by: readonly Address[] }
  /** The state after an event; undefined where only another read can tell. */
  apply(record: record, log: PoolLog): record | undefined
  /**
   * What moves without an event of the pool (fees set elsewhere, amplification on the move), at a
   * block: fields to lay over the records of these ids.
   */
  refresh?(
    deps: ReadDeps,
    parameters: {
      readonly records: readonly record[]
      readonly dexes: readonly Dex[]
      readonly blockNumber: bigint
    },
  ): Promise<ReadonlyMap<string, Partial<record>>>
  /** No event of the pool is a reason to read it: nothing of that moves with one, or it is read in each round. */
  readonly movesApart?: true | undefined
  /** `atSecs`: as of that time, where prices move with the clock; now when not given. */
  toEnginePool(record: record, atSecs?: number): EnginePool
  /** For pools without local maths: `toEnginePool` guesses, and the chain is asked what a swap gives. */
  readonly quoter?: Quoter<record> | undefined
  /** Whether this pool is priced by the quoter; all of the family are where it does not say. */
  isQuoted?(record: record): boolean
  /** Pools ask oracles that their maker chose, within a swap. */
  readonly asksOracles?: boolean | undefined
  encodeStep(record: record, tokens: StepTokens): StepCall
  /** Raw units of token j per raw unit of token i, without fees. */
  midPrice(record: record, i: number, j: number): number
  /**
   * Raw amount of token i whose double over it is the price move of a trade; undefined where the pool
   * says nothing about that.
   */
  depth(record: record, i: number): number | undefined
  /** Raw amount of token i that the pool really holds: what it would cost to make another like it. */
  held(record: record, i: number): number
  /** Gas of a step that sells token i, without the ticks it crosses and its tokens' transfers. */
  stepGas(record: record, i: number): number
  /** Gas of crossing an initialised tick: pieces of the engine's curve are ticks. */
  readonly crossingGas?: number | undefined
  /** Whether a pool takes less than it was promised (a taxed token): a pair does, others revert. */
  readonly takesTaxedInput: boolean
}

/** The head of a record that was just read. */
export function toHead(
  { dex, address, id }: PoolRef,
  { tokens, blockNumber }: { readonly tokens: readonly Address[]; readonly blockNumber: bigint },
) {
  return {
    id: (id ?? address).toLowerCase(),
    address: getAddress(address),
    dex: dex.name,
    tokens: tokens.map((token) => token.toLowerCase()),
    changedBlock: blockNumber,
    swapsSeen: 0,
  }
}
