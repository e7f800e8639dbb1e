import { gunzipSync } from 'node:zlib'
import { type Hex, hexToBytes, hexToNumber, toHex } from 'viem'
import type { Rpc } from '../../fixtures/anvil/rpc.ts'
import type { LabChainManifest } from './manifest.ts'

/** What is kept of a chain beside its state. */
export type KeptChain = {
  readonly forked: boolean
  readonly manifest: LabChainManifest
  /** Of a fork: the block it was forked at. */
  readonly origin?: ForkOrigin | undefined
  /** How far its clock was ahead of ours, by warps. */
  readonly aheadSecs: number
  /** Its head when the database was copied: what that knows of is no higher. */
  readonly seenHead: number
}
export type ForkOrigin = { readonly number: string; readonly hash: Hex }
/** A kept chain to go on from. */
export type ChainToResume = KeptChain & { readonly statePath: string }

type Block = { readonly number: Hex; readonly timestamp: Hex }
const nowSecs = () => Math.floor(Date.now() / 1000)

const readBlock = async (rpc: Rpc, tag: 'latest' | 'pending') =>
  // The chain answers both tags with a block.
  (await rpc('eth_getBlockByNumber', tag, false)) as Block

/** The state of a lab's chain as anvil loads it, and how far its clock is ahead. */
export async function dumpChain(rpc: Rpc) {
  const { timestamp } = await readBlock(rpc, 'pending')
  const dump = (await rpc('anvil_dumpState')) as Hex
  return { state: gunzipSync(hexToBytes(dump)), aheadSecs: hexToNumber(timestamp) - nowSecs() }
}

export const readHead = async (rpc: Rpc) => hexToNumber((await rpc('eth_blockNumber')) as Hex)

/** The block that a fork was forked at. */
export async function readOrigin(rpc: Rpc): Promise<ForkOrigin> {
  const { forkedNetwork } = (await rpc('anvil_metadata')) as {
    readonly forkedNetwork: { readonly forkBlockNumber: number; readonly forkBlockHash: Hex }
  }
  return { number: String(forkedNetwork.forkBlockNumber), hash: forkedNetwork.forkBlockHash }
}

/**
 * Lets a chain that was loaded go on: its clock where it was, and on top as many blocks as were seen before,
 * and one. Whoever knows of a block that is gone finds another in its place.
 */
export async function resumeChain(
  rpc: Rpc,
  {
    kept: { aheadSecs, seenHead },
    isHeld = false,
  }: { readonly kept: KeptChain; readonly isHeld?: boolean | undefined },
): Promise<void> {
  const head = await readBlock(rpc, 'latest')
  const after = hexToNumber(head.timestamp) + 1
  const ahead = Math.max(aheadSecs, 0)
  if (ahead > 0) await rpc('evm_increaseTime', ahead)
  if (isHeld) await rpc('anvil_setBlockTimestampInterval', 1)
  await rpc('evm_setNextBlockTimestamp', isHeld ? after : Math.max(after, nowSecs() + ahead))
  await rpc('evm_mine')
  const missing = seenHead - hexToNumber(head.number)
  if (missing > 0) await rpc('anvil_mine', toHex(missing))
}
