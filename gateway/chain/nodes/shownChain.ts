import { isHex } from 'viem'
import { type Reply, type RpcCall, readError, type Trouble } from './readReply.ts'

/** Which chain an endpoint serves, by what it says itself. */
export type ShownChain = {
  /** Whether it has shown the right one, and nothing speaks against it since. */
  isShown(): boolean
  /** Asks it; what is wrong where it does not show the right one. */
  ask(): Promise<Trouble | undefined>
  /** It may be another node, or another chain, than it was, unless it has shown its chain so lately. */
  doubt(shownWithinMs?: number): void
  /** What it serves instead of the expected one, as long as it does. */
  other(): number | undefined
}

/** Whoever is behind a URL may change its chain while all goes well. */
const believedForMs = 300_000

export function createShownChain({
  chainId,
  send,
  now,
}: {
  /** Undefined: whatever it serves is right. */
  readonly chainId: number | undefined
  readonly send: (calls: readonly RpcCall[]) => Promise<Reply>
  readonly now: () => number
}): ShownChain {
  let served: number | undefined
  let shownAtMs = Number.NEGATIVE_INFINITY
  let asking: Promise<Trouble | undefined> | undefined

  async function read(): Promise<Trouble | undefined> {
    const reply = await send([{ method: 'eth_chainId', params: [] }])
    const [answer] = reply.answers
    if (!answer) return reply.trouble
    if ('error' in answer) return readError(answer.error)
    // What is no number is no chain, though null could be read as one.
    const said = isHex(answer.result) ? Number(answer.result) : Number.NaN
    if (!Number.isSafeInteger(said)) return { kind: 'bad_answer' }
    served = said
    if (said !== chainId) return { kind: 'other_chain' }
    shownAtMs = now()
    return undefined
  }

  return {
    isShown: () =>
      chainId === undefined || (served === chainId && now() - shownAtMs <= believedForMs),
    ask() {
      asking ??= read().finally(() => {
        asking = undefined
      })
      return asking
    },
    doubt(shownWithinMs = 0) {
      if (now() - shownAtMs >= shownWithinMs) shownAtMs = Number.NEGATIVE_INFINITY
    },
    other: () => (served === chainId ? undefined : served),
  }
}
