import { isHash, isHex } from 'viem'
import { isRecord, type Reply, type RpcCall } from './readReply.ts'

const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[\da-f]{1,64}$/i.test(value)
const isBytes = (value: unknown) => isHex(value)
const isBlockHash = (value: unknown) => typeof value === 'string' && isHash(value)
const isSame = (one: unknown, other: unknown) =>
  String(one).toLowerCase() === String(other).toLowerCase()

type Fits = (result: unknown, params: readonly unknown[]) => boolean

const fitsOf: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ['eth_call', isBytes],
  ['eth_getCode', isBytes],
  ['eth_getStorageAt', isBytes],
  ['eth_blockNumber', isQuantity],
  ['eth_gasPrice', isQuantity],
  ['eth_getBalance', isQuantity],
  ['eth_getTransactionCount', isQuantity],
  ['eth_getBlockByHash', (block, [hash]) => isBlock(block) && isSame(block['hash'], hash)],
  ['eth_getBlockByNumber', (block, [number]) => isBlock(block, number)],
  ['eth_getLogs', fitLogs],
  ['eth_getTransactionByHash', (sent, [hash]) => isRecord(sent) && isSame(sent['hash'], hash)],
  [
    'eth_getTransactionReceipt',
    (receipt, [hash]) => isRecord(receipt) && isSame(receipt['transactionHash'], hash),
  ],
])

/** What is pending is none yet: it may have no hash. */
function isBlock(block: unknown, asked?: unknown): block is Record<string, unknown> {
  if (asked === 'pending') return true
  if (!isRecord(block)) return false
  const { number, hash, parentHash, timestamp } = block
  if (!isQuantity(number) || !isQuantity(timestamp)) return false
  const isAsked = !isQuantity(asked) || BigInt(asked) === BigInt(number)
  return isAsked && isBlockHash(hash) && isBlockHash(parentHash)
}

/** By place; undefined where anything may stand. */
function readTopics(topics: unknown): readonly (ReadonlySet<string> | undefined)[] {
  if (!Array.isArray(topics)) return []
  return topics.map((wanted: unknown) => {
    const words: readonly unknown[] = [wanted].flat()
    const isAny = words.length === 0 || words.some((word) => word === null || word === undefined)
    return isAny ? undefined : new Set(words.map(toLower))
  })
}

/**
 * Logs of the blocks, addresses and topics that were asked for, each once: one that comes twice would count twice.
 * No block has two hashes.
 */
function fitLogs(logs: unknown, [filter]: readonly unknown[]): boolean {
  const { address, blockHash, fromBlock, toBlock, topics } = isRecord(filter) ? filter : {}
  const least = isQuantity(fromBlock) ? BigInt(fromBlock) : undefined
  const most = isQuantity(toBlock) ? BigInt(toBlock) : undefined
  const asked = address === undefined ? undefined : new Set([address].flat().map(toLower))
  const wanted = readTopics(topics)
  const seen = new Set<string>()
  const hashes = new Map<bigint, unknown>()

  function isNew(log: unknown): boolean {
    if (!isRecord(log) || !isQuantity(log['blockNumber']) || !isQuantity(log['logIndex']))
      return false
    const own: readonly unknown[] = Array.isArray(log['topics']) ? log['topics'] : [undefined]
    const [block, index] = [BigInt(log['blockNumber']), BigInt(log['logIndex'])]
    const place = `${block}:${index}`
    const isKnown = seen.has(place)
    seen.add(place)
    const hash = hashes.get(block) ?? log['blockHash']
    hashes.set(block, hash)
    return (
      !isKnown &&
      isSame(hash, log['blockHash']) &&
      isBlockHash(log['blockHash']) &&
      isHex(log['data']) &&
      own.every((topic) => isHex(topic)) &&
      wanted.every((words, at) => words === undefined || words.has(toLower(own[at]))) &&
      isHex(log['address']) &&
      (asked === undefined || asked.has(toLower(log['address']))) &&
      (blockHash === undefined || isSame(log['blockHash'], blockHash)) &&
      (least === undefined || block >= least) &&
      (most === undefined || block <= most)
    )
  }

  return Array.isArray(logs) && logs.every(isNew)
}

const toLower = (value: unknown) => String(value).toLowerCase()

/** What is no answer to its call counts as none. Null is judged by itself. */
export function dropUnfit(calls: readonly RpcCall[], reply: Reply): Reply {
  let isDropped = false
  const answers = calls.map(({ method, params }, index) => {
    const answer = reply.answers[index]
    const fits = fitsOf.get(method)
    if (!fits || !answer || 'error' in answer || answer.result === null) return answer
    if (fits(answer.result, Array.isArray(params) ? params : [])) return answer
    isDropped = true
    return undefined
  })
  if (!isDropped) return reply
  const isMissing = reply.answers.includes(undefined)
  return { answers, trouble: isMissing ? reply.trouble : { kind: 'bad_answer' } }
}
