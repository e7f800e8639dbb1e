import type { Address, Chain, Client, Hex, Transport } from 'viem'
import { chunk } from './chunk.ts'
import { callQuoteLens } from './lens.ts'

/** A call of an on-chain quoter. */
export type Question = { readonly target: Address; readonly data: Hex }

/** Quoters that run a swap cost some hundred thousand gas each. */
const questionsPerBatch = 80

/** What quoters answer at one block, as words; undefined where one refused. */
export async function askQuoters(
  { client }: { readonly client: Client<Transport, Chain> },
  {
    questions,
    blockNumber,
  }: { readonly questions: readonly Question[]; readonly blockNumber: bigint },
): Promise<(readonly bigint[] | undefined)[]> {
  const answers = await Promise.all(
    chunk(questions, questionsPerBatch).map((batch) =>
      callQuoteLens(client, { functionName: 'ask', args: [[...batch]], blockNumber }),
    ),
  )
  return answers.flat().map((answer) => {
    const count = Math.floor((answer.length - 2) / 64)
    if (count === 0) return undefined
    return Array.from({ length: count }, (_, k) =>
      BigInt(`0x${answer.slice(2 + 64 * k, 66 + 64 * k)}`),
    )
  })
}
