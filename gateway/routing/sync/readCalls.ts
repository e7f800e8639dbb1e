import {
  type Abi,
  type Address,
  type Chain,
  type Client,
  encodeFunctionData,
  type Hex,
  type Transport,
} from 'viem'
import { chunk } from './chunk.ts'
import { callLens } from './lens.ts'

export type ReadCall = {
  readonly target: Address
  readonly data: Hex
  /** Words taken of the answer at most; 1 when not given. */
  readonly words?: number | undefined
}

/** Views cost some thousand gas each, and answers have to be encoded again. */
const callsPerBatch = 300

/** Encodes a call of an ABI; `words` is how much of its answer is taken. */
export function readCall(
  target: Address,
  { abi, functionName, args = [] }: { abi: Abi; functionName: string; args?: readonly unknown[] },
  words = 1,
): ReadCall {
  return { target, data: encodeFunctionData({ abi, functionName, args }), words }
}

/** Any views at one block, as words of their answers; undefined where a call failed. */
export async function readCalls(
  { client }: { readonly client: Client<Transport, Chain> },
  { calls, blockNumber }: { readonly calls: readonly ReadCall[]; readonly blockNumber: bigint },
): Promise<(readonly bigint[] | undefined)[]> {
  const answers = await Promise.all(
    chunk(calls, callsPerBatch).map((batch) =>
      callLens(client, {
        functionName: 'readCalls',
        args: [
          batch.map(({ target, data, words = 1 }) => ({
            target,
            data,
            answerBytes: BigInt(words * 32),
          })),
        ],
        blockNumber,
      }),
    ),
  )
  return answers.flat().map((answer) => {
    const words = splitWords(answer)
    return words.length === 0 ? undefined : words
  })
}

function splitWords(bytes: Hex): readonly bigint[] {
  const count = Math.floor((bytes.length - 2) / 64)
  return Array.from({ length: count }, (_, k) =>
    BigInt(`0x${bytes.slice(2 + 64 * k, 66 + 64 * k)}`),
  )
}

/** The address a word holds. */
export function wordToAddress(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
}
