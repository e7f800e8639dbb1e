import { BlockNotFoundError, type Hex, TransactionReceiptNotFoundError } from 'viem'
import { getBlock, getBlockNumber, getTransactionReceipt } from 'viem/actions'
import type { LostPayment, PaymentBlock } from '../../store/payments.ts'
import type { AccessChain, AccessDeps } from './accessConfig.ts'
import { type Claim, claimQuota } from './claimQuota.ts'
import { readFinalNumber } from './readFinalNumber.ts'

const batchSize = 200

type Sightings = ReadonlyMap<Hex, number>

/**
 * Where a pass ended that did not see all: the next one goes on behind it, so that what is never decided holds up
 * nothing. What a pass breaks off at is behind all others then. All payments have had their turn in one round.
 */
const openTurns = new WeakMap<
  AccessChain,
  { readonly after: PaymentBlock; readonly found: Sightings }
>()
const lostTurns = new WeakMap<AccessChain, LostPayment>()

/** One round may hear nodes of two branches; two in a row agree. */
const sureRounds = 2
/** How many rounds in a row had found each block of payments by the last whole one. */
const sightings = new WeakMap<AccessChain, Sightings>()

/**
 * Looks again at what was credited until its block is final. A payment whose block the chain has replaced
 * is taken back, and credited again where the same transaction was mined a second time.
 */
export async function recheckPayments(
  deps: AccessDeps,
  { chain }: { chain: AccessChain },
): Promise<void> {
  const [head, final] = await Promise.all([
    getBlock(chain.client, { blockTag: 'latest' }),
    readFinalNumber(chain),
  ])
  await lookAgain(deps, { chain, headBlock: head.number, final })
  await creditAgain(deps, { chain, final })
}

/**
 * The newest first: by its hash a block that stands bears out all that had been found below it, and a node is asked
 * for none of those. What is final is asked for all the same, since nobody looks at it afterwards.
 */
async function lookAgain(
  deps: AccessDeps,
  {
    chain,
    headBlock,
    final,
  }: { readonly chain: AccessChain; readonly headBlock: bigint; readonly final: bigint },
): Promise<void> {
  const { chainId, client } = chain
  const before = sightings.get(chain) ?? new Map<Hex, number>()
  const isSure = (hash: Hex) => (before.get(hash) ?? 0) >= sureRounds
  const turn = openTurns.get(chain)
  const found = new Map(turn?.found)
  let isBorneOut = false
  // Above the head nothing can be said: a node may be behind, or a reorg is still under way.
  const open = await deps.store.payments.listOpen({
    chainId,
    maxBlock: headBlock,
    limit: batchSize,
    after: turn?.after,
  })
  const after = open.length === batchSize ? open.at(-1) : undefined
  if (after) openTurns.set(chain, { after, found })
  else openTurns.delete(chain)
  const byBlock = Map.groupBy(open.toReversed(), (payment) => payment.blockNumber)
  for (const [blockNumber, payments] of byBlock) {
    const hashes = payments.map(({ blockHash }) => blockHash)
    if (isBorneOut && blockNumber > final && hashes.every(isSure)) {
      for (const hash of hashes) found.set(hash, sureRounds)
      continue
    }
    const block = await getBlock(client, { blockNumber }).catch((error: unknown) => {
      // A node may have let go of it; the others are looked at all the same.
      const block = Number(blockNumber)
      deps.log.warn({ chainId, block, reason: (error as Error).name }, 'a payment has no block')
      return undefined
    })
    if (!block) continue
    isBorneOut ||= isSure(block.hash)
    found.set(block.hash, (before.get(block.hash) ?? 0) + 1)
    for (const payment of payments) {
      if (block.hash !== payment.blockHash) await takeBack(deps, { payment, headBlock })
      else if (payment.blockNumber <= final) await deps.store.payments.finish(payment)
    }
  }
  if (!after) sightings.set(chain, found)
}

async function takeBack(
  { store, log, now }: AccessDeps,
  { payment, headBlock }: { payment: PaymentBlock; headBlock: bigint },
): Promise<void> {
  const { chainId, txHash, blockHash } = payment
  await store.payments.orphan({ chainId, txHash, blockHash, headBlock, atMs: now() })
  log.warn({ chainId, txHash }, 'a credited payment was reorganised')
}

/**
 * Claims what was taken back, in each pass, until the chain has decided: a transaction may be mined again at
 * any time, and counts only once it is as deep as any other, or failed once that is final. One that is absent
 * an hour after the head of its loss, when that hour is final, will not come by itself; nor will one that waits
 * in a pool when its authorization has expired for good.
 */
async function creditAgain(
  deps: AccessDeps,
  { chain, final }: { chain: AccessChain; final: bigint },
): Promise<void> {
  const { store, log } = deps
  const { chainId } = chain
  const all = await store.payments.listLost({
    chainId,
    limit: batchSize,
    after: lostTurns.get(chain),
  })
  for (const lost of all) {
    lostTurns.set(chain, lost)
    const { txHash, keyId, held } = lost
    const key = await store.keys.find(keyId)
    if (!key) throw new Error(`there is no key ${keyId}`)
    const claim = await claimQuota(deps, { caller: { ...key, keyId }, chainId, txHash, held })
    const { status } = claim
    if (status === 'claimed') {
      log.info({ chainId, txHash, keyId }, 'a payment was credited again')
      continue
    }
    if (lost.lostAtBlock > final) continue
    if (mayCome.has(status) && !(await waitsInVain(chain, { claim, lost, final }))) continue
    const isAbsent = status === 'unknown_transaction'
    if (isAbsent && !(await isOverdue(chain, { lost, final }))) continue
    if (isAbsent && !(await remembers(chain, lost))) {
      log.warn(
        { chainId, txHash, keyId },
        'no node has the history in which a payment is looked for',
      )
      continue
    }
    if (!isAbsent && status !== 'unconfirmed' && !(await isFinal(chain, { txHash, final })))
      continue
    await store.payments.forget(lost)
    log.warn({ chainId, txHash, keyId, status }, 'a payment is gone')
  }
  if (all.length < batchSize) lostTurns.delete(chain)
}

/** What became of it in a block that may be replaced may become something else. */
async function isFinal(
  { client }: AccessChain,
  { txHash, final }: { readonly txHash: Hex; readonly final: bigint },
): Promise<boolean> {
  try {
    return (await getTransactionReceipt(client, { hash: txHash })).blockNumber <= final
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return false
    throw error
  }
}

/** Whatever block it came into could only revert it. A former key's nonces may keep it in a pool for ever. */
async function waitsInVain(
  { client }: AccessChain,
  { claim, lost, final }: { claim: Claim; lost: LostPayment; final: bigint },
): Promise<boolean> {
  if (claim.status !== 'unconfirmed' || claim.confirmations > 0) return false
  if (lost.validBeforeSecs === undefined) return false
  const { timestamp } = await getBlock(client, { blockNumber: final })
  return timestamp >= BigInt(lost.validBeforeSecs)
}

/** What no node that is asked has heard of may lie in another's pool, and come for as long as fees are high. */
const patienceSecs = 3_600n

async function isOverdue(
  { client }: AccessChain,
  { lost, final }: { readonly lost: LostPayment; readonly final: bigint },
): Promise<boolean> {
  try {
    const lostAt = await getBlock(client, { blockNumber: lost.lostAtBlock })
    const last = await getBlock(client, { blockNumber: final })
    return last.timestamp >= lostAt.timestamp + patienceSecs
  } catch (error) {
    // It says less than it said a moment ago: the next pass looks again.
    if (error instanceof BlockNotFoundError) return false
    throw error
  }
}

/** Blocks in a row without a transaction tell nothing of what a node keeps. */
const probedBlocks = 64n

/**
 * Whether the node still tells what was mined where the payment was: one that prunes knows neither a
 * transaction nor its receipt, as if it had never been. It lets go of the oldest first.
 */
async function remembers(
  { client }: AccessChain,
  { blockNumber: first }: Pick<LostPayment, 'blockNumber'>,
): Promise<boolean> {
  try {
    const head = await getBlockNumber(client, { cacheTime: 0 })
    const end = first + probedBlocks
    for (let blockNumber = first; blockNumber <= head && blockNumber < end; blockNumber += 1n) {
      const { transactions } = await getBlock(client, { blockNumber })
      const [hash] = transactions
      if (hash) return (await getTransactionReceipt(client, { hash })).transactionHash === hash
    }
    return true
  } catch (error) {
    if (error instanceof BlockNotFoundError) return false
    if (error instanceof TransactionReceiptNotFoundError) return false
    throw error
  }
}

const mayCome: ReadonlySet<Claim['status']> = new Set([
  'unconfirmed',
  'not_final',
  'chain_unreachable',
  // For as long as the operator sells none there.
  'unsupported_chain',
])
