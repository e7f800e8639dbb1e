import type { Chain, Client, Transport } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { readBloom } from '../reads/bloom.ts'
import { readLogPart } from '../reads/rangeLogs.ts'
import type { Block } from '../reads/readHead.ts'
import type { PassedBlock } from './findAncestor.ts'
import { isTelling } from './findSilent.ts'
import type { JudgeFullness } from './judgeFullness.ts'
import type { Listening } from './listening.ts'
import { type GivenLogs, readLogs, type ToldLogs } from './readLogs.ts'
import { createTellers, tellerAt } from './tellers.ts'

type Deps = {
  readonly client: Client<Transport, Chain>
  readonly others?: ChainClient['others']
  readonly tellerOf?: ChainClient['tellerOf']
}

/** The least that a fair question for all of them is worth. */
const fewestTogether = 2
/** Wider ones are asked twice where no bloom tells. */
const span = { blocks: 15, most: 15, growth: 1 }

/**
 * The logs of blocks whose headers are known. One whose bloom has nothing that is listened for is not asked for;
 * those whose blooms tell what is missing are asked for together, the others each by its hash.
 */
export async function readAllLogs(
  deps: Deps,
  {
    blocks,
    listening,
    passed,
    judge,
  }: {
    readonly blocks: readonly Block[]
    readonly listening: Listening
    readonly passed: readonly PassedBlock[]
    readonly judge: JudgeFullness
  },
): Promise<readonly ToldLogs[]> {
  const { pools } = listening
  const isTrusted = areBorneOut(passed)
  const looks = blocks.map((block) => {
    const bloom = readBloom(block.logsBloom)
    // One without anything may be what a node says that has none.
    const isGood = isTrusted && bloom !== undefined && bloom.falseShare > 0
    // Of a new pool that is missing no silent one tells.
    if (!isGood || listening.mayBringNew(bloom)) return { block, way: 'alone' } as const
    if (!listening.mayConcern(bloom)) return { block, way: 'none', bloom } as const
    return { block, way: isTelling(bloom, pools.length) ? 'together' : 'alone' } as const
  })
  const together = looks.filter(({ way }) => way === 'together').map(({ block }) => block)
  const read = await readTogether(deps, { blocks: together, listening })
  return Promise.all(
    looks.map(async (look) => {
      const { block } = look
      if (look.way === 'none') return nothing(look.bloom.falseShare)
      const given = look.way === 'together' ? read(block) : undefined
      return readLogs(deps, { block, listening, judge, given, isTrusted })
    }),
  )
}

/** By what their blooms were found to hold, where they hold anything. */
function areBorneOut(passed: readonly PassedBlock[]): boolean {
  const told = passed.flatMap(({ isBorneOut }) => isBorneOut ?? [])
  return told.length > 0 && told.every(Boolean)
}

const nothing = (falseShare: number): ToldLogs => ({
  logs: [],
  teller: undefined,
  isDoubted: false,
  late: 0,
  alone: [],
  silent: [],
  falseShare,
  isBorneOut: undefined,
})

/** Of each block, as far as the node tells of that very one. */
async function readTogether(
  { client, tellerOf }: Deps,
  { blocks, listening }: { readonly blocks: readonly Block[]; readonly listening: Listening },
): Promise<(block: Block) => GivenLogs | undefined> {
  const [first, last] = [blocks[0]?.head.number, blocks.at(-1)?.head.number]
  if (first === undefined || last === undefined || blocks.length < fewestTogether)
    return () => undefined
  const filter = { ...listening.filter, crowd: undefined }
  const range = { filter, fromBlock: first, toBlock: last, span }
  const { told, heard } = createTellers(tellerOf)
  // Who gives none so may give each: that is asked then.
  const part = await readLogPart({ client, heard }, range).catch(() => undefined)
  if (!part) return () => undefined
  const byNumber = Map.groupBy(part.logs, ({ blockNumber }) => blockNumber)
  return ({ head: { number, hash } }) => {
    const logs = byNumber.get(number) ?? []
    const isIt = number <= part.last && logs.every(({ blockHash }) => blockHash === hash)
    return isIt ? { logs, teller: tellerAt(told, number) } : undefined
  }
}
