import { getBlock } from 'viem/actions'
import type { LostPayment, OpenPayment } from '../../store/payments.ts'
import type { AccessChain, AccessDeps } from './accessConfig.ts'
import { type Claim, claimQuota } from './claimQuota.ts'
import { readFinalNumber } from './readFinalNumber.ts'

const batchSize = 200

/**
 * Looks again at what was credited until its block is final. A payment whose block the chain has replaced
 * is taken back, and credited again where the same transaction was mined a second time.
 */
export async function recheckPayments(
  deps: AccessDeps,
  { chain }: { chain: AccessChain },
): Promise<void> {
  const { chainId, client } = chain
  const [head, final] = await Promise.all([
    getBlock(client, { blockTag: 'latest' }),
    readFinalNumber(chain),
  ])
  // Above the head nothing can be said: a node may be behind, or a reorg is still under way.
  const open = await deps.store.payments.listOpen({
    chainId,
    maxBlock: head.number,
    limit: batchSize,
  })
  for (const payment of open) {
    const block = await getBlock(client, { blockNumber: payment.blockNumber })
    if (block.hash !== payment.blockHash) await takeBack(deps, { payment, headBlock: head.number })
    else if (payment.blockNumber <= final) await deps.store.payments.finish(payment)
  }
  await creditAgain(deps, { chain, final })
}

async function takeBack(
  { store, log, now }: AccessDeps,
  { payment, headBlock }: { payment: OpenPayment; headBlock: bigint },
): Promise<void> {
  const { chainId, txHash, blockHash, keyId } = payment
  await store.payments.orphan({ chainId, txHash, blockHash, headBlock, atMs: now() })
  log.warn({ chainId, txHash, keyId }, 'a credited payment was reorganised')
}

/**
 * Claims what was taken back, in each pass, until the chain has decided: a transaction may be mined again at
 * any time, and counts only once it is as deep as any other. One that is absent when the head of its loss is
 * final will not come by itself; nor will one that waits in a pool when its authorization has expired for good.
 */
async function creditAgain(
  deps: AccessDeps,
  { chain, final }: { chain: AccessChain; final: bigint },
): Promise<void> {
  const { store, log } = deps
  const { chainId } = chain
  for (const lost of await store.payments.listLost({ chainId, limit: batchSize })) {
    const { txHash, keyId, proof: held } = lost
    const key = await store.keys.find(keyId)
    if (!key) throw new Error(`there is no key ${keyId}`)
    const claim = await claimQuota(deps, { caller: { ...key, keyId }, chainId, txHash, held })
    const { status } = claim
    if (status === 'claimed') log.info({ chainId, txHash, keyId }, 'a payment was credited again')
    if (status === 'claimed' || lost.lostAtBlock > final) continue
    if (mayCome.has(status) && !(await waitsInVain(chain, { claim, lost, final }))) continue
    await store.payments.forget(lost)
    log.warn({ chainId, txHash, keyId, status }, 'a payment is gone')
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

const mayCome: ReadonlySet<Claim['status']> = new Set([
  'unconfirmed',
  'not_final',
  'chain_unreachable',
  // For as long as the operator sells none there.
  'unsupported_chain',
])
