import type { Hex } from 'viem'
import type { HeadSocket } from '../../chain/nodes/headSocket.ts'
import type { BlockHead } from '../reads/readHead.ts'
import type { BlockClock } from './blockClock.ts'

/** Looks follow one another no faster, whatever is told; those in vain as slowly as without being told. */
export const shortestMs = 100
/** Where heads are told of, a look whether one was missed. */
const quietMs = 2_000
/** A head may be found a moment before it is told of. */
const graceMs = 2_000
/** Whoever has not told of a head for so long is deaf, or a node that lags; or tells of what nobody finds. */
const deafMs = 15_000

type Listen = (over: () => void) => (() => void) | undefined
type Noted = { readonly number: number; readonly atMs: number }

/**
 * When the node is asked for its head again: as soon as another one is told of, else when the next one is due,
 * or after a while. What is told is a hint: the block is read, and held against its parent's hash, either way.
 */
export function createHeadTicks({
  heads,
  clock,
  pollMs,
  signal,
  now,
}: {
  readonly heads: HeadSocket | undefined
  /** Of a chain with a pace. */
  readonly clock?: BlockClock | undefined
  readonly pollMs: number
  readonly signal: AbortSignal
  readonly now: () => number
}) {
  /** Found by a look, and not told of so far. */
  let untold: Noted | undefined
  /** Told of, and not found so far. */
  let unfound: Noted | undefined
  let seen: number | undefined
  /** Looks for a head that was told of, since the last one that found another block. */
  let vain = 0
  let found: Hex | undefined

  function compare(head: BlockHead | undefined): void {
    if (!heads || !head) return
    const number = Number(head.number)
    const highest = heads.told()?.highest ?? -1
    if (untold && highest >= untold.number) untold = undefined
    if (seen !== undefined && number > Math.max(seen, highest)) untold ??= { number, atMs: now() }
    seen = number
    if (unfound && number >= unfound.number) unfound = undefined
    if (highest > number) unfound ??= { number: highest, atMs: now() }
    if (![untold, unfound].some((noted) => noted && now() - noted.atMs >= deafMs)) return
    heads.doubt()
    untold = undefined
    unfound = undefined
  }

  const isTelling = () =>
    heads?.told() !== undefined && (untold === undefined || now() - untold.atMs < graceMs)

  function isNews(head: BlockHead | undefined): boolean {
    const told = heads?.told()
    if (!told) return false
    return !head || (told.number >= Number(head.number) && told.hash !== head.hash)
  }

  /** Until a head is told of that is not the one that is held. */
  async function hear(head: BlockHead | undefined, ms: number): Promise<void> {
    if (!isNews(head))
      await pause(ms, (over) =>
        heads?.listen(() => {
          if (isNews(head)) over()
        }),
      )
  }

  /** For so long, or until it is over; by a timer that tests can move. */
  async function pause(ms: number, listen?: Listen): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = () => resolve()
    const timer = setTimeout(over, ms)
    const stop = listen?.(over)
    signal.addEventListener('abort', over, { once: true })
    await promise
    clearTimeout(timer)
    stop?.()
    signal.removeEventListener('abort', over)
  }

  /** Of a block that is overdue, and where nobody can tell, at the usual pace. */
  function untilDueMs(): number {
    const leftMs = (clock?.lookAtMs(pollMs) ?? 0) - now()
    return leftMs > 0 ? Math.ceil(leftMs) : pollMs
  }

  return {
    /** Resolves when it is time to look again, or over. `head` is what the last look has left. */
    async next(head: BlockHead | undefined): Promise<void> {
      compare(head)
      vain = head?.hash === found ? vain : 0
      found = head?.hash
      const mostMs = isTelling() ? Math.max(pollMs, quietMs) : untilDueMs()
      const restMs = Math.min(shortestMs * 2 ** vain, Math.max(shortestMs, pollMs), mostMs)
      await pause(restMs)
      await hear(head, mostMs - restMs)
      if (isNews(head)) vain += 1
    },
    close: () => heads?.close(),
  }
}
