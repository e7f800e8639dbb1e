import { isHex } from 'viem'
import { gasOf } from './endpoint.ts'
import {
  isRecord,
  type RpcAnswer,
  type RpcCall,
  readError,
  type Trouble,
  unknownBlock,
} from './readReply.ts'

/** What becomes of one call of a batch. */
export type Verdict =
  | { readonly next: 'done'; readonly answer: RpcAnswer }
  /** The same once more, as soon as the endpoint takes it. */
  | { readonly next: 'again'; readonly trouble: Trouble }
  /** Another endpoint may know; where none does, this answer stands. */
  | { readonly next: 'elsewhere'; readonly trouble: Trouble; readonly answer: RpcAnswer }
  /** A fault of the endpoint: so many times and no more. */
  | { readonly next: 'fault'; readonly trouble: Trouble }

/** They have an answer whenever the node has the block. */
const neverNull: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_getLogs',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getBalance',
  'eth_getTransactionCount',
])
/** Asked twice they do nothing twice, and a node that is well answers them. */
export const reads: ReadonlySet<string> = new Set([
  ...neverNull,
  'eth_blockNumber',
  'eth_chainId',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])
const leastCallGas = 1_000_000

/** What one call's answer, or the lack of one, asks for. */
export function judge(
  call: RpcCall,
  {
    answer,
    trouble,
    batch,
    head,
  }: {
    readonly answer: RpcAnswer | undefined
    readonly trouble: Trouble
    /** The number of the head that was last told of. */
    readonly head: number | undefined
    /** How many calls were sent together. */
    readonly batch: number
  },
): Verdict {
  if (!answer) return judgeMissing(call, { trouble, batch })
  if (!('error' in answer)) {
    if (answer.result !== null) return { next: 'done', answer }
    const nothing = { kind: 'block_unknown' } as const
    // One node has told of a later block, another one lags behind it.
    if (asksBelow(call, head)) return { next: 'elsewhere', trouble: nothing, answer }
    // Some proxies answer so for a block that they do not have.
    if (!neverNull.has(call.method)) return { next: 'done', answer }
    return { next: 'elsewhere', trouble: nothing, answer: { error: unknownBlock } }
  }
  const refusal = readError(answer.error)
  const elsewhere = { next: 'elsewhere', trouble: refusal, answer } as const
  // Whatever one does not take, or says that it does not, another one may.
  const ifRead = reads.has(call.method) ? elsewhere : ({ next: 'done', answer } as const)
  switch (refusal.kind) {
    case 'rate_limited':
      return { next: 'again', trouble: refusal }
    case 'unhealthy':
    case 'quota_gone':
    case 'unauthorized':
      return { next: 'fault', trouble: refusal }
    case 'batch_too_large':
    case 'body_too_large':
    case 'answer_too_large':
      return batch > 1 ? { next: 'again', trouble: refusal } : ifRead
    case 'gas_cap':
      // The endpoint gives it less from now on.
      return gasOf(call) > leastCallGas ? { next: 'fault', trouble: refusal } : ifRead
    case 'block_unknown':
    case 'history_missing':
    case 'method_missing':
    case 'overrides_refused':
      return elsewhere
    case 'range_too_wide':
    case 'too_many_results':
    case 'call_timeout':
    case 'invalid_request':
    case 'failed':
      return ifRead
    default:
      return { next: 'done', answer }
  }
}

function asksBelow({ method, params }: RpcCall, head: number | undefined): boolean {
  if (method !== 'eth_getBlockByNumber' || head === undefined || !Array.isArray(params))
    return false
  const [number] = params as readonly unknown[]
  return typeof number === 'string' && number.startsWith('0x') && Number(number) <= head
}

/** The newest block, as a node tells of it. */
export type ToldBlock = {
  readonly number: number
  /** Undefined where the answer is a number alone. */
  readonly madeAtMs?: number | undefined
}

/** The newest block, where the answer tells of it. */
export function readHead({ method, params }: RpcCall, answer: RpcAnswer): ToldBlock | undefined {
  if (!('result' in answer)) return undefined
  const { result } = answer
  if (method === 'eth_blockNumber') return toTold(result)
  const isLatest = Array.isArray(params) && params[0] === 'latest'
  if (method !== 'eth_getBlockByNumber' || !isLatest || !isRecord(result)) return undefined
  return toTold(result['number'], { madeAtMs: Number(result['timestamp']) * 1_000 })
}

/** What is no number tells of nothing, though null could be read as the first block. */
function toTold(said: unknown, made: Omit<ToldBlock, 'number'> = {}): ToldBlock | undefined {
  const number = isHex(said) ? Number(said) : Number.NaN
  return Number.isSafeInteger(number) ? { number, ...made } : undefined
}

function judgeMissing(
  call: RpcCall,
  { trouble, batch }: { readonly trouble: Trouble; readonly batch: number },
): Verdict {
  const { kind } = trouble
  if (kind === 'rate_limited') return { next: 'again', trouble }
  const isSize = ['batch_too_large', 'body_too_large', 'answer_too_large'].includes(kind)
  if (isSize && batch > 1) return { next: 'again', trouble }
  // A single call that is too large, too dear or too wide for all of them is the asker's to cut.
  const isItsOwn = isSize || ['range_too_wide', 'too_many_results', 'call_timeout'].includes(kind)
  const answer = { error: { code: codeOf(call, kind), message: toWords(kind) } }
  if (isItsOwn && batch === 1)
    return reads.has(call.method)
      ? { next: 'elsewhere', trouble, answer }
      : { next: 'done', answer }
  return { next: 'fault', trouble }
}

const codeOf = ({ method }: RpcCall, kind: Trouble['kind']) =>
  method === 'eth_getLogs' && kind !== 'call_timeout' ? -32602 : -32000

/** As the table of refusals reads it again. */
function toWords(kind: Trouble['kind']): string {
  if (kind === 'range_too_wide') return 'block range is too wide'
  if (kind === 'too_many_results') return 'query returned more than 0 results'
  if (kind === 'call_timeout') return 'execution aborted'
  if (kind === 'answer_too_large') return 'response too large'
  return 'request too large'
}
