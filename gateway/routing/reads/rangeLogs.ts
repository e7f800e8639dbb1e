import { type Chain, type Client, numberToHex, type Transport } from 'viem'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import type { PoolLog } from './poolLog.ts'
import { type LogFilter, toPoolLog } from './readHead.ts'
import { narrow, type Range } from './scanLogs.ts'

const mostUnderWay = 8

/**
 * All logs of many blocks, the oldest first: in one question where the node allows it, else in parts.
 * Undefined where they would take more questions, or be more logs, than that; rejects where the node fails.
 */
export async function readRangeLogs(
  { client }: { readonly client: Client<Transport, Chain> },
  {
    filter: { topics, addresses },
    fromBlock,
    toBlock,
    mostQuestions,
    mostLogs,
  }: {
    readonly filter: LogFilter
    readonly fromBlock: bigint
    readonly toBlock: bigint
    readonly mostQuestions: number
    readonly mostLogs: number
  },
): Promise<readonly PoolLog[] | undefined> {
  const found: PoolLog[] = []
  const waiting: Range[] = [{ from: fromBlock, to: toBlock }]
  let asked = 0
  const isTooMuch = () => asked > mostQuestions || found.length > mostLogs

  async function read(range: Range): Promise<void> {
    const question = {
      fromBlock: numberToHex(range.from),
      toBlock: numberToHex(range.to),
      topics: [[...topics]],
      ...(addresses && { address: [...addresses] }),
    }
    try {
      const logs = await client.request({ method: 'eth_getLogs', params: [question] })
      for (const log of logs) found.push(toPoolLog(log))
    } catch (error) {
      // Nodes limit the range by errors of many kinds: a shorter one tells.
      const parts = narrow(range, { refusal: findRefusal(error) })
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
