import { type Address, type Hex, numberToHex, pad, parseEventLogs, toEventSelector } from 'viem'
import { getBlock, getBlockNumber, getTransactionCount, readContract } from 'viem/actions'
import { greater } from '../../amounts/amounts.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { narrowRange } from '../../chain/nodes/narrowRange.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { BookTime } from '../../signing/bookClock.ts'
import { type FillDeps, fillNonces } from '../../signing/fillNonces.ts'
import type { FillSigner } from '../../signing/fillSigner.ts'
import { proveUsed } from '../../signing/proveNonce.ts'
import { signAndReserve } from '../../signing/signAndReserve.ts'
import { proofs } from '../../store/payments.ts'
import type { SettlementTx, StoredSettlement } from '../../store/settlements.ts'
import type { AccessChain, AccessDeps, Settlement, SettlementOrder } from '../sale/accessConfig.ts'
import { claimQuota } from '../sale/claimQuota.ts'
import { readConfirmedReceipt } from '../sale/readConfirmedReceipt.ts'
import { readPayments } from '../sale/readPayments.ts'
import { decodeTransfer, eip3009Abi } from './eip3009.ts'
import { capWindowMs, judgeCaps, raisedPrices, readPrice, toHeld } from './priceSettlement.ts'
import { settlementClock } from './settlementClock.ts'
import { forgetMined, unminedForMs } from './sightings.ts'
import { tellSettlementCaps } from './tellSettlementCaps.ts'

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
  const chain = findChain(deps.chains, chainId)
  if (!chain) return settlement
  const claim = await credit(deps, settlement, txHash)
  if (claim === 'credited') return finish(deps, settlement, { state: 'settled', txHash })
  if (claim === 'waiting') return settlement
  try {
    // First, so that what was mined at the last moment is found by what is read after it.
    const isOver = claim === 'reverted' || (await isExpired(chain, settlement))
    // What waits in a pool may wait for ever: once it has expired it can only fail.
    if (claim === 'unmined' && !isOver) return settlement
    const use = await findUse(deps, { chain, settlement })
    if (use && (await credit(deps, settlement, use)) === 'credited')
      return finish(deps, settlement, { state: 'settled', txHash: use })
    if (use === undefined && isOver) return await fail(deps, { chain, settlement })
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
): Promise<'credited' | 'waiting' | 'unmined' | 'reverted' | 'absent'> {
  const claim = await claimQuota(deps, {
    caller: { keyId, scopes: [] },
    chainId,
    txHash,
    confirmations: 1,
    // A stranger may have brought it in with what others paid.
    only: proofs.settled,
  })
  if (claim.status === 'claimed') return 'credited'
  if (claim.status === 'reverted') return 'reverted'
  // Of the one block that is asked for it has none.
  if (claim.status === 'unconfirmed') return 'unmined'
  return claim.status === 'unknown_transaction' ? 'absent' : 'waiting'
}

/** Each authorization ends by one of these, once. */
const endings = eip3009Abi.filter((entry) => entry.type === 'event')

/** A reorganisation may bring the use into a block before the one that was the head at the reservation. */
const reorgDepth = 64n

/** The transaction that paid us by the authorization, if one did. Throws where it was used and cannot be found. */
async function findUse(
  deps: Pick<AccessDeps, 'config'>,
  { chain, settlement }: { readonly chain: AccessChain; readonly settlement: StoredSettlement },
): Promise<Hex | undefined> {
  const { client } = chain
  const { asset, payer, nonce } = settlement
  const fromBlock = greater(settlement.fromBlock - reorgDepth, 0n)
  const isUsed = await readContract(client, {
    address: asset,
    abi: eip3009Abi,
    functionName: 'authorizationState',
    args: [payer, nonce],
  })
  if (!isUsed) return undefined
  const topics = [endings.map((event) => toEventSelector(event)), pad(payer), nonce]
  // Of both at once: a payer may cancel, and would have everything after it searched at each look.
  const [log] = await inRanges(client, { fromBlock }, async ({ from, to }) => {
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const filter = { address: asset, topics, ...range }
    const logs = await client.request({ method: 'eth_getLogs', params: [filter] })
    return parseEventLogs({ abi: endings, args: { authorizer: payer, nonce }, logs })
  })
  // The money has moved: nothing may be said to have failed.
  if (!log?.transactionHash) throw new Error('the use of an authorization is not found')
  if (log.eventName === 'AuthorizationCanceled') return undefined
  const hash = log.transactionHash
  return (await isPayment(deps, { chain, settlement, hash })) ? hash : undefined
}

/** A wallet may sign one nonce for several transfers, of which the first has been made. */
async function isPayment(
  { config }: Pick<AccessDeps, 'config'>,
  {
    chain,
    settlement: { chainId, payer, nonce, calldata },
    hash,
  }: { readonly chain: AccessChain; readonly settlement: StoredSettlement; readonly hash: Hex },
): Promise<boolean> {
  const contract = config.contracts.find((each) => each.chainId === chainId)
  const reading = await readConfirmedReceipt(chain, { hash, confirmations: 1 })
  if (!contract || reading.status !== 'confirmed')
    throw new Error('the use of an authorization cannot be read')
  return readPayments(reading.receipt, contract).some(
    ({ amount, authorization }) =>
      amount === decodeTransfer(calldata)?.value &&
      authorization?.nonce === nonce &&
      isSameAddress(authorization.from, payer),
  )
}

/** Most nodes answer for so many blocks at once. */
const rangeBlocks = 1_000n

type Read<log> = (range: BlockRange) => Promise<readonly log[]>

/** Range by range, until one has something. */
async function inRanges<log>(
  client: AccessChain['client'],
  { fromBlock }: { readonly fromBlock: bigint },
  read: Read<log>,
): Promise<readonly log[]> {
  const head = await getBlockNumber(client, { cacheTime: 0 })
  for (let from = fromBlock; from <= head; from += rangeBlocks) {
    const last = from + rangeBlocks - 1n
    const found = await readParts({ from, to: last < head ? last : head }, read)
    if (found.length > 0) return found
  }
  return []
}

/** In parts where the node takes only shorter ones. */
async function readParts<log>(range: BlockRange, read: Read<log>): Promise<readonly log[]> {
  try {
    return await read(range)
  } catch (error) {
    const parts = narrowRange(range, findRefusal(error))
    if (parts.length === 0) throw error
    for (const part of parts) {
      const found = await readParts(part, read)
      if (found.length > 0) return found
    }
    return []
  }
}

/** Expired by the chain's own clock. What is signed can only revert now, and uses its nonce up all the same. */
async function isExpired(
  { client }: AccessChain,
  { validBeforeSecs }: StoredSettlement,
): Promise<boolean> {
  const { timestamp } = await getBlock(client, { blockTag: 'latest' })
  return timestamp >= BigInt(validBeforeSecs)
}

async function finish(
  { store }: AccessDeps,
  settlement: StoredSettlement,
  end: { readonly state: 'settled' | 'failed'; readonly txHash: Hex; readonly reason?: string },
  times?: BookTime,
): Promise<StoredSettlement> {
  if (end.state !== settlement.state)
    await store.settlements.finish({ id: settlement.id, ...end, ...times })
  return { ...settlement, ...end }
}

/** At the book's time, by which its payer is barred: a machine that is ahead would set it for everybody. */
async function fail(
  deps: AccessDeps,
  { chain, settlement }: { readonly chain: AccessChain; readonly settlement: StoredSettlement },
): Promise<StoredSettlement> {
  const { txHash } = settlement
  const terms = termsOf(deps, chain.chainId)
  const times = await (terms && settlementClock(deps, terms.signer).read(() => readHeadMs(chain)))
  return finish(deps, settlement, { state: 'failed', txHash, reason: 'reverted or expired' }, times)
}

const readHeadMs = async ({ client }: AccessChain) =>
  Number((await getBlock(client, { blockTag: 'latest' })).timestamp) * 1_000

/** By which it settles, or by which it looks after what was signed before. */
function termsOf({ config }: AccessDeps, chainId: number): Settlement | undefined {
  const contract = config.contracts.find((each) => each.chainId === chainId)
  return contract?.settlement ?? contract?.upkeep
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
  const { chainId } = chain
  const { store, config } = deps
  const resolve = (settlement: StoredSettlement) =>
    resolveSettlement(deps, settlement).catch(warnOf(deps, settlement, 'not checked'))
  for (const settlement of await store.settlements.listOpen(chainId)) await resolve(settlement)
  const contract = config.contracts.find((each) => each.chainId === chainId)
  const terms = termsOf(deps, chainId)
  if (contract?.settlement) await tellSettlementCaps(deps, contract.settlement)
  for (const signer of await store.settlements.listSigners(chainId))
    await sendUnmined(deps, { chain, signer, terms })
  if (terms && contract?.filler) await fillMissing(deps, { chain, terms, signer: contract.filler })
  // Last: anybody can make some fail, and what is stuck holds up others.
  for (const settlement of await listFailed(deps, chain)) await resolve(settlement)
}

/** By then its block is final. */
const mayComeBackMs = 3_600_000
const lookEveryMs = 60_000
const looks = new WeakMap<AccessChain, number>()

/** What failed of late, once a minute: where a reorganisation took its block away it may be mined after all. */
async function listFailed(
  deps: AccessDeps,
  chain: AccessChain,
): Promise<readonly StoredSettlement[]> {
  const { store, now } = deps
  const { chainId } = chain
  const lastMs = looks.get(chain)
  const nowMs = now()
  if (lastMs !== undefined && Math.abs(nowMs - lastMs) < lookEveryMs) return []
  looks.set(chain, nowMs)
  const terms = termsOf(deps, chainId)
  const time = terms
    ? await settlementClock(deps, terms.signer).read(() => readHeadMs(chain))
    : { nowMs }
  return store.settlements.listFailed({ chainId, ...time, windowMs: mayComeBackMs })
}

/** Whatever the settings: nonces that were signed are used. What another key left can only be sent again. */
async function sendUnmined(
  deps: AccessDeps,
  { chain, signer, terms }: { chain: AccessChain; signer: Address; terms: Settlement | undefined },
): Promise<void> {
  const { chainId, client } = chain
  const own = terms && isSameAddress(terms.signer.address, signer) ? terms : undefined
  const claimed = await getTransactionCount(client, { address: signer, blockTag: 'latest' })
  const found = await deps.store.settlements.listUnmined({ chainId, signer, chainNonce: claimed })
  const chainNonce = found.length === 0 ? claimed : await proveUsed(chain, { signer, claimed })
  const unmined = found.filter(({ signerNonce }) => signerNonce >= chainNonce)
  if (own) forgetMined(own.signer, unmined)
  const deployment = await deps.store.nonces.highestDeployment({ chainId, signer })
  for (const settlement of unmined) {
    if (!own && settlement.state !== 'sent') continue
    const { signerNonce } = settlement
    const holdsUp = signerNonce === chainNonce && signerNonce < deployment
    const raised = own
      ? await raisePrice(deps, { chain, settlement, holdsUp, terms: own }).catch(
          warnOf(deps, settlement, 'not repriced'),
        )
      : settlement
    await sendSettlement(deps, raised ?? settlement)
  }
}

const fillMemories = new WeakMap<FillSigner, { missing: readonly number[] }>()

/** Where no relay serves the chain. */
async function fillMissing(
  deps: AccessDeps,
  { chain, terms, signer }: { chain: AccessChain; terms: Settlement; signer: FillSigner },
): Promise<void> {
  const { store, log } = deps
  const { chainId, client } = chain
  const memory = fillMemories.get(signer) ?? { missing: [] }
  fillMemories.set(signer, memory)
  const fills: FillDeps = {
    nonces: store.nonces,
    chain,
    signer,
    limits: terms.limits,
    memory,
    clock: settlementClock(deps, terms.signer),
    observe: (event) => log.warn({ ...event, chainId }, `settlements: ${event.kind}`),
    async send({ raw, hash }) {
      const sent = client.request({ method: 'eth_sendRawTransaction', params: [raw] })
      await sent.catch((error: Error) => {
        log.warn({ chainId, hash, reason: error.name }, 'a fill was not taken')
      })
    },
  }
  const { address } = signer
  await fillNonces(fills, await getTransactionCount(client, { address, blockTag: 'latest' }))
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
  deps: AccessDeps,
  {
    chain,
    settlement,
    holdsUp,
    terms: { signer, limits: own },
  }: {
    readonly chain: AccessChain
    readonly settlement: StoredSettlement
    /** Whether what was signed behind it waits for it alone. */
    readonly holdsUp: boolean
    readonly terms: Settlement
  },
): Promise<StoredSettlement> {
  if (unminedForMs(signer, { settlement, nowMs: deps.now() }) < stuckAfterMs) return settlement
  const { maxFeeWei, maxStuckFeeWei = maxFeeWei } = own
  const limits = holdsUp ? { ...own, maxFeeWei: maxStuckFeeWei } : own
  const clock = settlementClock(deps, signer)
  const { calldata, signerNonce: nonce } = settlement
  const facts = await readPrice(chain, { signer, calldata })
  const { l1FeeWei, timestampMs } = facts
  const prices = raisedPrices(settlement, { facts, maxFeeWei: limits.maxFeeWei })
  const order = { ...prices, calldata, nonce }
  const id = [nonce, settlement.signedAtMs].join()
  return signAndReserve<SettlementOrder, SettlementTx, StoredSettlement>(signer.turns, {
    async reserve(ready) {
      let isWished = false
      const times = { ...(await clock.read(async () => timestampMs)), windowMs: capWindowMs }
      const kept = await deps.store.settlements.raise(settlement, times, (book) => {
        clock.saw(book.nowMs)
        isWished = !judgeCaps(toHeld(limits, book), { prices, l1FeeWei, book })
        return isWished ? ready?.signed : undefined
      })
      return isWished && !ready ? { wish: { id, order } } : { value: kept }
    },
    sign: async (wished) => ({ ...(await signer.sign(wished)), ...prices }),
  })
}
