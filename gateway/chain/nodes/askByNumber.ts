import { blockOf, nameByNumber } from './blockHashes.ts'
import {
  isRecord,
  type Reply,
  type RpcAnswer,
  type RpcCall,
  readError,
  unknownBlock,
} from './readReply.ts'

type Send = (calls: readonly RpcCall[]) => Promise<Reply>

export const isResult = (answer: RpcAnswer | undefined) =>
  answer !== undefined && 'result' in answer

/**
 * Calls whose hash of a block may have been refused, once more by its number. What is answered then counts
 * where that is still the block: nodes have many words for a hash that they do not find.
 */
export async function askByNumber(
  send: Send,
  doubted: readonly RpcCall[],
): Promise<Reply & { readonly isHashRefused: boolean }> {
  const again = await send(doubted.map(nameByNumber))
  const answered = doubted.filter((_, index) => isResult(again.answers[index]))
  if (answered.length === 0) return { ...again, isHashRefused: false }
  const { hashes, trouble } = await readHashes(send, answered)
  const answers = doubted.map((call, index) => {
    const answer = again.answers[index]
    if (!isResult(answer)) return answer
    const hash = hashes.get(blockOf(call))
    if (hash === undefined) return undefined
    return hash === call.blockHash ? answer : { error: unknownBlock }
  })
  return {
    answers,
    trouble: again.answers.includes(undefined) ? again.trouble : trouble,
    isHashRefused: answers.some(isResult),
  }
}

/** By number; none of a block that was not told of, and null of one that is not there. */
async function readHashes(send: Send, calls: readonly RpcCall[]) {
  const numbers = [...new Set(calls.map(blockOf))]
  const looks = numbers.map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [number, false],
  }))
  const { answers, trouble } = await send(looks)
  const hashes = new Map(numbers.map((number, index) => [number, readHash(answers[index])]))
  return { hashes, trouble }
}

function readHash(answer: RpcAnswer | undefined): unknown {
  if (!answer || 'error' in answer) return undefined
  return isRecord(answer.result) ? (answer.result['hash'] ?? null) : null
}

/** Whether it may be the form that was refused: in words that fit, or that nobody knows. */
export function mayRefuseHash(answer: RpcAnswer | undefined, trouble: Reply['trouble']): boolean {
  if (answer && 'result' in answer) return false
  const { kind } = answer ? readError(answer.error) : trouble
  return kind === 'invalid_request' || kind === 'failed'
}
