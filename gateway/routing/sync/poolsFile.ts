import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { PoolSnapshot, SnapshotHead } from '../../store/pools.ts'
import { recordVersion, scanRow } from './keptRows.ts'

/** Raised when the file's own shape changes; records have a version of theirs. */
const fileVersion = 1
/** 20,000 pools are some 60 MB. */
const mostBytes = 1024 * 1024 * 1024

type Body = Pick<PoolSnapshot, 'pools' | 'tokens'> & {
  readonly head: Readonly<Record<keyof SnapshotHead, string>>
}
type PoolsFile = {
  readonly kind: 'forkyard-pools'
  readonly version: number
  readonly records: number
  readonly chainId: number
  /** SHA-256 of the body. */
  readonly hash: string
  readonly body: string
}

const hashOf = (body: string) => createHash('sha256').update(body).digest('hex')

/** A chain's pools as of one block, for another gateway to begin with. */
export function writePoolsFile(chainId: number, { head, pools, tokens }: PoolSnapshot): Buffer {
  const { number, hash, parentHash, timestampSecs } = head
  const numbers = { number: String(number), timestampSecs: String(timestampSecs) }
  // How far creations were looked for is this gateway's own, and is as well done again.
  const own = pools.filter(({ id }) => id !== scanRow)
  const content: Body = { head: { hash, parentHash, ...numbers }, pools: own, tokens }
  const body = JSON.stringify(content)
  const file: PoolsFile = {
    kind: 'forkyard-pools',
    version: fileVersion,
    records: recordVersion,
    chainId,
    hash: hashOf(body),
    body,
  }
  return gzipSync(JSON.stringify(file))
}

/**
 * What such a file holds. Whether its pools read as some is not asked.
 * @throws Error where it is none, not whole, or of another version
 */
export function readPoolsFile(bytes: Buffer): {
  readonly chainId: number
  readonly snapshot: PoolSnapshot
} {
  const file = parseFile(bytes)
  if (file?.kind !== 'forkyard-pools') throw new Error('it is no file of pools')
  const { version, records, chainId, hash, body } = file
  if (version !== fileVersion || records !== recordVersion)
    throw new Error(
      `it is of version ${version}.${records}, this is ${fileVersion}.${recordVersion}: export it anew`,
    )
  if (typeof body !== 'string' || hash !== hashOf(body) || typeof chainId !== 'number')
    throw new Error('it is not whole: its hash is another')
  const { head, pools, tokens } = JSON.parse(body) as Body
  const numbers = { number: BigInt(head.number), timestampSecs: BigInt(head.timestampSecs) }
  return { chainId, snapshot: { head: { ...head, ...numbers } as SnapshotHead, pools, tokens } }
}

function parseFile(bytes: Buffer): Partial<PoolsFile> | undefined {
  try {
    const file: unknown = JSON.parse(
      gunzipSync(bytes, { maxOutputLength: mostBytes }).toString('utf8'),
    )
    return typeof file === 'object' && file !== null ? file : undefined
  } catch {
    return undefined
  }
}
