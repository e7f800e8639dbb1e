import { type Address, type Hex, hexToBigInt, numberToHex } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import { isSameAddress } from '../chain/sameAddress.ts'
import { readCounts } from '../signing/proveNonce.ts'
import type { RelayOutcome, RelayStore } from '../store/relay.ts'
import type { RelayTransaction } from '../store/relayTransaction.ts'
import type { Broadcaster } from './broadcast.ts'
import type { Observe } from './events.ts'
import type { RelayChain } from './relayChain.ts'
import { replaceStuck } from './replaceStuck.ts'
import { currentHash } from './signReservation.ts'

export type ReconcileDeps = {
  readonly store: RelayStore
  readonly chain: RelayChain
  readonly broadcaster: Broadcaster
  readonly now: () => number
  readonly observe: Observe
  /** Blocks on top after which a receipt is no longer rechecked, and a nonce used elsewhere is gone for good. */
  readonly finalDepth?: number | undefined
  /** Kept from pass to pass: the head at which a row's nonce was first seen used without a receipt. */
  readonly overtakenAt: Map<number, bigint>
  /** Kept from pass to pass: when a row's replacement was last tried, so that a refused one waits. */
  readonly replacedAtMs: Map<number, number>
}

/** Blocks that no reorganisation takes off again, where nothing else is said. */
const usualFinalDepth = 64
const partSize = 16
/** Mempools drop transactions; what has no receipt after this long is offered again. */
const resendAfterMs = 15_000

type Head = { readonly number: bigint; readonly nonce: number }
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
 * foreign transaction has overtaken while its owner has no proxy. What a former key has signed is followed by
 * that key's nonce, and let go when it is not mined in its window: this key could never replace it. Tells the
 * nonce that the chain waits for.
 */
export async function reconcile(deps: ReconcileDeps): Promise<number> {
  const { store, chain } = deps
  const { chainId, signer } = chain
  const head = await readHead(chain, signer.address)
  const { free, forgotten } = await findForgotten(deps, head)
  for (const transaction of forgotten) await takeBack(deps, transaction)
  const open = await store.listOpen(chainId)
  await checkAll(deps, { head, transactions: open.filter((one) => isOurs(chain, one)) })
  const former = open.filter((one) => !isOurs(chain, one))
  for (const address of new Set(former.map((one) => one.signer)))
    await checkAll(deps, {
      head: await readHead(chain, address),
      transactions: former.filter((one) => one.signer === address),
    })
  return free
}

/**
 * What was settled for good and whose nonce is free again: by two nodes, where two answer, against our own book. A
 * lone one's word is taken for a part at a time, the lowest nonces first, for which the chain waits.
 */
async function findForgotten({ store, chain }: ReconcileDeps, { nonce: claimed }: Head) {
  const { chainId, client } = chain
  const signer = chain.signer.address
  const settled = await store.listForgotten({ chainId, signer, chainNonce: claimed })
  if (settled.length === 0) return { free: claimed, forgotten: settled }
  const counts = await readCounts(client.witnesses ?? [], signer)
  const free = Math.max(claimed, counts.at(-2) ?? claimed)
  return { free, forgotten: settled.filter(({ nonce }) => nonce >= free).slice(0, partSize) }
}

const isOurs = ({ signer: { address } }: RelayChain, { signer }: RelayTransaction) =>
  isSameAddress(signer, address)

type Checked = { readonly head: Head; readonly transactions: readonly RelayTransaction[] }

async function checkAll(deps: ReconcileDeps, { head, transactions }: Checked): Promise<void> {
  const isPending = ({ status }: RelayTransaction) => status === 'pending'
  // What is not in the chain yet comes first: it may hold others up.
  await check(deps, { head, transactions: transactions.filter(isPending) })
  await check(deps, { head, transactions: transactions.filter((one) => !isPending(one)) })
}

/** In parts, each settled before the next is read: a process that dies often still gets on. */
async function check(deps: ReconcileDeps, { head, transactions }: Checked): Promise<void> {
  for (let start = 0; start < transactions.length; start += partSize) {
    const part = transactions.slice(start, start + partSize)
    const receipts = await Promise.all(
      part.map(({ attempts }) =>
        Promise.all(attempts.map(({ hash }) => readReceipt(deps.chain.client.client, hash))),
      ),
    )
    for (const [index, transaction] of part.entries()) {
      const receipt = receipts[index]?.find((found) => found !== undefined)
      if (receipt) await settleMined(deps, { transaction, receipt, head })
      else await follow(deps, { transaction, head })
    }
  }
}

async function readHead({ client: { client } }: RelayChain, signer: Address): Promise<Head> {
  // One batch, so one upstream; the receipts read after it are of the same view or a newer one.
  const [number, nonce] = await Promise.all([
    client.request({ method: 'eth_blockNumber' }),
    client.request({ method: 'eth_getTransactionCount', params: [signer, 'latest'] }),
  ])
  return { number: hexToBigInt(number), nonce: Number(nonce) }
}

async function readReceipt(client: ChainClient['client'], hash: Hex) {
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
  deps: ReconcileDeps,
  {
    transaction,
    receipt,
    head,
  }: { readonly transaction: RelayTransaction; readonly receipt: Receipt; readonly head: Head },
): Promise<void> {
  const { store, chain, observe } = deps
  const { blockNumber, blockHash, hash, succeeded, costWei } = receipt
  forget(deps, transaction)
  const near = succeeded ? 'mined' : 'failed'
  const isDeep = isFinal(deps, { since: blockNumber, head })
  const status = isDeep ? (succeeded ? 'final' : 'final_failed') : near
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

const isFinal = (
  { finalDepth = usualFinalDepth }: ReconcileDeps,
  { since, head }: { readonly since: bigint; readonly head: Head },
) => head.number - since >= BigInt(finalDepth)

/** What earlier passes saw of it says nothing any more, should it come back. */
function forget(
  { broadcaster, overtakenAt, replacedAtMs }: ReconcileDeps,
  { id, attempts }: RelayTransaction,
): void {
  overtakenAt.delete(id)
  replacedAtMs.delete(id)
  for (const { hash } of attempts) broadcaster.forget(hash)
}

async function takeBack(
  { store, chain, observe }: ReconcileDeps,
  transaction: RelayTransaction,
): Promise<void> {
  const { id, status } = transaction
  if (await store.settle({ id, from: status, outcome: { status: 'pending' } }))
    observe({ kind: 'reorged', chainId: chain.chainId, hash: currentHash(transaction) })
}

/** No attempt has a receipt. */
async function follow(
  deps: ReconcileDeps,
  { transaction, head }: { readonly transaction: RelayTransaction; readonly head: Head },
): Promise<void> {
  const { broadcaster, now } = deps
  const { status, nonce } = transaction
  if (status !== 'pending') await takeBack(deps, transaction)
  if (nonce < head.nonce) {
    await watchOvertaken(deps, { transaction, head })
    return
  }
  deps.overtakenAt.delete(transaction.id)
  if (!isOurs(deps.chain, transaction) && isPastWindow(deps, transaction)) {
    await settleUnseen(deps, { transaction, kind: 'retired' })
    return
  }
  if (nonce === head.nonce && isReplacementDue(deps, transaction)) {
    deps.replacedAtMs.set(transaction.id, now())
    if (await replaceStuck(deps, transaction)) return
  }
  const latest = transaction.attempts.at(-1) ?? transaction.attempts[0]
  const sentAtMs = broadcaster.sentAtMs(latest.hash)
  if (sentAtMs === undefined || now() - sentAtMs >= resendAfterMs) await broadcaster.send(latest)
}

const isPastWindow = ({ chain }: ReconcileDeps, { markedAtMs }: RelayTransaction) =>
  chain.clock.now() - markedAtMs >= chain.limits.pendingWindowMs

function isReplacementDue(deps: ReconcileDeps, transaction: RelayTransaction): boolean {
  const triedAtMs = deps.replacedAtMs.get(transaction.id) ?? Number.NEGATIVE_INFINITY
  return isPastWindow(deps, transaction) && deps.now() - triedAtMs >= resendAfterMs
}

/**
 * The nonce is used, and none of our hashes has a receipt: a lagging node, one that has let go of it, or
 * somebody else's doing. It is told once what used the nonce is final: let go before, its owner would be
 * given a second deployment, and a reorganisation could bring the first one back beside it. Counted by
 * watching, not by reading old state: nodes prune that, and local chains start without it.
 */
async function watchOvertaken(
  deps: ReconcileDeps,
  { transaction, head }: { readonly transaction: RelayTransaction; readonly head: Head },
): Promise<void> {
  const { id, proxy, signer, nonce } = transaction
  const since = deps.overtakenAt.get(id) ?? head.number
  deps.overtakenAt.set(id, since)
  if (!isFinal(deps, { since, head })) return
  const receipts = await readWitnessed(deps, transaction)
  for (const receipt of receipts) {
    const isSettled = isFinal(deps, { since: receipt.blockNumber, head })
    if (isSettled && (await hasBlock(deps.chain, receipt)))
      return settleMined(deps, { transaction, receipt, head })
  }
  if (receipts.length > 0) return
  const [, second] = await readCounts(deps.chain.client.witnesses ?? [], signer)
  if (second !== undefined && second <= nonce) return
  const kind = (await hasCode(deps.chain, proxy)) ? 'mined_unseen' : 'lost'
  await settleUnseen(deps, { transaction, kind })
}

/** The receipts that any node of the chain has, asked by itself: then only the first one is without. */
async function readWitnessed(
  { chain }: ReconcileDeps,
  { attempts }: RelayTransaction,
): Promise<readonly Receipt[]> {
  const asked = (chain.client.witnesses ?? []).flatMap((client) =>
    attempts.map(({ hash }) => readReceipt(client, hash)),
  )
  const answers = await Promise.allSettled(asked)
  return answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value) || [])
}

/** Whether the first node has the block, too: a witness may stand on a branch that is none any more. */
async function hasBlock(
  { client: { client } }: RelayChain,
  { blockNumber, blockHash }: Receipt,
): Promise<boolean> {
  const block = await client.request({
    method: 'eth_getBlockByNumber',
    params: [numberToHex(blockNumber), false],
  })
  return block?.hash === blockHash
}

async function hasCode({ client: { client } }: RelayChain, address: Address): Promise<boolean> {
  const code = await client.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return code !== undefined && code !== '0x'
}

/**
 * What no node has a receipt of. `mined_unseen`: mined while nobody looked, by all that is left of it, since
 * its nonce is used and its owner has the proxy. Who else may have made that makes no difference to the owner,
 * and what it cost counts as its worst case.
 */
async function settleUnseen(
  deps: ReconcileDeps,
  {
    transaction,
    kind,
  }: {
    readonly transaction: RelayTransaction
    readonly kind: 'lost' | 'retired' | 'mined_unseen'
  },
): Promise<void> {
  const { id, nonce } = transaction
  const { chainId } = deps.chain
  const status = kind === 'mined_unseen' ? 'final' : 'lost'
  forget(deps, transaction)
  await deps.store.settle({ id, from: 'pending', outcome: { status } })
  deps.observe({ kind, chainId, nonce, hash: currentHash(transaction) })
}
