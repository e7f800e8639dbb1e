import { type Hex, isHash } from 'viem'
import { isRecord, type RpcAnswer, type RpcCall } from './readReply.ts'

/** Whoever reads at a block has been told of it a moment ago. */
const mostKnown = 512
const blockNumber = /^0x[\da-f]{1,16}$/

/** Hashes of the blocks that were told of lately: a read of state may name the very block (EIP-1898). */
export function createBlockHashes() {
  const known = new Map<string, Hex>()

  return {
    note({ method, params }: RpcCall, answer: RpcAnswer): void {
      if (method !== 'eth_getBlockByNumber' || !('result' in answer)) return
      // A pending block is none yet.
      if (Array.isArray(params) && params[0] === 'pending') return
      const { number, hash } = isRecord(answer.result) ? answer.result : {}
      if (typeof number !== 'string' || !blockNumber.test(number)) return
      if (typeof hash !== 'string' || !isHash(hash)) return
      known.delete(number)
      known.set(number, hash)
      const [oldest] = known.keys()
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
    },
    /** The call with the hash of the block that it numbers, where that is known. */
    pin(call: RpcCall): RpcCall {
      const blockHash = known.get(blockOf(call) ?? '')
      return blockHash ? { ...call, blockHash } : call
    },
  }
}

export type BlockHashes = ReturnType<typeof createBlockHashes>

/** The number of the block that a call is to be run at. */
export function blockOf({ method, params }: RpcCall): string | undefined {
  if (method !== 'eth_call' || !Array.isArray(params)) return undefined
  const [, block] = params as readonly unknown[]
  return typeof block === 'string' ? block : undefined
}

/** As it travels: its block by the hash, where it has one. */
export function nameByHash({ blockHash, ...call }: RpcCall): RpcCall {
  if (blockHash === undefined) return call
  const [transaction, , ...rest] = call.params as readonly unknown[]
  return { ...call, params: [transaction, { blockHash }, ...rest] }
}

export const nameByNumber = ({ blockHash: _, ...call }: RpcCall): RpcCall => call
