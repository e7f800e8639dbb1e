import type { Hex } from 'viem'
import type { Observe } from './events.ts'
import type { RelayChain } from './relayChain.ts'

type Bytes = { readonly hash: Hex; readonly raw: Hex }

const offerMs = 3_000
const mostAtOnce = 16

/**
 * Sends committed bytes of one chain in the order asked: a sequencer without a mempool refuses a nonce that
 * comes before its predecessor. What is asked while some are on their way follows in one batch. Whatever the
 * node answers, the row stays and `reconcile` sends the same bytes again until a receipt settles it.
 */
export type Broadcaster = {
  send(bytes: Bytes): Promise<void>
  /** Like `send`, but lets go after three seconds: the bytes are durable, a slow node is no reason to wait. */
  offer(bytes: Bytes): Promise<void>
  /** When the node last took these bytes from this process. */
  sentAtMs(hash: Hex): number | undefined
  /** They are in the chain; should a reorg drop them, they are sent at once. */
  forget(hash: Hex): void
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
}

export function createBroadcaster(
  { client, chainId }: Pick<RelayChain, 'client' | 'chainId'>,
  { now, observe }: { readonly now: () => number; readonly observe: Observe },
): Broadcaster {
  const sentAt = new Map<Hex, number>()
  let waiting: Bytes[] = []
  let tail: Promise<void> = Promise.resolve()

  /** More than a node takes in one batch would travel side by side. */
  const batchCalls = () =>
    Math.min(mostAtOnce, ...client.limits().map((limits) => limits.batchCalls ?? mostAtOnce))

  /** Why the node has not taken it. */
  async function trySending({
    hash,
    raw,
  }: Bytes): Promise<{ readonly cause: unknown } | undefined> {
    try {
      await client.client.request({ method: 'eth_sendRawTransaction', params: [raw] })
      sentAt.set(hash, now())
      return undefined
    } catch (cause) {
      return { cause }
    }
  }

  async function sendOne(bytes: Bytes): Promise<void> {
    const refusal = await trySending(bytes)
    if (refusal) observe({ kind: 'broadcast_failed', chainId, hash: bytes.hash, ...refusal })
  }

  /** Parts of a batch may travel apart, and a nonce come before its predecessor: what was refused follows in order. */
  async function sendTogether(batch: readonly Bytes[]): Promise<void> {
    const refusals = await Promise.all(batch.map(trySending))
    for (const [index, bytes] of batch.entries()) if (refusals[index]) await sendOne(bytes)
  }

  async function sendWaiting(): Promise<void> {
    const all = waiting
    waiting = []
    while (all.length > 0) {
      const [first, ...others] = all.splice(0, batchCalls())
      if (first) await (others.length > 0 ? sendTogether([first, ...others]) : sendOne(first))
    }
  }

  function send(bytes: Bytes): Promise<void> {
    waiting.push(bytes)
    if (waiting.length === 1) tail = tail.then(sendWaiting)
    return tail
  }

  return {
    send,
    async offer(bytes) {
      let patience: NodeJS.Timeout | undefined
      const slow = new Promise<void>((resolve) => {
        patience = setTimeout(resolve, offerMs)
      })
      await Promise.race([send(bytes), slow])
      clearTimeout(patience)
    },
    forget: (hash) => void sentAt.delete(hash),
    sentAtMs: (hash) => sentAt.get(hash),
    idle: () => tail,
  }
}
