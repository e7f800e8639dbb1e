import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { createRecentTurns, memoryMs } from '../routing/recentTurns.ts'
import { forgetStale } from '../runtime/forgetStale.ts'

/** Resolves when its turn has come, or the signal has fired. */
export type TakeTurn = (p: {
  readonly caller: string | undefined
  /** Whom the caller is one of many of: a site's addresses and keys have turns together. Default: the caller. */
  readonly site?: string | undefined
  /** Whoever asks has had an answer, which becomes older meanwhile. */
  readonly isRefresh?: boolean | undefined
  /** Of the nodes that will be asked. */
  readonly chainId: number
  readonly signal: AbortSignal
}) => Promise<void>

type Waiter = {
  readonly caller: string
  readonly site: string
  readonly line: Line
  readonly cameAtMs: number
  readonly begin: () => void
}

type Line = {
  readonly chainId: number
  readonly isRefresh: boolean
  readonly waiting: Set<Waiter>
  /** Undefined: it is to be found. */
  first: Waiter | undefined
  /** When a turn of it began last. */
  begunAtMs: number
}

/**
 * Asking all sources once is some milliseconds of the loop, again when they answer, and everybody else's
 * requests wait meanwhile. So the next begins when the loop had time since the last one did. Callers and sites go
 * round, and whoever comes is where the others are: a crowd stands behind itself, and so does whoever asks by many
 * addresses or keys, but nobody is owed turns for having asked nothing. In a round that caller is first whose last
 * turn, its own or one of its site, was longest ago: by how many they had of late, a crowd that has just come would
 * be before whoever asks once a second, until it had as many. Nobody's was longer ago than a second before it came:
 * where more ask once a minute than there are turns for, they would be before whoever asks once a second for ever.
 * For the same reason no round lasts longer than that, however many come into it.
 * The fewer turns they had, the less a loop that does not rest is waited for: many who ask once in a while would
 * never all have theirs. So it is with what a chain's nodes may be asked (`roomOf`): calls beyond that wait in the
 * order in which they come, whoever asks, so a crowd leaves half of it to those who ask seldom. Each chain's lines wait
 * for its own nodes, and for a second at most: who may begin is before whoever has to wait.
 * First answers and refreshes are two lines and take turns, since whoever waits for its first one has nothing
 * meanwhile, and refreshes are as many as there are streams; but whoever asks all the time has no turn for its line's
 * sake. Who waits would be under way otherwise, and take more: no bound is needed.
 */
export function createTurns({
  now = () => performance.now(),
  roomOf = () => 1,
  whenRested = restLoop,
}: {
  readonly now?: (() => number) | undefined
  /** What of a chain's calls may be made at once, of the most that ever may: 0 to 1. */
  readonly roomOf?: ((chainId: number) => number) | undefined
  /**
   * Called after each beginning; `patience`, 0 to 1, tells at each look how much of a rest is waited for, and `hasRoom`
   * whether whoever is next may be let at what is left of its chain's calls, or has waited for them long enough.
   */
  readonly whenRested?:
    | ((patience: () => number, hasRoom: () => boolean) => Promise<void>)
    | undefined
} = {}): TakeTurn {
  const [ofCallers, ofSites] = [createRecentTurns(), createRecentTurns()]
  const rounds = { ofCallers: createRounds(), ofSites: createRounds() }
  const lines: Line[] = []
  /** Whether the turn that began last was a refresh. */
  let wasRefresh = true
  let isRunning = false
  /** The round of the turn that began last; where nobody waits any more, the one after all that were begun. */
  let round = 0
  let latest = 0
  let roundSinceMs = 0

  /** Its own or those of its site. */
  const readHad = ({ caller, site }: Waiter, nowMs: number) =>
    Math.max(ofCallers.had(caller, nowMs), ofSites.had(site, nowMs))
  const roundOf = ({ caller, site }: Waiter) =>
    Math.max(round, rounds.ofCallers.get(caller) ?? 0, rounds.ofSites.get(site) ?? 0)
  const isCrowd = (waiter: Waiter) => readHad(waiter, now()) > turnsOfBusy / 2
  const patienceOf = (waiter: Waiter, nowMs: number) =>
    Math.min(1, readHad(waiter, nowMs) / turnsOfBusy)
  /** Whether what is left of its chain's calls is for it as well, or was waited for long enough. */
  function mayBegin(waiter: Waiter): boolean {
    const { line, cameAtMs } = waiter
    const room = roomOf(line.chainId)
    if (room >= keptRoom) return true
    const nowMs = now()
    const most = patienceOf(waiter, nowMs)
    const waitedMs = nowMs - Math.max(cameAtMs, line.begunAtMs)
    return room >= keptRoom * most || waitedMs >= longestRoomMs * most
  }
  function rankOf(waiter: Waiter): Rank {
    const { caller, site, cameAtMs } = waiter
    const earliest = cameAtMs - newcomerMs
    const own = Math.max(ofCallers.lastAtMs(caller) ?? earliest, earliest)
    return [roundOf(waiter), Math.max(own, ofSites.lastAtMs(site) ?? own), own]
  }

  function firstOf(line: Line): Waiter | undefined {
    line.first ??= pick(line.waiting, rankOf)
    return line.first
  }
  /** Of all chains: who may begin, or else everybody. */
  function firstsOf(isRefresh: boolean): readonly Waiter[] {
    const firsts = lines.flatMap((line) =>
      line.isRefresh === isRefresh ? (firstOf(line) ?? []) : [],
    )
    const able = firsts.filter(mayBegin)
    return able.length > 0 ? able : firsts
  }
  function findNext(): Waiter | undefined {
    const [first, second] = [!wasRefresh, wasRefresh].map((isRefresh) => {
      const firsts = firstsOf(isRefresh)
      return firsts.length > 1 ? pick(firsts, rankOf) : firsts[0]
    })
    if (!first || !second) return first ?? second
    const isAble = mayBegin(first)
    if (isAble !== mayBegin(second)) return isAble ? first : second
    // Whoever is a crowd by itself stands for no line.
    return isCrowd(first) && !isCrowd(second) ? second : first
  }

  /** Of whoever is next in line; whoever may come yet is waited for as the busiest are. */
  function patience(): number {
    const next = findNext()
    return next ? patienceOf(next, now()) : 1
  }

  function goTo(next: number, nowMs: number): void {
    if (next === round) return
    round = next
    roundSinceMs = nowMs
  }

  async function run(): Promise<void> {
    isRunning = true
    for (let next = findNext(); next; next = findNext()) {
      const nowMs = now()
      ofCallers.note(next.caller, nowMs)
      ofSites.note(next.site, nowMs)
      goTo(nowMs - roundSinceMs > longestRoundMs ? latest : roundOf(next), nowMs)
      latest = Math.max(latest, round + 1)
      noteRound(rounds.ofCallers, next.caller, round)
      noteRound(rounds.ofSites, next.site, round)
      const { line: begun } = next
      begun.begunAtMs = nowMs
      wasRefresh = begun.isRefresh
      // Of whoever waits in another line, too, the rank is another one now.
      for (const line of lines) line.first = undefined
      next.begin()
      await whenRested(patience, () => {
        const after = findNext()
        if (after) return mayBegin(after)
        // Whoever comes may be a crowd.
        return roomOf(begun.chainId) >= keptRoom || now() - nowMs >= longestRoomMs
      })
    }
    goTo(latest, now())
    isRunning = false
  }

  function lineOf(chainId: number, isRefresh: boolean): Line {
    const known = lines.find((line) => line.chainId === chainId && line.isRefresh === isRefresh)
    if (known) return known
    const waiting = new Set<Waiter>()
    const line = { chainId, isRefresh, waiting, first: undefined, begunAtMs: now() }
    lines.push(line)
    return line
  }

  return ({ caller = '', site = caller, isRefresh = false, chainId, signal }) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const line = lineOf(chainId, isRefresh)
      function begin() {
        line.waiting.delete(waiter)
        if (waiter === line.first) line.first = undefined
        signal.removeEventListener('abort', begin)
        resolve()
      }
      const waiter: Waiter = { caller, site, line, cameAtMs: now(), begin }
      line.waiting.add(waiter)
      if (line.first && isBefore(rankOf(waiter), rankOf(line.first))) line.first = waiter
      signal.addEventListener('abort', begin)
      if (!isRunning) void run()
    })
}

const mostRemembered = 10_000
/** Whoever was never here, or not for longer, is as one who asks once a second. */
const newcomerMs = 1_000
/** Then last turns alone decide: a round into which ever more come would keep those who had theirs from another. */
const longestRoundMs = 1_000
/** The round in which each is next. */
const createRounds = () => new LRUCache<string, number>({ max: mostRemembered })

function noteRound(rounds: LRUCache<string, number>, name: string, round: number): void {
  rounds.set(name, round + 1)
  forgetStale(rounds, (next) => next <= round)
}

/** The round, when the last turn that counts in it was, and, at one site, the caller's own. */
type Rank = readonly [round: number, last: number, own: number]

function isBefore(rank: Rank, other: Rank): boolean {
  const differing = rank.findIndex((part, index) => part !== other[index])
  return differing >= 0 && (rank[differing] ?? 0) < (other[differing] ?? 0)
}

/** Of equal ones who has waited longest. */
function pick(waiting: Iterable<Waiter>, rankOf: (waiter: Waiter) => Rank): Waiter | undefined {
  let best: Waiter | undefined
  let least: Rank = [Number.POSITIVE_INFINITY, 0, 0]
  for (const waiter of waiting) {
    const rank = rankOf(waiter)
    if (!isBefore(rank, least)) continue
    best = waiter
    least = rank
  }
  return best
}

const lookEveryMs = 5
/** The part of the time in which it may have worked. */
const mostBusy = 0.75
/** What others do may keep it busy for longer. */
const longestMs = 200
/** Turns of late of whoever waits for all of that: five a second. Who asks once a second waits for a fifth. */
const turnsOfBusy = (5 * memoryMs) / 1_000

/** Of what a chain's nodes may be asked: a crowd begins nothing while less is left. */
const keptRoom = 0.5
/** Whoever had many turns of late waits so long for it: calls come back with time, whatever keeps the loop busy. */
const longestRoomMs = 1_000

/** Resolves when there is room, and the loop had some rest since now or was waited for as long as patience has it. */
async function restLoop(patience: () => number, hasRoom: () => boolean): Promise<void> {
  const startedAtMs = performance.now()
  const before = performance.eventLoopUtilization()
  do await wait(lookEveryMs)
  while (
    !hasRoom() ||
    (performance.eventLoopUtilization(before).utilization > mostBusy &&
      performance.now() - startedAtMs < longestMs * patience())
  )
}
