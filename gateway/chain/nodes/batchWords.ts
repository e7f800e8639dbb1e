import { type Reply, type RpcError, readError, type Trouble } from './readReply.ts'

/** As the table of refusals reads it again. */
const tooMany: RpcError = { code: 429, message: 'too many requests' }

/**
 * Where a batch is no larger than what its refusal names as the most, there were too many calls in a second:
 * dRPC has one code and one sentence for both.
 */
export function readBatchWords(calls: number, { answers, trouble }: Reply): Reply {
  const isOfRate = ({ kind, limit }: Trouble) =>
    kind === 'batch_too_large' && limit !== undefined && calls <= limit
  return {
    answers: answers.map((answer) =>
      answer && 'error' in answer && isOfRate(readError(answer.error))
        ? { error: tooMany }
        : answer,
    ),
    trouble: isOfRate(trouble) ? readError(tooMany) : trouble,
  }
}
