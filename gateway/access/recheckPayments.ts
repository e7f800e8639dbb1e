import { getBlock } from 'viem/actions'
import type { OpenPayment } from '../store/payments.ts'
import type { AccessChain, AccessDeps } from './accessConfig.ts'
import { claimQuota } from './claimQuota.ts'
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
    if (block.hash !== payment.blockHash) await takeBack(deps, payment)
    else if (payment.blockNumber <= final) await deps.store.payments.finish(payment)
  }
}

async function takeBack(deps: AccessDeps, payment: OpenPayment): Promise<void> {
  const { store, log, now } = deps
  const { chainId, txHash, blockHash, keyId } = payment
  await store.payments.orphan({ chainId, txHash, blockHash, atMs: now() })
  const key = await store.keys.find(keyId)
  const again =
    key && (await claimQuota(deps, { caller: { ...key, keyId: key.id }, chainId, txHash }))
  log.warn({ chainId, txHash, keyId, now: again?.status }, 'a credited payment was reorganised')
}
