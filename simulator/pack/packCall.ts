import { type Hex, isHex, pad } from 'viem'
import type { RpcCall, RpcOutcome } from '../rpcBatch.ts'

/** The block that a pack holds a chain as of. */
export type Pin = { readonly chainId: number; readonly blockNumber: bigint }

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
const refuse = (code: number, message: string): PackCall => ({
  kind: 'known',
  outcome: { ok: false, code, message, data: undefined },
})

export function toPackCall({ method, params }: RpcCall, { chainId, blockNumber }: Pin): PackCall {
  if (method === 'eth_chainId') return answer(toHexNumber(BigInt(chainId)))
  if (method === 'net_version') return answer(String(chainId))
  if (method === 'eth_blockNumber') return answer(toHexNumber(blockNumber))
  if (method === 'eth_syncing') return answer(false)
  // One form for an account is enough; anvil then asks in the three old ones.
  if (method === 'eth_getAccountInfo') return refuse(-32601, 'the method does not exist')
  if (notOfAPack.test(method)) return refuse(-32601, 'a pack answers reads only')
  if (method === 'eth_getLogs') return toLogsCall(params, blockNumber)
  const index = tagIndex.get(method)
  if (index === undefined) return { kind: 'read', call: { method, params: params.map(normal) } }
  const block = toBlock(params[index], blockNumber)
  if (block === 'later')
    return method === 'eth_getBlockByNumber' ? answer(null) : refuse(-32000, 'header not found')
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

function toLogsCall(params: readonly unknown[], head: bigint): PackCall {
  const filter = (params[0] ?? {}) as Record<string, unknown>
  if (filter['blockHash'] !== undefined)
    return { kind: 'read', call: { method: 'eth_getLogs', params: [normal(filter)] } }
  const from = toBlock(filter['fromBlock'], head)
  if (from === 'later') return answer([])
  const to = toBlock(filter['toBlock'], head)
  const toBlockOf = to === 'later' ? toHexNumber(head) : to
  const whole = normal({ ...filter, fromBlock: from, toBlock: toBlockOf })
  return { kind: 'read', call: { method: 'eth_getLogs', params: [whole] } }
}

/** A tag as a number, so that it means the same tomorrow; a block given by hash stays as it is. */
function toBlock(tag: unknown, head: bigint): unknown {
  if (headTags.includes(tag)) return toHexNumber(head)
  if (tag === 'earliest') return '0x0'
  if (typeof tag === 'object') return normal(tag)
  if (!isHex(tag) || tag === '0x') return tag
  return BigInt(tag) > head ? 'later' : toHexNumber(BigInt(tag))
}

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
