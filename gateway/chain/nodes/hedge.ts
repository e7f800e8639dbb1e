import type { Endpoint } from './endpoint.ts'
import { reads } from './judge.ts'
import type { Reply, RpcCall } from './readReply.ts'
import { runsCode, takesLong } from './takesLong.ts'

/** Nearly all answers of all endpoints that are known come sooner. */
const leastMs = 1_000
/** Of one that is slow as a rule, so many times what is usual. */
const timesUsual = 3
const weight = 0.1
/** Whoever is slow with everything is not asked for everything twice. */
const mostUnderWay = 4

/**
 * Sends what an endpoint is asked, and reads of a block once more where they are late: of many nodes behind one URL
 * one is slow now and then, and a block waits for the slowest of its answers.
 */
export function createHedge({ send }: Pick<Endpoint, 'send'>, now = () => performance.now()) {
  const usualMs = { code: 0, others: 0 }
  let underWay = 0

  async function sendTimed(calls: readonly RpcCall[]): Promise<Reply> {
    const sentAtMs = now()
    const reply = await send(calls)
    const kind = kindOf(calls)
    if (isAnswered(reply)) usualMs[kind] += weight * (now() - sentAtMs - usualMs[kind])
    return reply
  }

  return async (calls: readonly RpcCall[]): Promise<Reply> => {
    const first = sendTimed(calls)
    if (!calls.every(mayGoTwice)) return first
    const isLate = await waitFor(first, Math.max(leastMs, timesUsual * usualMs[kindOf(calls)]))
    if (!isLate || underWay >= mostUnderWay) return first
    underWay += 1
    const second = send(calls).finally(() => {
      underWay -= 1
    })
    const which = async (reply: Promise<Reply>, isIt: (reply: Reply) => boolean) => {
      if (isIt(await reply)) return reply
      throw new Error('nothing was answered')
    }
    // What is refused the second time (one call too many) may still be answered the first time.
    const either = Promise.any([which(first, isAnswered), which(second, isWhole)])
    return either.catch(async () => (isAnswered(await second) ? second : first))
  }
}

const kindOf = (calls: readonly RpcCall[]) => (calls.every(runsCode) ? 'code' : 'others')
const mayGoTwice = (call: RpcCall) => reads.has(call.method) && !takesLong(call)
const isAnswered = ({ answers }: Reply) => answers.some((answer) => answer !== undefined)
const isWhole = ({ answers }: Reply) =>
  answers.every((answer) => answer && 'result' in answer && answer.result !== null)

/** Whether it takes longer. */
async function waitFor(reply: Promise<Reply>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<true>((resolve) => {
    // What has come while the loop was busy is read first.
    timer = setTimeout(() => setImmediate(() => resolve(true)), ms)
  })
  const isLate = await Promise.race([reply.then(() => false), late])
  clearTimeout(timer)
  return isLate
}
