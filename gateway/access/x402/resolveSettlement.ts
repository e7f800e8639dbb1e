import type { Hex } from 'viem'
import { getBlock, getLogs, getTransactionCount, readContract } from 'viem/actions'
import { bumpFee } from '../../signing/bumpFee.ts'
import type { StoredSettlement } from '../../store/settlements.ts'
import type { AccessChain, AccessDeps, Settlement } from '../accessConfig.ts'
import { claimQuota } from '../claimQuota.ts'
import { eip3009Abi } from './eip3009.ts'
import { capWindowMs, judgeCaps, readPrice } from './priceSettlement.ts'

/** Unmined after this: the same nonce again at a higher price. */
const stuckAfterMs = 60_000

/** Sends the stored bytes. Whatever the node answers, the row stays and the same bytes can be sent again. */
export async function sendSettlement(
  { chains, log }: Pick<AccessDeps, 'chains' | 'log'>,
  { chainId, rawTx, txHash }: StoredSettlement,
): Promise<void> {
  const chain = findChain(chains, chainId)
  try {
    await chain?.client.request({ method: 'eth_sendRawTransaction', params: [rawTx] })
  } catch (error) {
    log.warn({ chainId, txHash, reason: (error as Error).name }, 'a settlement was not taken')
  }
}

/**
 * Looks where a sent settlement stands and credits its key when the money has moved, by our transaction
 * or by anybody's: the authorization is public once sent, and a stranger may bring it to the chain first.
 */
export async function resolveSettlement(
  deps: AccessDeps,
  settlement: StoredSettlement,
): Promise<StoredSettlement> {
  const { chainId, txHash } = settlement
  const claim = await credit(deps, settlement, txHash)
  if (claim === 'credited') return finish(deps, settlement, { state: 'settled', txHash })
  if (claim === 'waiting') return settlement
  const chain = findChain(deps.chains, chainId)
  if (!chain) return settlement
  try {
    const around = await findUse(chain, settlement)
    if (around && (await credit(deps, settlement, around)) === 'credited')
      return finish(deps, settlement, { state: 'settled', txHash: around })
    if (around === undefined && (claim === 'reverted' || (await isHopeless(chain, settlement))))
      return finish(deps, settlement, { state: 'failed', txHash, reason: 'reverted or expired' })
  } catch (error) {
    warnOf(deps, settlement, 'not checked')(error)
  }
  return settlement
}

const findChain = (chains: AccessDeps['chains'], chainId: number) =>
  chains.find((each) => each.chainId === chainId)

async function credit(
  deps: AccessDeps,
  { keyId, chainId }: StoredSettlement,
  txHash: Hex,
): Promise<'credited' | 'waiting' | 'reverted' | 'absent'> {
  const claim = await claimQuota(deps, {
    caller: { keyId, scopes: [] },
    chainId,
    txHash,
    confirmations: 1,
  })
  if (claim.status === 'claimed') return 'credited'
  if (claim.status === 'reverted') return 'reverted'
  return claim.status === 'unknown_transaction' ? 'absent' : 'waiting'
}

/** The transaction that used the authorization, if one did. */
async function findUse(
  { client }: AccessChain,
  { asset, payer, nonce, fromBlock }: StoredSettlement,
): Promise<Hex | undefined> {
  const isUsed = await readContract(client, {
    address: asset,
    abi: eip3009Abi,
    functionName: 'authorizationState',
    args: [payer, nonce],
  })
  if (!isUsed) return undefined
  const [log] = await getLogs(client, {
    address: asset,
    event: eip3009Abi[3],
    args: { authorizer: payer, nonce },
    fromBlock,
  })
  return log?.transactionHash ?? undefined
}

/** Expired for good, by the chain's own clock, and our nonce is taken by something else. */
async function isHopeless(
  { client }: AccessChain,
  { validBeforeSecs, signer, signerNonce }: StoredSettlement,
): Promise<boolean> {
  const [block, nonce] = await Promise.all([
    getBlock(client, { blockTag: 'latest' }),
    getTransactionCount(client, { address: signer, blockTag: 'latest' }),
  ])
  return block.timestamp >= BigInt(validBeforeSecs) && nonce > signerNonce
}

async function finish(
  { store }: AccessDeps,
  settlement: StoredSettlement,
  end: { readonly state: 'settled' | 'failed'; readonly txHash: Hex; readonly reason?: string },
): Promise<StoredSettlement> {
  await store.settlements.finish({ id: settlement.id, ...end })
  return { ...settlement, ...end }
}

/**
 * Carries on what an earlier process left: credits what is on the chain, sends the same bytes of what is
 * not, and raises the price of what is stuck, since its nonce holds up everything behind it. What goes
 * wrong with one of them is logged and keeps none of the others.
 */
export async function reconcileSettlements(
  deps: AccessDeps,
  { chain }: { chain: AccessChain },
): Promise<void> {
  const { chainId, client } = chain
  const { store, config } = deps
  for (const settlement of await store.settlements.listOpen(chainId))
    await resolveSettlement(deps, settlement).catch(warnOf(deps, settlement, 'not checked'))
  const terms = config.contracts.find((each) => each.chainId === chainId)?.settlement
  if (!terms) return
  const { address: signer } = terms.signer
  const chainNonce = await getTransactionCount(client, { address: signer, blockTag: 'latest' })
  for (const settlement of await store.settlements.listUnmined({ chainId, signer, chainNonce })) {
    const raised = await raisePrice(deps, { chain, settlement, terms }).catch(
      warnOf(deps, settlement, 'not repriced'),
    )
    await sendSettlement(deps, raised ?? settlement)
  }
}

const warnOf =
  (
    { log }: Pick<AccessDeps, 'log'>,
    { chainId, txHash }: StoredSettlement,
    what: 'not checked' | 'not repriced',
  ) =>
  (error: unknown) =>
    log.warn({ chainId, txHash, reason: (error as Error).name }, `a settlement was ${what}`)

/** Under the same caps as the first signature; what may not rise stays in play as it is. */
async function raisePrice(
  { store, now }: AccessDeps,
  {
    chain,
    settlement,
    terms: { signer, limits },
  }: {
    readonly chain: AccessChain
    readonly settlement: StoredSettlement
    readonly terms: Settlement
  },
): Promise<StoredSettlement> {
  const nowMs = now()
  if (nowMs - settlement.signedAtMs < stuckAfterMs) return settlement
  const { gasLimit, calldata, signerNonce: nonce } = settlement
  const prices = {
    gasLimit,
    maxFeePerGasWei: bumpFee(settlement.maxFeePerGasWei),
    maxPriorityFeePerGasWei: bumpFee(settlement.maxPriorityFeePerGasWei),
  }
  const { l1FeeWei } = await readPrice(chain, { signer, calldata })
  return store.settlements.raise(settlement, { nowMs, windowMs: capWindowMs }, (book) => {
    if (judgeCaps(limits, { prices, l1FeeWei, book })) return undefined
    return { ...signer.sign({ ...prices, calldata, nonce }), ...prices }
  })
}
