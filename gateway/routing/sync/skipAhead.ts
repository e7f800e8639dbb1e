import type { Chain, Client, Transport } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { poolIdOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { chunk } from '../reads/chunk.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { type LogPart, type PartBounds, readLogPart, type Span } from '../reads/rangeLogs.ts'
import { type BlockHead, type LogFilter, readToldBlock } from '../reads/readHead.ts'
import { applyLogs } from './applyLogs.ts'
import type { AskedOnce } from './askedOnce.ts'
import type { PoolBounds } from './bounds/poolBounds.ts'
import { type Ancestor, findAncestor, type PassedBlock, rememberedBlocks } from './findAncestor.ts'
import { listCreations } from './findCreated.ts'
import { type FollowedPools, listNews } from './followedPools.ts'
import { listUntold } from './listening.ts'
import { createTellers } from './tellers.ts'
import type { TokenBook } from './tokenBook.ts'
import type { TroubledPools } from './troubledPools.ts'

type Deps = {
  readonly client: Client<Transport, Chain>
  readonly others?: ChainClient['others']
  readonly tellerOf?: ChainClient['tellerOf']
  readonly dexes: readonly Dex[]
  readonly tokens: Pick<TokenBook, 'hasAll'>
  readonly troubled?: TroubledPools | undefined
  readonly bounds?: PoolBounds | undefined
  readonly partBounds?: PartBounds | undefined
  readonly askedOnce?: Pick<AskedOnce, 'note'> | undefined
}

/** What a long gap makes of the pools, as far as its logs are read: nobody quotes from it. */
export type Ahead = {
  /** Up to this block. */
  readonly anchor: Ancestor
  /** What it is laid over. */
  readonly pools: FollowedPools
  /** Where blocks of ours are orphaned: the newest that is not. */
  readonly reorgedFrom: bigint | undefined
  readonly changed: ReadonlyMap<string, PoolRecord>
  /** Ids of pools of which only another read can tell. */
  readonly stale: ReadonlySet<string>
  /** Of those that had any event. */
  readonly moved: ReadonlySet<string>
  readonly creations: readonly PoolLog[]
  /** The last block of each part. */
  readonly passed: readonly PassedBlock[]
  readonly span: Span | undefined
  /** Of the last part. */
  readonly blocks: bigint
}

/** Left to be read one by one: deeper than the chains' reorganisations, and than their nodes lag. */
const nearBlocks = 32n
/** What came meanwhile, where it is hardly more than a part costs by itself: eight calls, five one after the other. */
const fewBlocks = 16n
/**
 * With more questions left than this for each pool all is read anew, which is five times cheaper by then: 0.7 calls
 * a pool, and providers count a question as 2.3 calls. Below the least the smallest tier of 500 units a second has
 * answered within four minutes.
 */
const mostQuestionsEach = 1.5
const leastQuestions = 2_000
/** Some microseconds each: quotes of other chains go on in between. */
const appliedAtOnce = 500
/** Anybody may make as many pools as he pays for: of more the newest count. */
const mostCreations = 10_000

export function beginAhead(
  pools: FollowedPools,
  {
    anchor,
    reorgedFrom,
    stale,
  }: Pick<Ahead, 'anchor' | 'reorgedFrom'> & { readonly stale: Iterable<string> },
): Ahead {
  const none = { changed: new Map(), moved: new Set<string>(), creations: [], passed: [] }
  const first = { span: undefined, blocks: 0n }
  return { anchor, pools, reorgedFrom, stale: new Set(stale), ...none, ...first }
}

/** Whether another part is worth it: one of a chain that runs on as fast as it is read has no end. */
export function isFarAhead({ anchor, blocks }: Ahead, head: BlockHead): boolean {
  const left = head.number - anchor.number - nearBlocks
  return left > nearBlocks || (left > fewBlocks && 2n * left <= blocks)
}

/**
 * Another part of a long gap, laid over those before; its newest blocks are left. `groundless`: the node told
 * of a head below which it has nothing. `shifting`: its blocks were others before than after.
 */
export async function skipAhead(
  deps: Deps,
  {
    ahead,
    head,
    filter,
  }: { readonly ahead: Ahead; readonly head: BlockHead; readonly filter: LogFilter },
): Promise<Ahead | 'groundless' | 'shifting' | 'costly'> {
  const end = head.number - nearBlocks
  // Before the logs: those of a far false head look like too much to read.
  const ground = await readToldBlock(deps, end)
  if (!ground) return 'groundless'
  const fromBlock = ahead.anchor.number + 1n
  const range = { filter, fromBlock, toBlock: end, toHash: ground.head.hash }
  const limits = { span: ahead.span, bounds: deps.partBounds }
  const { told, heard } = createTellers(deps.tellerOf)
  const part = await readLogPart({ ...deps, heard }, { ...range, ...limits })
  const { last, asked, span } = part
  // None of them is of a block that was orphaned meanwhile: then one above it would be, too.
  const ending = readToldBlock(deps, end)
  const blocks = await Promise.all([
    readToldBlock(deps, ahead.anchor.number),
    last === end ? ending : readToldBlock(deps, last),
    ending,
  ])
  const [before, anchor, after] = blocks.map((block) => block?.head)
  const isSteady = before?.hash === ahead.anchor.hash && after?.hash === ground.head.hash
  if (!anchor || !isSteady) return 'shifting'
  const blocksAtOnce = Math.max(span.blocks, Number(last - ahead.anchor.number) / asked)
  const questionsLeft = Number(end - last) / blocksAtOnce
  const most = Math.max(leastQuestions, mostQuestionsEach * ahead.pools.size)
  if (questionsLeft > most) return 'costly'
  const followed = part.logs.filter((log) => ahead.pools.has(poolIdOf(log)))
  if (part.isAskedOnce)
    await deps.askedOnce?.note({
      logs: followed,
      span,
      fromBlock,
      toBlock: last,
      wasFollowed: ahead.pools.has,
      tellers: told,
    })
  const unheard = listUntold(part.untold, [...ahead.pools.values()])
  const stale = new Set([...ahead.stale, ...unheard.map(({ id }) => id)])
  return { ...(await lay(deps, { ahead: { ...ahead, stale }, part, anchor })), span }
}

async function lay(
  deps: Deps,
  {
    ahead,
    part: { logs, alone },
    anchor: { number, hash },
  }: { readonly ahead: Ahead; readonly part: LogPart; readonly anchor: Ancestor },
): Promise<Ahead> {
  const { pools } = ahead
  const stale = new Set([...ahead.stale, ...alone.map(poolIdOf)])
  const changed = new Map(ahead.changed)
  const known = { get: (id: string) => changed.get(id) ?? pools.get(id) }
  for (const some of chunk(logs, appliedAtOnce)) {
    const news = applyLogs({ state: { pools: known }, logs: some, stale })
    for (const [id, record] of news) changed.set(id, record)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  for (const id of stale) changed.delete(id)
  const heard = new Set(logs.map(poolIdOf))
  for (const id of heard) {
    deps.bounds?.stir(id)
    if (!pools.has(id)) deps.troubled?.wake(id)
  }
  const moved = [...heard].filter(pools.has)
  // How many pools change in so many blocks tells of no single one.
  const part = { number, hash, changed: moved, falseShare: 0 }
  return {
    ...ahead,
    anchor: { number, hash },
    blocks: number - ahead.anchor.number,
    changed,
    stale,
    moved: new Set([...ahead.moved, ...moved]),
    creations: [...ahead.creations, ...listCreations(deps, logs)].slice(-mostCreations),
    passed: [...ahead.passed, part].slice(-rememberedBlocks),
  }
}

/**
 * The same where the chain still has its blocks, over the pools as they are now; undefined where nothing of it
 * stands.
 */
export async function findStanding(
  deps: Pick<Deps, 'client'>,
  {
    ahead,
    pools,
    head,
  }: { readonly ahead: Ahead; readonly pools: FollowedPools; readonly head: BlockHead },
): Promise<Ahead | 'lagging' | undefined> {
  const { anchor: newest, passed } = ahead
  const anchor = await findAncestor(deps, { newest, passed, head })
  if (!anchor || anchor === 'lagging') return anchor
  const orphaned = passed.filter(({ number }) => number > anchor.number)
  // What came or was put right meanwhile was read at a block before these.
  const others = listNews(pools, ahead.pools).map(({ id }) => id)
  const undone = new Set([...orphaned.flatMap(({ changed }) => changed), ...others])
  const isKept = (id: string) => pools.has(id) && !undone.has(id)
  return {
    ...ahead,
    anchor,
    pools,
    changed: new Map([...ahead.changed].filter(([id]) => isKept(id))),
    stale: new Set([...ahead.stale, ...undone]),
    passed: passed.filter(({ number }) => number <= anchor.number),
  }
}
