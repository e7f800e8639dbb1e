import { type Hex, hexToBytes, isHex, keccak256 } from 'viem'
import type { PoolLog } from './poolLog.ts'

/** What a block's bloom says of its logs: an address or topic that it lacks is in none of them. */
export type Bloom = {
  has(value: Hex): boolean
  /** How likely it has what no log holds: near nothing on a quiet chain, near certain in a full block. */
  readonly falseShare: number
}

const bytesOfBloom = 256
const bitsOfValue = 3
/** Three bits of each value that was looked for: addresses and topics of pools, again in each block. */
const bitsOf = new Map<Hex, readonly number[]>()
const mostKept = 100_000

/** Undefined where a node gives none, or something else. */
export function readBloom(text: Hex | undefined): Bloom | undefined {
  if (text?.length !== 2 + 2 * bytesOfBloom || !isHex(text)) return undefined
  const bytes = hexToBytes(text)
  const set = bytes.reduce((sum, byte) => sum + countBits(byte), 0)
  const hasBit = (bit: number) =>
    ((bytes[bytesOfBloom - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0
  return {
    has: (value) => toBits(value).every(hasBit),
    falseShare: (set / (8 * bytesOfBloom)) ** bitsOfValue,
  }
}

/** What it lacks is in no log of the block. */
export const holdsLog = (bloom: Bloom, { address, topics }: PoolLog) =>
  [address, ...topics].every((value) => bloom.has(value as Hex))

function countBits(byte: number): number {
  let count = 0
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1
  return count
}

/** As the yellow paper has them: eleven bits each of the hash's first three pairs of bytes. */
function toBits(value: Hex): readonly number[] {
  const known = bitsOf.get(value)
  if (known) return known
  const hash = hexToBytes(keccak256(value))
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047)
  if (bitsOf.size >= mostKept) bitsOf.clear()
  bitsOf.set(value, bits)
  return bits
}
