import { type Address, type Chain, type Client, type Hex, type Transport, zeroAddress } from 'viem'
import { askInParts } from './askInParts.ts'
import { callQuoteLens } from './lens.ts'
import type { ReadDeps } from './poolRef.ts'

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
  const answers = await askInParts(
    { client },
    {
      items: questions,
      size: questionsPerBatch,
      blockNumber,
      ask: (part) => callQuoteLens(client, { functionName: 'ask', args: [part], blockNumber }),
    },
  )
  return answers.map((answer = '0x') => toWords(answer))
}

/** One direction of a pool, to be asked about amounts of many sizes. */
export type QuotedDirection = {
  /** Who holds the token, undefined for the native currency: as much is the largest amount. */
  readonly holder: Address
  /** The largest amount, where it is known. */
  readonly held?: bigint | undefined
  readonly token: Address | undefined
  /** The question about an amount. */
  readonly ask: (amountIn: bigint) => Question
}
export type Samples = {
  readonly held: bigint
  /** Undefined answers are refusals: no question burned all its gas, after which the others are not asked. */
  readonly isWhole: boolean
  /** By rising amount: `held` over powers of `ratio`; undefined where the quoter refused. */
  readonly answers: readonly (readonly bigint[] | undefined)[]
}

/** Stands for the amount in a question; 128 bits, as some quoters take no more. */
const mark = 0xa5c3_96f1_7e24_8b0d_d1e9_4f63_5a87_c2b1n
const markWord = mark.toString(16).padStart(64, '0')

/** Directions of pools through their quoters, at `points` amounts each. */
export async function sampleQuoters(
  { client, noteFailure }: ReadDeps,
  {
    directions,
    points,
    ratio,
    blockNumber,
  }: {
    readonly directions: readonly QuotedDirection[]
    readonly points: number
    readonly ratio: bigint
    readonly blockNumber: bigint
  },
): Promise<readonly Samples[]> {
  const rows = directions.map(({ holder, held = 0n, token = zeroAddress, ask }) => {
    const { target, data } = ask(mark)
    return { holder, held, token, target, data, amountAt: BigInt((data.indexOf(markWord) - 2) / 2) }
  })
  const sampled = await askInParts(
    { client },
    {
      items: rows,
      size: Math.max(1, Math.floor(questionsPerBatch / points)),
      blockNumber,
      ask: (part) =>
        callQuoteLens(client, {
          functionName: 'sample',
          args: [part, BigInt(points), ratio],
          blockNumber,
        }),
    },
  )
  return sampled.map((sample, index) => {
    const row = rows[index]
    const isWhole = sample?.burnt === false
    if (row && !isWhole) noteFailure?.(row, sample ? 'burnt' : 'unreadable')
    return { held: sample?.held ?? 0n, isWhole, answers: (sample?.answers ?? []).map(toWords) }
  })
}

function toWords(answer: Hex): readonly bigint[] | undefined {
  const count = Math.floor((answer.length - 2) / 64)
  if (count === 0) return undefined
  return Array.from({ length: count }, (_, k) =>
    BigInt(`0x${answer.slice(2 + 64 * k, 66 + 64 * k)}`),
  )
}
