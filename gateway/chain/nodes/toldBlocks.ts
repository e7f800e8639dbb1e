import { isRecord, type Reply, type RpcCall } from './readReply.ts'

/** Blocks that an endpoint has told of lately. */
export type ToldBlocks = {
  /** Whether what is told now stands on them: another hash of a number, or a head far off, does not. */
  fits(calls: readonly RpcCall[], reply: Reply): boolean
}

type Told = {
  readonly number: number
  readonly hash: string
  readonly parentHash: unknown
  readonly isHead: boolean
}

const mostKept = 64
/** Nodes of one URL are fewer blocks apart, and a head is asked for more often. */
const farBlocks = 64

export function createToldBlocks(): ToldBlocks {
  const hashes = new Map<number, unknown>()
  let newest: number | undefined

  const isAnother = (number: number, hash: unknown) => (hashes.get(number) ?? hash) !== hash

  function isFit({ number, hash, parentHash, isHead }: Told): boolean {
    if (isAnother(number, hash) || isAnother(number - 1, parentHash)) return false
    return !isHead || newest === undefined || Math.abs(number - newest) <= farBlocks
  }

  function note({ number, hash, parentHash, isHead }: Told): void {
    for (const [at, of] of [
      [number - 1, parentHash],
      [number, hash],
    ] as const) {
      // In the order of their coming: the oldest goes first.
      hashes.delete(at)
      hashes.set(at, of)
    }
    for (const [old] of hashes) if (hashes.size > mostKept) hashes.delete(old)
    if (isHead) newest = number
  }

  return {
    fits(calls, { answers }) {
      const told = calls.flatMap((call, index) => readBlock(call, answers[index]) ?? [])
      const areFit = told.every(isFit)
      // What comes next stands on what was told last.
      if (!areFit) hashes.clear()
      for (const block of told) note(block)
      return areFit
    },
  }
}

function readBlock(
  { method, params }: RpcCall,
  answer: Reply['answers'][number],
): Told | undefined {
  if (!/^eth_getBlockBy/.test(method) || !answer || !('result' in answer)) return undefined
  const { result } = answer
  if (!isRecord(result) || typeof result['hash'] !== 'string') return undefined
  const number = Number(result['number'])
  if (!Number.isSafeInteger(number)) return undefined
  const isHead = Array.isArray(params) && params[0] === 'latest'
  return { number, hash: result['hash'], parentHash: result['parentHash'], isHead }
}
