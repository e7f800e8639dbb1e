import { hexToNumber, toEventSelector } from 'viem'
import { type Dex, firstBlockOf } from '../../../chain/dex.ts'
import type { ListParameters, ReadDeps } from '../../reads/poolRef.ts'
import { scanLogs } from '../../reads/scanLogs.ts'

/** Of Uniswap v3's factory and its forks': the fee comes first. */
const feeAmountEnabledTopic = toEventSelector('FeeAmountEnabled(uint24,int24)')
const dayMs = 86_400_000
/** A node that gives few blocks at once tells of the newest tiers only. */
const mostRequests = 8

type Known = { readonly fees: ReadonlySet<number>; readonly nextBlock: bigint }

/**
 * The fee tiers of factories: those of their rows, and those that their owners have enabled, read from
 * events once, kept, and read on every day.
 */
export function createReadTiers({
  now = () => performance.now(),
}: {
  readonly now?: (() => number) | undefined
} = {}) {
  const kept = new Map<string, { readonly readAtMs: number; readonly known: Promise<Known> }>()

  async function readOn(
    deps: ReadDeps,
    { dex, blockNumber }: ListParameters,
    last: Promise<Known> | undefined,
  ): Promise<Known> {
    const before = await last
    const fees = new Set(before?.fees ?? dex.feesPips)
    const logs = await scanLogs(deps, {
      address: dex.factory,
      topics: [feeAmountEnabledTopic],
      fromBlock: before?.nextBlock ?? firstBlockOf(dex, blockNumber),
      toBlock: blockNumber,
      mostRequests,
    })
    for (const { topics } of logs) if (topics[1]) fees.add(hexToNumber(topics[1]))
    return { fees, nextBlock: blockNumber + 1n }
  }

  /** In pips. */
  return async (deps: ReadDeps, parameters: ListParameters): Promise<readonly number[]> => {
    const key = nameOf(deps, parameters.dex)
    const last = kept.get(key)
    if (last && now() - last.readAtMs < dayMs) return [...(await last.known).fees]
    const known = readOn(deps, parameters, last?.known)
    kept.set(key, { readAtMs: now(), known })
    return [...(await known).fees]
  }
}

const nameOf = ({ client }: ReadDeps, { factory }: Dex) => `${client.chain.id} ${factory}`
