import { type Chain, type Client, type Hex, isHash, numberToHex, type Transport } from 'viem'
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
    /** The call with the hash of the block that it numbers, where that is known and it names none. */
    pin(call: RpcCall): RpcCall {
      const blockHash = call.blockHash ?? known.get(blockOf(call) ?? '')
      return blockHash ? { ...call, blockHash } : call
    },
  }
}

export type BlockHashes = ReturnType<typeof createBlockHashes>

type AnyClient = Client<Transport, Chain>
/** One for all who read at a block: what they ask at once travels together, by the client. */
const lastPinned = new WeakMap<AnyClient, { readonly hash: Hex; readonly pinned: AnyClient }>()
const origins = new WeakMap<AnyClient, AnyClient>()

/** Whom a client of one block asks: what is known of code there goes for all blocks. */
export const originOf = (client: AnyClient): AnyClient => origins.get(client) ?? client

/** The same client, whose reads of this block's state are of no other that ever has its number. */
export function readAtBlock(
  client: AnyClient,
  { number, hash }: { readonly number: bigint; readonly hash: Hex },
): AnyClient {
  const last = lastPinned.get(client)
  if (last?.hash === hash) return last.pinned
  const blockNumber = numberToHex(number)
  const block = { blockNumber, blockHash: hash }
  const request = ({ method, params }: RpcCall) => {
    const [transaction, named, ...rest] = method === 'eth_call' ? (params as unknown[]) : []
    const asked = named === blockNumber ? [transaction, block, ...rest] : params
    // The types of all methods at once are none of a call that is passed on.
    return client.request({ method, params: asked } as never)
  }
  const pinned = { ...client, request: request as typeof client.request }
  lastPinned.set(client, { hash, pinned })
  origins.set(pinned, client)
  return pinned
}

/** What such a client asks: by the number, with the hash beside it. */
export function unfoldBlock({ method, params }: RpcCall): RpcCall {
  const [transaction, block, ...rest] = method === 'eth_call' && Array.isArray(params) ? params : []
  const { blockNumber, blockHash } = isRecord(block) ? block : {}
  if (typeof blockHash !== 'string' || !isHash(blockHash) || blockNumber === undefined)
    return { method, params }
  return { method, params: [transaction, blockNumber, ...rest], blockHash }
}

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
