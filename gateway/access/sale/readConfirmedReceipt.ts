import {
  type Hex,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { getBlock, getBlockNumber, getTransaction, getTransactionReceipt } from 'viem/actions'
import type { AccessChain } from './accessConfig.ts'
import { readFinalNumber } from './readFinalNumber.ts'

export type ReceiptReading =
  | {
      readonly status: 'confirmed'
      readonly receipt: TransactionReceipt
      readonly isFinal: boolean
    }
  | { readonly status: 'pending'; readonly confirmations: number }
  | { readonly status: 'unknown' }
  | { readonly status: 'unreachable'; readonly reason: string }

type Parameters = { readonly hash: Hex; readonly confirmations: number }

const flights = new WeakMap<AccessChain, Map<string, Promise<ReceiptReading>>>()

/**
 * Reads a receipt and trusts it only as far as its block is on the canonical chain under
 * `confirmations` blocks (its own included). Claims of one transaction at once share one reading.
 */
export function readConfirmedReceipt(
  chain: AccessChain,
  parameters: Parameters,
): Promise<ReceiptReading> {
  const running = flights.get(chain) ?? new Map<string, Promise<ReceiptReading>>()
  flights.set(chain, running)
  const id = `${parameters.hash} ${parameters.confirmations}`
  const known = running.get(id)
  if (known) return known
  const reading = readOnce(chain, parameters).finally(() => running.delete(id))
  running.set(id, reading)
  return reading
}

async function readOnce(
  chain: AccessChain,
  { hash, confirmations }: Parameters,
): Promise<ReceiptReading> {
  const { client } = chain
  try {
    const receipt = await getTransactionReceipt(client, { hash })
    if (receipt.transactionHash.toLowerCase() !== hash) return { status: 'unknown' }
    const [block, head, final] = await Promise.all([
      getBlock(client, { blockNumber: receipt.blockNumber }),
      getBlockNumber(client, { cacheTime: 0 }),
      readFinalNumber(chain),
    ])
    const depth = Number(head - receipt.blockNumber) + 1
    if (block.hash !== receipt.blockHash) return { status: 'pending', confirmations: 0 }
    if (depth < confirmations) return { status: 'pending', confirmations: Math.max(0, depth) }
    return { status: 'confirmed', receipt, isFinal: final >= receipt.blockNumber }
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return readPending(client, hash)
    // Names only: error texts of a transport carry the upstream's URL.
    return { status: 'unreachable', reason: (error as Error).name }
  }
}

async function readPending(client: AccessChain['client'], hash: Hex): Promise<ReceiptReading> {
  try {
    await getTransaction(client, { hash })
    return { status: 'pending', confirmations: 0 }
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return { status: 'unknown' }
    return { status: 'unreachable', reason: (error as Error).name }
  }
}
