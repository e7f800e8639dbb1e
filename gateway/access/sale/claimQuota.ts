import type { Address, Hex } from 'viem'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { Caller } from '../../http/access.ts'
import type { Balance } from '../../store/ledger.ts'
import { type LostPayment, type Payment, type Proof, proofs } from '../../store/payments.ts'
import type { AccessDeps, QuotaContract } from './accessConfig.ts'
import { readConfirmedReceipt } from './readConfirmedReceipt.ts'
import { readExecutor } from './readExecutor.ts'
import { type ChainPayment, isBundle, isSafeCall, readPayments } from './readPayments.ts'

export type Claim =
  | { readonly status: 'claimed'; readonly quotes: number; readonly balance: Balance }
  | { readonly status: 'unsupported_chain' }
  | { readonly status: 'unknown_transaction' }
  | { readonly status: 'unconfirmed'; readonly confirmations: number; readonly needed: number }
  | { readonly status: 'not_final' }
  | { readonly status: 'reverted' }
  | { readonly status: 'not_a_payment' }
  | { readonly status: 'dust' }
  | { readonly status: 'too_large' }
  | { readonly status: 'belongs_to_another_key' }
  | { readonly status: 'chain_unreachable' }

/** Beyond this a balance could leave the integers that JSON carries exactly. */
const maxQuotes = 2n ** 51n

/** Credits what a transaction paid to the quota contract, as far as it is the caller's; again: the same answer. */
export async function claimQuota(
  deps: AccessDeps,
  {
    caller,
    chainId,
    txHash,
    confirmations,
    only,
    held,
  }: {
    caller: Caller
    chainId: number
    txHash: Hex
    /** Default: the contract's. */
    confirmations?: number | undefined
    /** By this proof alone: what else the transaction paid is not asked for. Default: by any. */
    only?: Proof | undefined
    /** By whose payments and which proof the caller had it before a reorganisation: who came since changes nothing. */
    held?: LostPayment['held'] | undefined
  },
): Promise<Claim> {
  const { chains, config, log, store, now } = deps
  const chain = chains.find((each) => each.chainId === chainId)
  const contract = config.contracts.find((each) => each.chainId === chainId)
  if (!chain || !contract) return { status: 'unsupported_chain' }
  const hash = txHash.toLowerCase() as Hex
  const needed = confirmations ?? contract.confirmations
  const reading = await readConfirmedReceipt(chain, { hash, confirmations: needed })
  if (reading.status === 'unreachable') {
    log.warn({ chainId, reason: reading.reason }, 'a claim could not be checked')
    return { status: 'chain_unreachable' }
  }
  if (reading.status === 'unknown') return { status: 'unknown_transaction' }
  if (reading.status === 'pending')
    return { status: 'unconfirmed', confirmations: reading.confirmations, needed }
  const { receipt, isFinal } = reading
  if (receipt.status !== 'success') return { status: 'reverted' }

  const executor = await readExecutor(chain, contract).catch((error: Error) => {
    log.warn({ chainId, reason: error.name }, 'a claim could not be checked')
    return undefined
  })
  if (!executor) return { status: 'chain_unreachable' }
  const found = readPayments(receipt, { ...contract, executor })
  const sender = isBundle(receipt) ? undefined : receipt.from
  const isSafes = isSafeCall(receipt)
  const proven = await selectOwn(deps, { caller, contract, found, sender, isSafes, held })
  const payments = proven.filter(({ proof }) => only === undefined || proof === only)
  // What a stranger brought in besides may hold nothing up that is not his.
  const sized = only === undefined ? found : payments
  const worth = sizePayments(sized, { contract, amountPerQuote: config.amountPerQuote, isFinal })
  if (worth !== 'ok') return { status: worth }
  if (payments.length === 0) return { status: 'belongs_to_another_key' }
  const quotes = await store.payments.credit({
    chainId,
    txHash: hash,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    keyId: caller.keyId,
    payments,
    atMs: now(),
    endsSearch: held !== undefined,
  })
  if (quotes === undefined) return { status: 'belongs_to_another_key' }
  return { status: 'claimed', quotes, balance: await store.ledger.balance(caller.keyId) }
}

function sizePayments(
  found: readonly Pick<ChainPayment, 'amount'>[],
  {
    contract,
    amountPerQuote,
    isFinal,
  }: { contract: QuotaContract; amountPerQuote: bigint; isFinal: boolean },
): 'ok' | 'not_a_payment' | 'dust' | 'too_large' | 'not_final' {
  if (found.length === 0) return 'not_a_payment'
  const amount = found.reduce((sum, payment) => sum + payment.amount, 0n)
  if (found.every((payment) => payment.amount < amountPerQuote)) return 'dust'
  if (amount / amountPerQuote > maxQuotes) return 'too_large'
  return amount >= contract.finalizedFrom && !isFinal ? 'not_final' : 'ok'
}

async function selectOwn(
  deps: AccessDeps,
  {
    caller,
    contract,
    found,
    sender,
    isSafes,
    held,
  }: {
    caller: Caller
    contract: QuotaContract
    found: readonly ChainPayment[]
    sender: Address | undefined
    isSafes: boolean
    held: LostPayment['held'] | undefined
  },
): Promise<readonly Payment[]> {
  const own: Payment[] = []
  const isWallet = askOnce((address) => deps.store.keys.isWallet(address, contract.chainId))
  for (const payment of found) {
    const quotes = Number(payment.amount / deps.config.amountPerQuote)
    if (quotes === 0) continue
    const proven = { caller, contract, payment, sender, isSafes, held, isWallet }
    const proof = await proveOwner(deps, proven)
    if (proof !== undefined)
      own.push({
        logIndex: payment.logIndex,
        payer: payment.payer,
        amount: payment.amount,
        quotes,
        proof,
        source: sourceOf(payment),
      })
  }
  return own
}

/** The key that it is bound to, the authorization that moved it (nonces are each wallet's own), or else who paid. */
const sourceOf = ({ boundTo, payer, authorization }: ChainPayment): string =>
  boundTo ?? (authorization ? `${payer} ${authorization.nonce}` : payer).toLowerCase()

type IsWallet = (address: Address) => Promise<boolean>

/** A stranger's transaction may have a thousand payments of one payer. */
function askOnce(ask: IsWallet): IsWallet {
  const told = new Map<Address, Promise<boolean>>()
  return (address) => {
    const answer = told.get(address) ?? ask(address)
    told.set(address, answer)
    return answer
  }
}

/**
 * How a payment is the caller's; undefined when it is not. A payment tx is public, so the hash proves
 * nothing: the key named on chain, the key an x402 authorization was sent with, the wallet that paid or the
 * one that sent the transaction (alike), and only without any of these, who asks first. Who carries in what
 * others have signed (a bundle, an authorization, the transaction of a Safe with a key) is no buyer.
 */
async function proveOwner(
  { store }: AccessDeps,
  {
    caller,
    contract,
    payment,
    sender,
    isSafes,
    held,
    isWallet,
  }: {
    caller: Caller
    contract: QuotaContract
    payment: ChainPayment
    sender: Address | undefined
    isSafes: boolean
    held: LostPayment['held'] | undefined
    isWallet: IsWallet
  },
): Promise<Proof | undefined> {
  if (payment.boundTo !== undefined) {
    const key = await store.keys.find(caller.keyId)
    return key?.idHash === payment.boundTo ? proofs.bound : undefined
  }
  if (payment.authorization) {
    const keyId = await store.settlements.findKey({
      chainId: contract.chainId,
      asset: contract.token.address,
      payer: payment.authorization.from,
      nonce: payment.authorization.nonce,
    })
    if (keyId !== undefined) return keyId === caller.keyId ? proofs.settled : undefined
  }
  const { chainId } = contract
  // Where a contract is the wallet, its address may be another's on other chains.
  const isHere = caller.walletChainId === undefined || caller.walletChainId === chainId
  const wallet = isHere ? caller.wallet : undefined
  if (wallet && isSameAddress(wallet, payment.payer)) return proofs.payer
  const before = held?.get(payment.payer)
  if (before !== undefined) return before
  const hasKey = await isWallet(payment.payer)
  const buyer = payment.authorization || (isSafes && hasKey) ? undefined : sender
  if (caller.wallet)
    return wallet && buyer && isSameAddress(wallet, buyer) ? proofs.sender : undefined
  if (hasKey || (buyer && (await isWallet(buyer)))) return undefined
  return proofs.first
}
