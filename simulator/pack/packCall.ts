import { type Hex, isHex, pad } from 'viem'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'

/** The block that a pack holds a chain as of. */
export type Pin = {
  readonly chainId: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

/** What a call asks of a chain that stands still at a block. */
export type PackCall =
  /** In the one form that such a call has in a pack. */
  | { readonly kind: 'read'; readonly call: RpcCall }
  /** Known without asking. */
  | { readonly kind: 'known'; readonly outcome: RpcOutcome }

/** Where a method's parameters name the block. */
const tagIndex: ReadonlyMap<string, number> = new Map([
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_getTransactionCount', 1],
  ['eth_getStorageAt', 2],
  ['eth_getProof', 2],
  ['eth_call', 1],
  ['eth_estimateGas', 1],
  ['eth_createAccessList', 1],
  ['eth_simulateV1', 1],
  ['eth_feeHistory', 1],
  ['debug_traceCall', 1],
  ['eth_getBlockByNumber', 0],
  ['eth_getBlockReceipts', 0],
  ['eth_getBlockTransactionCountByNumber', 0],
  ['eth_getUncleCountByBlockNumber', 0],
])
/** The same by hash: of the pinned block, one may have asked this way and another that way. */
const byNumber: ReadonlyMap<string, string> = new Map([
  ['eth_getBlockByHash', 'eth_getBlockByNumber'],
  ['eth_getBlockTransactionCountByHash', 'eth_getBlockTransactionCountByNumber'],
  ['eth_getUncleCountByBlockHash', 'eth_getUncleCountByBlockNumber'],
])
/** Nothing is written, and nothing waits for blocks to come. */
const notOfAPack =
  /^(?:eth_send|eth_sign|eth_new|eth_uninstall|eth_getFilter|eth_subscribe|eth_unsubscribe|eth_accounts|personal_|admin_|miner_|anvil_|evm_|hardhat_|engine_|txpool_)/
const headTags: readonly unknown[] = [
  undefined,
  null,
  'latest',
  'pending',
  'safe',
  'finalized',
  'unsafe',
]

const answer = (result: unknown): PackCall => ({ kind: 'known', outcome: { ok: true, result } })
const failure = (code: number, message: string): PackCall => ({
  kind: 'known',
  outcome: { ok: false, code, message, data: undefined },
})

/**
 * The block is spelled in one way: by number where that is known, else by its hash. Of one pinned block
 * anvil's versions ask by number, by hash, by `{blockHash}` or by `{blockHash, requireCanonical}`.
 */
export function toPackCall(asked: RpcCall, pin: Pin): PackCall {
  const { method, params } = withoutPinnedHash(asked, pin)
  const { chainId, blockNumber } = pin
  if (method === 'eth_chainId') return answer(toHexNumber(BigInt(chainId)))
  if (method === 'net_version') return answer(String(chainId))
  if (method === 'eth_blockNumber') return answer(toHexNumber(blockNumber))
  if (method === 'eth_syncing') return answer(false)
  // One form for an account is enough; anvil then asks in the three old ones.
  if (method === 'eth_getAccountInfo') return failure(-32601, 'the method does not exist')
  if (notOfAPack.test(method)) return failure(-32601, 'a pack answers reads only')
  if (method === 'eth_getLogs') return toLogsCall(params, pin)
  const index = tagIndex.get(method)
  if (index === undefined) return { kind: 'read', call: { method, params: params.map(normal) } }
  const block = toBlock(params[index], pin)
  if (block === 'later')
    return method === 'eth_getBlockByNumber' ? answer(null) : failure(-32000, 'header not found')
  const others = params.map(normal)
  if (method === 'eth_getStorageAt') others[1] = toSlot(params[1])
  while (others.length < index) others.push(null)
  others[index] = block
  return { kind: 'read', call: { method, params: others } }
}

/** Two calls that ask the same have the same key. */
export const keyOf = ({ method, params }: RpcCall) => `${method} ${JSON.stringify(params)}`

/** For people: what a missing read is about. */
export function describeCall({ method, params }: RpcCall, { chainId, blockNumber }: Pin): string {
  const asked = JSON.stringify(params)
  const shown = asked.length > 400 ? `${asked.slice(0, 400)}…` : asked
  return `${method} ${shown} of chain ${chainId} at block ${blockNumber}`
}

/** Calls that name the pinned block by its hash, as they would be by its number. */
function withoutPinnedHash({ method, params }: RpcCall, { blockNumber, blockHash }: Pin): RpcCall {
  const isPinned = (value: unknown) =>
    typeof value === 'string' && value.toLowerCase() === blockHash.toLowerCase()
  const inNumber = byNumber.get(method)
  if (inNumber === undefined || !isPinned(params[0])) return { method, params }
  return { method: inNumber, params: [toHexNumber(blockNumber), ...params.slice(1)] }
}

function toLogsCall(params: readonly unknown[], pin: Pin): PackCall {
  const { blockHash, ...rest } = (params[0] ?? {}) as Record<string, unknown>
  const named = blockHash === undefined ? undefined : toBlock(blockHash, pin)
  const filter: Record<string, unknown> =
    named === undefined ? rest : { ...rest, fromBlock: named, toBlock: named }
  if (typeof named === 'object')
    return {
      kind: 'read',
      call: { method: 'eth_getLogs', params: [normal({ ...rest, blockHash })] },
    }
  const from = toBlock(filter['fromBlock'], pin)
  if (from === 'later') return answer([])
  const to = toBlock(filter['toBlock'], pin)
  const toBlockOf = to === 'later' ? toHexNumber(pin.blockNumber) : to
  const whole = normal({ ...filter, fromBlock: from, toBlock: toBlockOf })
  return { kind: 'read', call: { method: 'eth_getLogs', params: [whole] } }
}

/** A tag as a number, so that it means the same tomorrow; another block's hash as `{blockHash}`. */
function toBlock(tag: unknown, pin: Pin): unknown {
  const { blockNumber: head } = pin
  if (headTags.includes(tag)) return toHexNumber(head)
  if (tag === 'earliest') return '0x0'
  if (typeof tag === 'object') {
    const { blockHash, blockNumber } = tag as Record<string, unknown>
    return blockHash === undefined && blockNumber === undefined
      ? normal(tag)
      : toBlock(blockHash ?? blockNumber, pin)
  }
  if (!isHex(tag) || tag === '0x') return tag
  if (tag.length === hashLength) {
    const hash = tag.toLowerCase()
    return hash === pin.blockHash.toLowerCase() ? toHexNumber(head) : { blockHash: hash }
  }
  return BigInt(tag) > head ? 'later' : toHexNumber(BigInt(tag))
}

const hashLength = 66

const toSlot = (slot: unknown): unknown =>
  isHex(slot) && slot.length <= 66 ? pad(slot, { size: 32 }).toLowerCase() : slot

const toHexNumber = (value: bigint): Hex => `0x${value.toString(16)}`

/** Hex in lower case, the fields of objects in order, absent ones left out. */
function normal(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('0x') ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value ?? null
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, normal(field)] as const),
  )
}
