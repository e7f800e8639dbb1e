import { type Chain, type Client, concat, type Hex, numberToHex, type Transport } from 'viem'
import { lensAddress, lensGas } from './lens.ts'

export type PackedCall = {
  readonly target: Hex
  readonly data: Hex
  /** Of a longer answer the rest is cut off. */
  readonly answerBytes: bigint
}

/** A longer answer is cut off, whatever is asked for. */
const mostAnswerBytes = 4_096n

/**
 * `readCalls` of `PoolLens`, for questions and answers without padding: a hundredth of its code, and a tenth
 * of its calldata. Three words of memory: where the questions and the answers stand, gas before a call.
 */
export const packedCode: Hex = concat([
  '0x6060602052', // The answers begin behind these words.
  '0x5b365f511015609457', // Until no question is left,
  '0x5a623281b011609457', // a call may not burn all it is given (300,000) and leave 3 million to tell,
  '0x60205162061a8010609457', // or 400,000 bytes are held:
  '0x5f5135', // target, bytes of the question, bytes of the answer
  '0x8060501c61ffff168160401c61ffff16',
  '0x602051600301', // where the answer goes, and the question before it
  '0x825f516018018237',
  '0x5a604052',
  '0x818184818760601c620493e0fa', // STATICCALL
  '0x3d8381811090821802188102', // bytes of its answer, none where it failed
  '0x5a60405103620493df10811502', // whether it burned all and answered nothing
  '0x6003840353', // one byte of that,
  '0x8060081c6002840353806001840353', // two of the length, and the answer
  '0x905001602052',
  '0x506018015f51015f5250600556',
  '0x5b6060602051036060f3',
])

/** Any views at one block, as far as the gas of a call reaches; `0x01` of one that burned all it was given. */
export async function askPacked(
  client: Client<Transport, Chain>,
  { calls, blockNumber }: { readonly calls: readonly PackedCall[]; readonly blockNumber: bigint },
): Promise<Hex[]> {
  const answer = await client.request({
    method: 'eth_call',
    params: [
      { to: lensAddress, data: concat(['0x', ...calls.map(packCall)]), gas: numberToHex(lensGas) },
      numberToHex(blockNumber),
      { [lensAddress]: { code: packedCode } },
    ],
  })
  return unpackAnswers(answer)
}

function packCall({ target, data, answerBytes }: PackedCall): Hex {
  const length = numberToHex((data.length - 2) / 2, { size: 2 })
  const most = answerBytes < mostAnswerBytes ? answerBytes : mostAnswerBytes
  return concat([target, length, numberToHex(most, { size: 2 }), data])
}

const headChars = 6

function unpackAnswers(packed: Hex): Hex[] {
  const answers: Hex[] = []
  for (let at = 2; at < packed.length; ) {
    const [burnt, length] = [packed.slice(at, at + 2), packed.slice(at + 2, at + headChars)]
    const end = at + headChars + 2 * Number(`0x${length}`)
    // Whoever breaks off within an answer has not answered.
    if (end > packed.length) throw new Error('the answers are not whole')
    answers.push(burnt === '01' ? '0x01' : `0x${packed.slice(at + headChars, end)}`)
    at = end
  }
  return answers
}
