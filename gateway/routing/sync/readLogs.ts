import { setTimeout as wait } from 'node:timers/promises'
import type { Chain, Client, Hex, Transport } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { poolIdOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { type Bloom, holdsLog, readBloom } from '../reads/bloom.ts'
import { inTime } from '../reads/inTime.ts'
import { listAdded, listLacking, mergeLogs } from '../reads/mergeLogs.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { isCrowd, readCrowded, type Told } from '../reads/readCrowded.ts'
import { type Block, type LogFilter, readBlockLogs } from '../reads/readHead.ts'
import { findSilent } from './findSilent.ts'
import type { JudgeFullness } from './judgeFullness.ts'
import { type Listening, listUntold } from './listening.ts'

type Deps = {
  readonly client: Client<Transport, Chain>
  readonly others?: ChainClient['others']
  readonly tellerOf?: ChainClient['tellerOf']
}

/** What was told first, and by whom; undefined where nobody knows. */
export type GivenLogs = {
  readonly logs: readonly PoolLog[]
  readonly teller: object | undefined
}

export type ToldLogs = GivenLogs & {
  /** The bloom told of logs that were not returned: it was asked again. */
  readonly isDoubted: boolean
  /** Logs that were returned to a second question only. */
  readonly late: number
  /** Ids of pools of whose logs another endpoint alone has told, or nobody would: they are read anew. */
  readonly alone: readonly string[]
  /** Pools whose logs may still be missing, or were made up. */
  readonly silent: readonly PoolRecord[]
  /** Of its bloom; undefined where the node gives none. */
  readonly falseShare: number | undefined
  /** Whether it has what was returned; undefined where nothing was. */
  readonly isBorneOut: boolean | undefined
}

/** Pools that a bloom tells of, read anew in one step; the others have their turn, and the audit. */
export const mostDoubted = 32
/** Other endpoints that are asked before the one that answered is asked once more. */
const mostOthers = 2
/**
 * How often that one is asked where more pools would be wrong than are read anew, and after how long where it has told
 * nothing at all: a node has a block's logs some tenths of a second later than the block.
 */
const againMs = [0, 100, 300] as const

/** The logs of a block. Where its bloom tells of more, other endpoints are asked, then the same again. */
export async function readLogs(
  deps: Deps,
  {
    block: { head, logsBloom },
    listening: { filter, pools },
    judge,
    given,
    isTrusted,
  }: {
    readonly block: Block
    readonly listening: Listening
    readonly judge: JudgeFullness
    /** What a question for more blocks than this one has had of it. */
    readonly given: GivenLogs | undefined
    /** Whether blooms were found to hold what comes. */
    readonly isTrusted: boolean
  },
): Promise<ToldLogs> {
  const question = { blockHash: head.hash, filter }
  const told = given ? whole(given) : await readWhole(deps, question)
  const bloom = readBloom(logsBloom)
  const others = listOthers(deps, told.teller)
  const doubt = { logs: told.logs, bloom, isTrusted, others }
  const denied = await listDenied(deps, { ...question, ...doubt })
  const first = told.logs.filter((log) => !denied.has(log))
  const look = (logs: readonly PoolLog[]) =>
    bloom ? findSilent({ bloom, logs, pools, ...judge(bloom.falseShare) }) : []
  let [logs, silent]: [readonly PoolLog[], readonly PoolRecord[]] = [first, look(first)]
  const alone = new Set(listUntold(told.untold, pools).map(({ id }) => id))
  const isDoubted = silent.length > 0
  const times = [...others, ...againMs.map(() => deps.client)]
  // The same question would be refused again.
  const asked = told.isCrowded ? [] : times
  let failure: Failed | undefined
  for (const [turn, client] of asked.entries()) {
    if (silent.length <= (turn > others.length ? mostDoubted : 0)) break
    const lateMs = againMs[turn - others.length] ?? 0
    if (lateMs > 0 && logs.length === 0) await wait(lateMs)
    const said = await readFrom(deps, { client, ...question })
    if ('error' in said) {
      if (client === deps.client) failure = said
      continue
    }
    const more = said.logs.filter((log) => bloom && holdsLog(bloom, log))
    // Whoever is asked first may be another one by now.
    if (client !== deps.client || said.teller !== told.teller)
      for (const log of listAdded(logs, more)) alone.add(poolIdOf(log))
    logs = mergeLogs(logs, more)
    silent = look(logs)
  }
  // Who fails knows no more than the first one. Its pools are read anew, unless that would leave most as they were.
  if (failure && silent.length > mostDoubted) throw failure.error
  const late = logs.length - first.length
  const named = new Set([...denied].map(poolIdOf))
  const isBorneOut =
    logs.length > 0 && bloom ? logs.every(({ address }) => bloom.has(address as Hex)) : undefined
  return {
    logs,
    teller: told.teller,
    isDoubted,
    late,
    alone: [...alone],
    silent: [...silent, ...pools.filter(({ id }) => named.has(id))],
    falseShare: bloom?.falseShare,
    isBorneOut,
  }
}

/** Logs that the block's bloom lacks, and another endpoint, too: whoever told of them has made them up. */
async function listDenied(
  deps: Deps,
  {
    logs,
    bloom,
    isTrusted,
    others,
    ...question
  }: Question & {
    readonly logs: readonly PoolLog[]
    readonly bloom: Bloom | undefined
    readonly isTrusted: boolean
    readonly others: readonly Deps['client'][]
  },
): Promise<ReadonlySet<PoolLog>> {
  // One without anything may be what a node says that has none.
  const isTelling = isTrusted || (bloom?.falseShare ?? 0) > 0
  const doubtful = bloom && isTelling ? logs.filter((log) => !isLikely(bloom, log)) : []
  if (doubtful.length === 0 || others.length === 0) return new Set()
  const said = await Promise.all(
    [deps.client, ...others].map(async (client) => {
      const told = await readFrom(deps, { client, ...question })
      // Who fails knows no more than the first one, which may be another than it was.
      return 'error' in told ? doubtful : told.logs
    }),
  )
  return new Set(said.flatMap((logs) => listLacking(doubtful, logs)))
}

/** Never the one that has told: it would bear itself out. */
const listOthers = ({ others }: Deps, teller: object | undefined) =>
  (others?.(teller) ?? []).slice(0, mostOthers).map(({ client }) => client)

type Question = { readonly blockHash: Hex; readonly filter: LogFilter }
type Failed = { readonly error: unknown }
type Asked = Told & GivenLogs & { readonly isCrowded: boolean }

const whole = (given: GivenLogs): Asked => ({ ...given, untold: [], isCrowded: false })

/** Whatever it meets; another endpoint fails where it hangs, too. */
async function readFrom(
  deps: Deps,
  { client, ...question }: Question & Pick<Deps, 'client'>,
): Promise<GivenLogs | Failed> {
  const saying = readTold({ ...deps, client }, question)
  const patient: Promise<GivenLogs | 'late'> = client === deps.client ? saying : inTime(saying)
  const said = await patient.catch((error: unknown) => ({ error }))
  return said === 'late' ? { error: said } : said
}

async function readTold({ client, tellerOf }: Deps, question: Question): Promise<GivenLogs> {
  let teller: object | undefined
  const heard = (answer: object) => {
    teller = tellerOf?.(answer)
  }
  const logs = await readBlockLogs({ client, heard }, question)
  return { logs, teller }
}

async function readWhole(deps: Deps, { blockHash, filter }: Question): Promise<Asked> {
  let teller: object | undefined
  const read = async (some: Pick<LogFilter, 'addresses' | 'names'>) => {
    const told = await readTold(deps, { blockHash, filter: { topics: filter.topics, ...some } })
    teller = told.teller
    return told.logs
  }
  try {
    const logs = await read(filter)
    return whole({ logs, teller })
  } catch (error) {
    if (!filter.crowd || !isCrowd(error)) throw error
    const told = await readCrowded(read, filter.crowd)
    return { ...told, teller, isCrowded: true }
  }
}

/** By what blooms are asked of anyway, and not by whom else a log names: each has somebody new. */
function isLikely(bloom: Bloom, log: PoolLog): boolean {
  const topics = log.topics.slice(0, poolIdOf(log) === log.address ? 1 : 2)
  return holdsLog(bloom, { ...log, topics })
}
