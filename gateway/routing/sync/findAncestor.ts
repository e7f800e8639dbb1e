import type { Chain, Client, Hex, Transport } from 'viem'
import { type BlockHead, readToldBlock } from '../reads/readHead.ts'

/** How many passed blocks are remembered to undo a reorg. */
export const rememberedBlocks = 128

export type Ancestor = { readonly number: bigint; readonly hash: Hex }

/** A block passed on the way, and the pools that it and those since the one before changed: what a reorg would undo. */
export type PassedBlock = Ancestor & {
  readonly changed: readonly string[]
  /** How full its bloom was, by what it has falsely; undefined where that is not known. */
  readonly falseShare?: number | undefined
  /** Whether that has the logs that were returned; undefined where none were. */
  readonly isBorneOut?: boolean | undefined
}

/** The newest block of ours that the node still has. */
export async function findAncestor(
  deps: { readonly client: Client<Transport, Chain> },
  {
    newest: own,
    passed,
    head,
  }: {
    readonly newest: Ancestor
    /** Those before it. */
    readonly passed: readonly Ancestor[]
    readonly head: BlockHead
  },
): Promise<Ancestor | 'lagging' | undefined> {
  const readHash = async (number: bigint) =>
    number === head.number ? head.hash : (await readToldBlock(deps, number))?.head.hash
  if ((await readHash(own.number)) === own.hash) return head.number < own.number ? 'lagging' : own
  const newest = head.number < own.number ? head.number : own.number - 1n
  const candidates = passed.filter(({ number }) => number <= newest).toReversed()
  const hashes = await Promise.all(candidates.map(({ number }) => readHash(number)))
  return candidates.find(({ hash }, index) => hashes[index] === hash)
}
