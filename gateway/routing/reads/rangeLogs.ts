import { type Chain, type Client, type Hex, numberToHex, type Transport } from 'viem'
import { isAway, type Witness } from '../../chain/client.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'
import { inTime } from './inTime.ts'
import { hasBlock, listAlone, type Witnessed } from './listAlone.ts'
import { mergeLogs, sortLogs } from './mergeLogs.ts'
import type { PoolLog } from './poolLog.ts'
import { isCrowd, readCrowded, type Told } from './readCrowded.ts'
import { type LogFilter, toPoolLog, toQuestion } from './readHead.ts'

/** Of the questions that come next. */
export type Span = {
  readonly blocks: number
  /** What the node gives, as far as it has refused more. */
  readonly most: number
  /** A refusal that was not of the number of blocks may have been the moment's, or the place's. */
  readonly growth: number
}

/** What a part may come to before it ends; what is under way by then is still taken. */
export type PartBounds = {
  readonly questions: number
  readonly logs: number
  /** Characters of their data: a log may be as long as its maker pays for. */
  readonly data: number
}

export type LogPart = {
  /** The oldest first. */
  readonly logs: readonly PoolLog[]
  /** Emitters and names of whose own a block had more than the node gives. */
  readonly untold: readonly Hex[]
  /** Those that one of two endpoints alone has told of. */
  readonly alone: readonly PoolLog[]
  /** Whether some were told once, so that nothing tells of those that were left out. */
  readonly isAskedOnce: boolean
  /** Up to this block they are all. */
  readonly last: bigint
  readonly asked: number
  /** To go on with. */
  readonly span: Span
}

type Deps = {
  readonly client: Client<Transport, Chain>
  /** Endpoints that have not told this, where there are several. */
  readonly others?: ((told: object) => readonly Pick<Witness, 'client'>[]) | undefined
  /** Of what `client` told first, and of which blocks. */
  readonly heard?: ((answer: object, range: BlockRange) => void) | undefined
}
type Answered = BlockRange & Told & { readonly isAskedOnce: boolean; readonly both?: Witnessed }
type Failed = BlockRange & { readonly error: unknown }
type Said = { readonly logs: readonly PoolLog[] }
type Read = (whom: Deps['client']) => Promise<Said>
type SaidAgain = Said & { readonly by?: Pick<Witnessed, 'witness' | 'isLevel'> }

const mostUnderWay = 8
const firstSpan: Span = { blocks: 32, most: Number.POSITIVE_INFINITY, growth: 1 }
/** Than those before, by how much these told. */
const mostTimesWider = 16
const regrowth = 1.5
/** So wide, questions are few, and each is asked twice: no bloom tells of what is left out. */
const wideBlocks = 16
/** Of one question: some 1.5 MB, and less than nodes give. */
const logsAtOnce = 2_000
const usualBounds: PartBounds = { questions: 64, logs: 10_000, data: 16 * 1_024 * 1_024 }

/**
 * The logs of many blocks from the oldest on, as far as one part reaches: by questions as wide as the node
 * allows. Where it fails on the way, up to there; rejects where nothing was read.
 */
export async function readLogPart(
  { client, others, heard }: Deps,
  {
    filter,
    fromBlock,
    toBlock,
    toHash,
    span = firstSpan,
    bounds = usualBounds,
  }: {
    readonly filter: LogFilter
    readonly fromBlock: bigint
    readonly toBlock: bigint
    /** Of the last block, on the chain that is followed: whoever has it has all of them. */
    readonly toHash?: Hex | undefined
    readonly span?: Span | undefined
    readonly bounds?: PartBounds | undefined
  },
): Promise<LogPart> {
  const read: Answered[] = []
  let waiting: readonly BlockRange[] = []
  let next = fromBlock
  let now = span
  let [asked, count, data] = [0, 0, 0]
  let failure: unknown
  const end = toHash === undefined ? undefined : { number: toBlock, hash: toHash }
  /** Whether endpoints had the last block before they told of any. */
  const levels = new Map<Deps['client'], Promise<boolean>>()
  /** Those that gave no answer, or hang: they are not waited for again. */
  const silent = new Set<Deps['client']>()
  const isFull = () => asked >= bounds.questions || count >= bounds.logs || data >= bounds.data

  /** The oldest that are not answered; beyond them nothing new once there is enough. */
  function takeWave(): readonly BlockRange[] {
    // The first question tells how wide the others may be.
    const most = now === firstSpan ? 1 : mostUnderWay
    const wave = waiting.slice(0, most)
    waiting = waiting.slice(wave.length)
    asked += wave.length
    for (; next <= toBlock && wave.length < most && !isFull(); asked += 1) {
      const to = next + BigInt(now.blocks) - 1n
      wave.push({ from: next, to: to < toBlock ? to : toBlock })
      next = to + 1n
    }
    return wave
  }

  const hasOthers = (told: object) => (others?.(told).length ?? 0) > 0

  /** The same of another endpoint, or of the same where none speaks. */
  async function readAgain(told: object, read: Read): Promise<SaidAgain | undefined> {
    const witness = others?.(told).find(({ client }) => !silent.has(client))?.client
    if (witness) {
      const level = levels.get(witness) ?? (end ? hasBlock(witness, end) : Promise.resolve(false))
      levels.set(witness, level)
      const isLevel = await level
      const said = await inTime(read(witness)).catch(() => 'failed' as const)
      if (typeof said !== 'string') return { logs: said.logs, by: { witness, isLevel } }
      silent.add(witness)
    }
    return read(client).catch(() => undefined)
  }

  async function ask({ from, to }: BlockRange): Promise<Answered | Failed> {
    const at = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const read = async (whom: Deps['client'], some: Omit<LogFilter, 'topics'> = filter) => {
      const question = { ...at, ...toQuestion({ ...some, topics: filter.topics }) }
      const answer = await whom.request({ method: 'eth_getLogs', params: [question] })
      // Whole or not at all: what does not read is asked for again in parts.
      return { answer, logs: answer.map(toPoolLog) }
    }
    const { crowd } = filter
    try {
      const { answer, logs: told } = await read(client)
      heard?.(answer, { from, to })
      if (now.blocks < wideBlocks)
        return { from, to, logs: mergeLogs(told, []), untold: [], isAskedOnce: true }
      const more = await readAgain(answer, read)
      const logs = mergeLogs(told, more?.logs ?? [])
      const both = more?.by && { ...more.by, told, witnessed: more.logs }
      // Where another endpoint is, the same one's word again is no second one.
      const isAskedOnce = !more || (!more.by && hasOthers(answer))
      return { from, to, logs, untold: [], isAskedOnce, ...(both && { both }) }
    } catch (error) {
      if (from < to || !crowd || !isCrowd(error)) return { from, to, error }
      const among = async (some: Omit<LogFilter, 'topics'>) => {
        const { answer, logs } = await read(client, some)
        heard?.(answer, { from, to })
        return logs
      }
      return readCrowded(among, crowd).then(
        (told) => ({ from, to, ...told, isAskedOnce: true }),
        (reason: unknown) => ({ from, to, error: reason }),
      )
    }
  }

  for (let wave = takeWave(); wave.length > 0; wave = takeWave()) {
    const answers = await Promise.all(wave.map(ask))
    const good = answers.filter((answer) => 'logs' in answer)
    for (const { logs } of good) {
      count += logs.length
      data += logs.reduce((sum, log) => sum + log.data.length, 0)
    }
    read.push(...good)
    now = widen(now, good)
    const parts: BlockRange[] = []
    for (const answer of answers) {
      if (!('error' in answer)) continue
      // Nodes limit the range by errors of many kinds: a shorter one tells.
      const refusal = findRefusal(answer.error)
      const narrower = isAway(answer.error) ? [] : narrowRange(answer, refusal)
      failure ??= narrower.length === 0 ? answer.error : undefined
      now = narrow(now, { parts: narrower, isFixed: refusal?.kind === 'range_too_wide' })
      parts.push(...narrower)
    }
    waiting = [...parts, ...waiting]
    if (failure !== undefined) break
  }
  const whole = listWhole(read, fromBlock)
  const last = whole.at(-1)?.to
  if (last === undefined) throw failure
  return {
    logs: sortLogs(whole.flatMap(({ logs }) => logs)),
    untold: whole.flatMap(({ untold }) => untold),
    alone: await listAlone(whole.flatMap(({ both }) => both ?? [])),
    isAskedOnce: whole.some(({ isAskedOnce }) => isAskedOnce),
    last,
    asked,
    span: now,
  }
}

const sizeOf = ({ from, to }: BlockRange) => Number(to - from) + 1

function widen({ blocks, most, growth }: Span, answered: readonly Answered[]): Span {
  if (answered.length === 0) return { blocks, most, growth }
  const seen = answered.reduce((sum, one) => sum + sizeOf(one), 0)
  const logs = answered.reduce((sum, one) => sum + one.logs.length, 0)
  const roomier = most * growth
  const wanted = Math.min(
    mostTimesWider * blocks,
    roomier,
    Math.floor((logsAtOnce * seen) / Math.max(1, logs)),
  )
  return { blocks: Math.max(1, Math.floor(wanted)), most: roomier, growth }
}

function narrow(
  { blocks, most, growth }: Span,
  { parts, isFixed }: { readonly parts: readonly BlockRange[]; readonly isFixed: boolean },
): Span {
  const newest = parts.at(-1)
  if (!newest) return { blocks, most, growth }
  const least = Math.min(most, sizeOf(newest))
  return { blocks: Math.min(blocks, least), most: least, growth: isFixed ? 1 : regrowth }
}

/** Those that no block is missing before. */
function listWhole(read: readonly Answered[], fromBlock: bigint): readonly Answered[] {
  const sorted = read.toSorted((one, other) => Number(one.from - other.from))
  let next = fromBlock
  return sorted.filter(({ from, to }) => {
    if (from !== next) return false
    next = to + 1n
    return true
  })
}
