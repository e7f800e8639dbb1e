import type { Chain, Client, Hex, TransactionReceipt, Transport } from 'viem'
import {
  getBlockNumber,
  getTransactionReceipt,
  type WaitForTransactionReceiptParameters,
  type WatchBlockNumberParameters,
  waitForTransactionReceipt,
} from 'viem/actions'
import { pause } from './pause.ts'

/**
 * Until it is in a block. viem looks again at each new block, but passes over one that is made while it still
 * looks at the last; a chain that mines on demand makes no other then. Here none is passed over, and where there
 * is no new one the receipt itself is asked for.
 */
export function waitForReceipt<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  wanted: WaitForTransactionReceiptParameters<chain>,
): Promise<TransactionReceipt> {
  const { hash, pollingInterval = client.pollingInterval } = wanted
  const watchBlockNumber = ({
    onBlockNumber,
  }: Pick<WatchBlockNumberParameters, 'onBlockNumber'>) => {
    const leaving = new AbortController()
    void watch(client, { onBlockNumber, hash, pollingInterval, signal: leaving.signal })
    return () => leaving.abort()
  }
  return waitForTransactionReceipt(
    client.extend(() => ({ watchBlockNumber })),
    wanted,
  )
}

/** Tells of the head where it is new or the receipt can be had, one at a time. */
async function watch(
  client: Client<Transport, Chain | undefined>,
  {
    onBlockNumber,
    hash,
    pollingInterval,
    signal,
  }: Pick<WatchBlockNumberParameters, 'onBlockNumber'> & {
    readonly hash: Hex
    readonly pollingInterval: number
    readonly signal: AbortSignal
  },
): Promise<void> {
  let last: bigint | undefined
  while (!signal.aborted) {
    try {
      const head = await getBlockNumber(client, { cacheTime: 0 })
      const isTold = head !== last || (await isMined(client, hash))
      // viem's answer is a promise, whatever its type says.
      if (isTold && !signal.aborted) await onBlockNumber(head, last)
      last = head
    } catch {
      // Asked again after the pause, until viem's time is over.
    }
    await pause(pollingInterval, signal).catch(() => undefined)
  }
}

const isMined = (client: Client<Transport, Chain | undefined>, hash: Hex) =>
  getTransactionReceipt(client, { hash }).then(
    () => true,
    // Not yet, or it could not be asked for: the next look tells.
    () => false,
  )
