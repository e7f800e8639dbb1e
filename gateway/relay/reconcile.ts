import { type Hex, hexToBigInt, numberToHex } from 'viem'
import type { RelayOutcome, RelayStore, RelayTransaction } from '../store/relay.ts'
import type { Broadcaster } from './broadcast.ts'
import type { Observe } from './events.ts'
import { pendingWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'
import { replaceStuck } from './replaceStuck.ts'
import { currentHash } from './signReservation.ts'

export type ReconcileDeps = {
  readonly store: RelayStore
  readonly chain: RelayChain
  readonly broadcaster: Broadcaster
  readonly now: () => number
  readonly observe: Observe
  /** Blocks on top after which a receipt is no longer rechecked. */
  readonly finalDepth?: number | undefined
}

/** A nonce used this many blocks ago by none of our hashes belongs to somebody else. */
const lostDepth = 2n
/** Mempools drop transactions; what has no receipt after this long is offered again. */
const resendAfterMs = 15_000

type Head = { readonly number: bigint; readonly nonce: number; readonly buriedNonce: number }
type Receipt = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly hash: Hex
  readonly succeeded: boolean
  readonly costWei: bigint
}

/**
 * One pass over a chain: settles what has a receipt, takes back what a reorg has dropped, sends again
 * (the same bytes) what the chain does not know, replaces what is stuck, and marks as lost what a
 * foreign transaction has overtaken.
 */
export async function reconcile(deps: ReconcileDeps): Promise<void> {
  const { store, chain } = deps
  const { chainId, signer } = chain
  const head = await readHead(chain)
  const forgotten = await store.listForgotten({
    chainId,
    signer: signer.address,
    chainNonce: head.nonce,
  })
  for (const transaction of forgotten) await takeBack(deps, transaction)
  const open = await store.listOpen(chainId)
  const receipts = await Promise.all(
    open.map(({ attempts }) => Promise.all(attempts.map(({ hash }) => readReceipt(chain, hash)))),
  )
  for (const [index, transaction] of open.entries()) {
    const receipt = receipts[index]?.find((found) => found !== undefined)
    if (receipt) await settleMined(deps, { transaction, receipt, head })
    else await follow(deps, { transaction, head })
  }
}

async function readHead({ client: { client }, signer }: RelayChain): Promise<Head> {
  const number = hexToBigInt(await client.request({ method: 'eth_blockNumber' }))
  const buried = number > lostDepth ? number - lostDepth : 0n
  // One batch, so one upstream: the nonces and the receipts after them are of the same view or newer.
  const [nonce, buriedNonce] = await Promise.all(
    [numberToHex(number), numberToHex(buried)].map((block) =>
      client.request({ method: 'eth_getTransactionCount', params: [signer.address, block] }),
    ),
  )
  return { number, nonce: Number(nonce), buriedNonce: Number(buriedNonce) }
}

async function readReceipt({ client: { client } }: RelayChain, hash: Hex) {
  const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (!receipt) return undefined
  const { gasUsed, effectiveGasPrice, status, blockNumber, blockHash } = receipt
  // OP stack receipts carry the data fee; viem's generic type does not know the field.
  const { l1Fee } = receipt as { readonly l1Fee?: Hex | null }
  const found: Receipt = {
    blockNumber: hexToBigInt(blockNumber),
    blockHash,
    hash,
    succeeded: status === '0x1',
    costWei: hexToBigInt(gasUsed) * hexToBigInt(effectiveGasPrice) + hexToBigInt(l1Fee ?? '0x0'),
  }
  return found
}

async function settleMined(
  { store, chain, observe, finalDepth = 64 }: ReconcileDeps,
  {
    transaction,
    receipt,
    head,
  }: { readonly transaction: RelayTransaction; readonly receipt: Receipt; readonly head: Head },
): Promise<void> {
  const { blockNumber, blockHash, hash, succeeded, costWei } = receipt
  const isFinal = head.number - blockNumber >= BigInt(finalDepth)
  const near = succeeded ? 'mined' : 'failed'
  const status = isFinal ? (succeeded ? 'final' : 'final_failed') : near
  if (status === transaction.status && blockHash === transaction.blockHash) return
  const outcome: RelayOutcome = {
    status,
    blockNumber,
    blockHash,
    minedHash: hash,
    actualWei: costWei,
  }
  await store.settle({ id: transaction.id, from: transaction.status, outcome })
  if (transaction.status === 'pending')
    observe({ kind: succeeded ? 'mined' : 'reverted', chainId: chain.chainId, hash })
}

async function takeBack(
  { store, chain, observe }: ReconcileDeps,
  transaction: RelayTransaction,
): Promise<void> {
  const { id, status } = transaction
  await store.settle({ id, from: status, outcome: { status: 'pending' } })
  observe({ kind: 'reorged', chainId: chain.chainId, hash: currentHash(transaction) })
}

/** No attempt has a receipt. */
async function follow(
  deps: ReconcileDeps,
  { transaction, head }: { readonly transaction: RelayTransaction; readonly head: Head },
): Promise<void> {
  const { store, chain, broadcaster, now, observe } = deps
  const { id, status, nonce } = transaction
  if (status !== 'pending') await takeBack(deps, transaction)
  if (nonce < head.buriedNonce) {
    await store.settle({ id, from: 'pending', outcome: { status: 'lost' } })
    observe({ kind: 'lost', chainId: chain.chainId, nonce, hash: currentHash(transaction) })
    return
  }
  if (nonce < head.nonce) return
  const isNext = nonce === head.nonce
  if (isNext && now() - transaction.markedAtMs >= pendingWindowMs) {
    const replaced = await replaceStuck(deps, transaction)
    if (replaced) return
  }
  const latest = transaction.attempts.at(-1) ?? transaction.attempts[0]
  const sentAtMs = broadcaster.sentAtMs(latest.hash)
  if (sentAtMs === undefined || now() - sentAtMs >= resendAfterMs) await broadcaster.send(latest)
}
