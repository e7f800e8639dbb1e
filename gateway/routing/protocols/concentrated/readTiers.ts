import { toEventSelector } from 'viem'
import { type Dex, firstBlockOf } from '../../../chain/dex.ts'
import type { ListParameters, ReadDeps } from '../../reads/poolRef.ts'
import { scanLogs } from '../../reads/scanLogs.ts'

/** Of Uniswap v3's factory and its forks': the fee comes first. */
const feeAmountEnabledTopic = toEventSelector('FeeAmountEnabled(uint24,int24)')
const dayMs = 86_400_000
/** What the node did not tell is asked for again sooner. */
const hourMs = 3_600_000
/** A node that gives few blocks at once tells of the newest tiers only. */
const mostRequests = 8
/** Some are enabled in years: the newest hours of a node that gives no more tell of none. */
const leastReach = 1_000_000n
/** Deeper than the chains' reorganisations: what they brought is read with the next blocks. */
const settledBlocks = 64n
/** Of a list that only a factory's owner lengthens: more is a mistake. */
const mostTiers = 64
const wholePips = 1_000_000

type Known = {
  readonly fees: ReadonlySet<number>
  readonly nextBlock: bigint
  readonly isWhole: boolean
}

/**
 * The fee tiers of factories: those of their rows, and those that their owners have enabled, read from
 * events once, kept, and read on every day.
 */
export function createReadTiers({
  now = () => performance.now(),
}: {
  readonly now?: (() => number) | undefined
} = {}) {
  const kept = new Map<string, { readonly dueAtMs: number; readonly known: Promise<Known> }>()

  async function readOn(
    deps: ReadDeps,
    { dex, blockNumber }: ListParameters,
    last: Promise<Known> | undefined,
  ): Promise<Known> {
    const before = await last
    const fees = new Set(before?.fees ?? dex.feesPips)
    const fromBlock = before?.nextBlock ?? firstBlockOf(dex, blockNumber)
    // Not of another endpoint, too: each tier that it makes up is one more lookup of every pair.
    const { logs, isWhole } = await scanLogs(
      { client: deps.client },
      {
        address: dex.factory,
        topics: [feeAmountEnabledTopic],
        fromBlock,
        toBlock: blockNumber,
        mostRequests,
        leastReach,
      },
    )
    for (const { topics } of logs) {
      const fee = Number(topics[1])
      if (fee < wholePips && fees.size < mostTiers) fees.add(fee)
    }
    const settled = blockNumber - settledBlocks
    return { fees, isWhole, nextBlock: isWhole && settled > fromBlock ? settled : fromBlock }
  }

  /** In pips. */
  return async (deps: ReadDeps, parameters: ListParameters): Promise<readonly number[]> => {
    const key = nameOf(deps, parameters.dex)
    const last = kept.get(key)
    if (last && now() < last.dueAtMs) return [...(await last.known).fees]
    const known = readOn(deps, parameters, last?.known)
    kept.set(key, { dueAtMs: now() + dayMs, known })
    const { fees, isWhole } = await known
    if (!isWhole) kept.set(key, { dueAtMs: now() + hourMs, known })
    return [...fees]
  }
}

const nameOf = ({ client }: ReadDeps, { factory }: Dex) => `${client.chain.id} ${factory}`
