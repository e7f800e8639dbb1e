import { nextTick } from 'node:process'
import type { Address, Hex } from 'viem'
import { askInParts } from './askInParts.ts'
import { askPacked } from './packedCalls.ts'
import type { ReadDeps } from './poolRef.ts'

/** A view as the lens asks it; of a longer answer the rest is cut off. */
export type LensQuestion = {
  readonly target: Address
  readonly data: Hex
  readonly answerBytes: bigint
}
type Client = ReadDeps['client']
type Questions = { readonly calls: readonly LensQuestion[]; readonly blockNumber: bigint }
type Answers = readonly (Hex | undefined)[]
type Gathered = { readonly calls: LensQuestion[]; readonly answers: Promise<Answers> }

/** Views cost some thousand gas each. */
const callsPerBatch = 600

const gathering = new WeakMap<Client, Map<bigint, Gathered>>()

/**
 * Views at one block, in one call as far as its gas reaches. What is asked in one turn of the event loop
 * travels together.
 */
export async function askTogether(
  client: Client,
  { calls, blockNumber }: Questions,
): Promise<Answers> {
  if (calls.length === 0) return []
  const byBlock = gathering.get(client) ?? new Map<bigint, Gathered>()
  gathering.set(client, byBlock)
  const gathered = byBlock.get(blockNumber) ?? open(client, { byBlock, blockNumber })
  const start = gathered.calls.length
  for (const call of calls) gathered.calls.push(call)
  return (await gathered.answers).slice(start, start + calls.length)
}

function open(
  client: Client,
  {
    byBlock,
    blockNumber,
  }: { readonly byBlock: Map<bigint, Gathered>; readonly blockNumber: bigint },
): Gathered {
  const calls: LensQuestion[] = []
  // In time for the request that the other calls of this turn travel in.
  const answers = new Promise<void>((resolve) => nextTick(resolve)).then(() => {
    byBlock.delete(blockNumber)
    return askAll(client, { calls, blockNumber })
  })
  const opened = { calls, answers }
  byBlock.set(blockNumber, opened)
  return opened
}

const askAll = (client: Client, { calls, blockNumber }: Questions): Promise<Answers> =>
  askInParts(
    { client },
    {
      items: calls,
      size: callsPerBatch,
      blockNumber,
      ask: (part) => askPacked(client, { calls: part, blockNumber }),
    },
  )
