import type { Chain, Client, Transport } from 'viem'
import { BlockOrphaned, isCausedBy } from '../../chain/client.ts'
import { chunk } from './chunk.ts'
import { callLens } from './lens.ts'

type Deps = { readonly client: Client<Transport, Chain> }
/** Answers to the first questions of a part: as many as the gas of the call was enough for. */
type Ask<item, answer> = (part: readonly item[]) => Promise<readonly answer[]>

/** Each may burn all of a call's gas, and what is under way has to end within the client's patience. */
const mostUnderWay = 32

/** Whether the node answers at all about that block: what failed then failed by itself. */
export async function isAnswering(
  { client }: Deps,
  { blockNumber }: { readonly blockNumber: bigint },
): Promise<boolean> {
  const empty = { functionName: 'readCalls', args: [[]], blockNumber } as const
  return callLens(client, empty).then(
    () => true,
    () => false,
  )
}

/**
 * Asks about many things, so many at a time. A part that fails is halved down to what makes it fail, and
 * that alone has no answer; where the node fails or the block is gone, the whole fails with that error.
 */
export async function askInParts<item, answer>(
  deps: Deps,
  {
    items,
    size,
    blockNumber,
    ask,
  }: {
    readonly items: readonly item[]
    readonly size: number
    readonly blockNumber: bigint
    readonly ask: Ask<item, answer>
  },
): Promise<(answer | undefined)[]> {
  // Those who ask in the same moment share the answer; a later failure asks anew.
  let checking: Promise<boolean> | undefined
  const isItsOwn = async (error: unknown) => {
    if (isCausedBy(error, BlockOrphaned)) return false
    checking ??= isAnswering(deps, { blockNumber }).finally(() => {
      checking = undefined
    })
    return checking
  }
  const parts = chunk(items, size)
  const answers: (answer | undefined)[][] = []
  const workers = Array.from({ length: Math.min(mostUnderWay, parts.length) }, async () => {
    for (let index = answers.length; index < parts.length; index = answers.length) {
      // Taken before the first wait: no other worker takes it too.
      answers.push([])
      answers[index] = await askPart(parts[index] ?? [], { ask, isItsOwn })
    }
  })
  await Promise.all(workers)
  return answers.flat()
}

type Asking<item, answer> = {
  readonly ask: Ask<item, answer>
  /** Whether it is the question that fails, and neither its node nor its block. */
  readonly isItsOwn: (error: unknown) => Promise<boolean>
}

async function askPart<item, answer>(
  part: readonly item[],
  asking: Asking<item, answer>,
): Promise<(answer | undefined)[]> {
  const answers: (answer | undefined)[] = []
  while (answers.length < part.length) {
    const rest = part.slice(answers.length)
    const outcome = await asking.ask(rest).catch((error: unknown) => ({ error }))
    if ('error' in outcome) {
      if (!(await asking.isItsOwn(outcome.error))) throw outcome.error
      answers.push(...(await askHalves(rest, asking)))
    }
    // A whole call is not enough for the first of them.
    else answers.push(...(outcome.length > 0 ? outcome.slice(0, rest.length) : [undefined]))
  }
  return answers
}

async function askHalves<item, answer>(
  part: readonly item[],
  asking: Asking<item, answer>,
): Promise<(answer | undefined)[]> {
  if (part.length > 1) {
    const middle = part.length >> 1
    const halves = [part.slice(0, middle), part.slice(middle)]
    return (await Promise.all(halves.map((half) => askPart(half, asking)))).flat()
  }
  // A node has its moments: what fails twice, while it answers others, fails by itself.
  const again = await asking.ask(part).catch((error: unknown) => ({ error }))
  if (!('error' in again)) return [again[0]]
  if (!(await asking.isItsOwn(again.error))) throw again.error
  return [undefined]
}
