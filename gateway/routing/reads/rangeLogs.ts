import { type Chain, type Client, numberToHex, type Transport } from 'viem'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'
import type { PoolLog } from './poolLog.ts'
import { type LogFilter, toPoolLog } from './readHead.ts'

const mostUnderWay = 8
/** Characters of their data: a log may be as long as its maker pays for. */
const mostData = 64 * 1_024 * 1_024

/**
 * All logs of many blocks, the oldest first: in one question where the node allows it, else in parts.
 * Undefined where they would take more questions, or be more or longer logs, than that; rejects where the
 * node fails.
 */
export async function readRangeLogs(
  { client }: { readonly client: Client<Transport, Chain> },
  {
    filter: { topics, addresses },
    fromBlock,
    toBlock,
    mostQuestions,
    mostLogs,
    mostDataOfAll = mostData,
  }: {
    readonly filter: LogFilter
    readonly fromBlock: bigint
    readonly toBlock: bigint
    readonly mostQuestions: number
    readonly mostLogs: number
    readonly mostDataOfAll?: number | undefined
  },
): Promise<readonly PoolLog[] | undefined> {
  const found: PoolLog[] = []
  const waiting: BlockRange[] = [{ from: fromBlock, to: toBlock }]
  let asked = 0
  let data = 0
  const isTooMuch = () => asked > mostQuestions || found.length > mostLogs || data > mostDataOfAll

  async function read(range: BlockRange): Promise<void> {
    const question = {
      fromBlock: numberToHex(range.from),
      toBlock: numberToHex(range.to),
      topics: [[...topics]],
      ...(addresses && { address: [...addresses] }),
    }
    try {
      const logs = await client.request({ method: 'eth_getLogs', params: [question] })
      // Several answers come at once: beyond the bound nothing of them is kept.
      if (isTooMuch()) return
      const own = logs.map(toPoolLog)
      // Whole or not at all: what does not read is asked for again in parts.
      data += own.reduce((sum, one) => sum + one.data.length, 0)
      for (const log of own) found.push(log)
    } catch (error) {
      // Nodes limit the range by errors of many kinds: a shorter one tells.
      const parts = narrowRange(range, findRefusal(error))
      if (parts.length === 0) throw error
      waiting.push(...parts)
    }
  }

  while (waiting.length > 0 && !isTooMuch()) {
    const now = waiting.splice(-mostUnderWay)
    asked += now.length
    await Promise.all(now.map(read))
  }
  if (isTooMuch()) return undefined
  return found.sort(
    (one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex,
  )
}
