import type { Abi, Address, Hex } from 'viem'
import { encodeCall } from '../../chain/encodeCall.ts'
import { askTogether } from './askTogether.ts'
import type { ReadDeps, ReadFailure } from './poolRef.ts'

export type ReadCall = {
  readonly target: Address
  readonly data: Hex
  /** Words taken of the answer at most; 1 when not given. */
  readonly words?: number | undefined
}

/** Encodes a call of an ABI; `words` is how much of its answer is taken. */
export function readCall(
  target: Address,
  { abi, functionName, args = [] }: { abi: Abi; functionName: string; args?: readonly unknown[] },
  words = 1,
): ReadCall {
  return { target, data: encodeCall({ abi, functionName, args }), words }
}

/** What the lens tells by an answer that is none: one byte where all gas was burned. */
export function toFailure(answer: Hex | undefined): ReadFailure {
  if (answer === undefined) return 'unreadable'
  return answer === '0x' ? 'reverted' : 'burnt'
}

/** Any views at one block, as words of their answers; undefined where a call failed. */
export async function readCalls(
  { client, noteFailure }: ReadDeps,
  { calls, blockNumber }: { readonly calls: readonly ReadCall[]; readonly blockNumber: bigint },
): Promise<(readonly bigint[] | undefined)[]> {
  const toCall = ({ target, data, words = 1 }: ReadCall) => ({
    target,
    data,
    answerBytes: BigInt(words * 32),
  })
  const answers = await askTogether(client, { calls: calls.map(toCall), blockNumber })
  return answers.map((answer, index) => {
    const words = answer === undefined ? [] : splitWords(answer)
    if (words.length > 0) return words
    const call = calls[index]
    if (call) noteFailure?.(call, toFailure(answer))
    return undefined
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

/** An array's offset and length stand before its items. */
export const arrayHead = 2

/** The addresses in an answered array of them. */
export function readAddresses(words: readonly bigint[] | undefined): readonly Address[] {
  if (words?.[0] !== 32n) return []
  return words.slice(arrayHead, arrayHead + Number(words[1] ?? 0n)).map(wordToAddress)
}
