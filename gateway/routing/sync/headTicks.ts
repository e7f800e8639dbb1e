import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { HeadSocket } from '../../chain/nodes/headSocket.ts'
import type { BlockHead } from '../reads/readHead.ts'

/** Looks follow one another no faster, whatever is told; those in vain as slowly as without being told. */
const shortestMs = 100
/** Where heads are told of, a look whether one was missed. */
const quietMs = 2_000
/** A head may be found a moment before it is told of. */
const graceMs = 2_000
/** Whoever has not told of a head for so long is deaf, or a node that lags; or tells of what nobody finds. */
const deafMs = 15_000

type Noted = { readonly number: number; readonly atMs: number }

/**
 * When the node is asked for its head again: as soon as another one is told of, else after a while. What is
 * told is a hint: the block is read, and held against its parent's hash, either way.
 */
export function createHeadTicks({
  heads,
  pollMs,
  signal,
  now,
}: {
  readonly heads: HeadSocket | undefined
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
    if (isNews(head)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = () => resolve()
    const timer = setTimeout(over, ms)
    const stop = heads?.listen(() => {
      if (isNews(head)) resolve()
    })
    signal.addEventListener('abort', over, { once: true })
    await promise
    clearTimeout(timer)
    stop?.()
    signal.removeEventListener('abort', over)
  }

  return {
    /** Resolves when it is time to look again, or over. `head` is what the last look has left. */
    async next(head: BlockHead | undefined): Promise<void> {
      compare(head)
      vain = head?.hash === found ? vain : 0
      found = head?.hash
      const mostMs = isTelling() ? Math.max(pollMs, quietMs) : pollMs
      const restMs = Math.min(shortestMs * 2 ** vain, Math.max(shortestMs, pollMs), mostMs)
      await wait(restMs, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await hear(head, mostMs - restMs)
      if (isNews(head)) vain += 1
    },
    close: () => heads?.close(),
  }
}
