import { type Address, type Hex, keccak256, recoverTypedDataAddress } from 'viem'
import { estimateGas, getCode, readContract } from 'viem/actions'
import { boundGas } from '../../chain/boundGas.ts'
import { getChain } from '../../chain/chains.ts'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import { readL1Component } from '../../chain/readL1Component.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { AccessChain, AccessDeps, QuotaContract, Settlement } from '../sale/accessConfig.ts'
import { listOffers } from '../sale/paymentRequired.ts'
import { eip3009Abi, encodeTransfer, type TransferAuthorization, transferTypes } from './eip3009.ts'
import type { PaymentPayload } from './paymentPayload.ts'

/** Reasons in the words of the x402 specification, section 9. */
export type InvalidReason =
  | 'invalid_payment_requirements'
  | 'invalid_exact_evm_recipient_mismatch'
  | 'invalid_exact_evm_payload_authorization_value_mismatch'
  | 'invalid_exact_evm_payload_authorization_valid_before'
  | 'invalid_exact_evm_payload_authorization_valid_after'
  | 'invalid_exact_evm_signature'
  | 'invalid_exact_evm_insufficient_balance'
  | 'invalid_exact_evm_nonce_already_used'
  | 'invalid_exact_evm_transaction_simulation_failed'

/** A payment that fits an offer of ours, with where it is settled. */
export type MatchedPayment = {
  readonly chain: AccessChain
  readonly contract: QuotaContract
  readonly settlement: Settlement
  readonly authorization: TransferAuthorization
  readonly calldata: Hex
}

export type Verified =
  | {
      readonly status: 'valid'
      readonly gas: bigint
      /** Hash of the payer's code; undefined where it has none. */
      readonly payerCode: Hex | undefined
    }
  | { readonly status: 'invalid'; readonly reason: InvalidReason }
  | { readonly status: 'unreachable'; readonly reason: string }

/** A transfer takes about 70,000; a contract wallet's check may add to it, not without end. */
const maxRunGas = 300_000n
/** To be told from what takes any more: a node runs an estimate many times, and whoever pays wrote what it runs. */
const mostTriedGas = 4n * maxRunGas

/** A block and the answer's way back must fit into what is left of the authorization. */
const minSecsLeft = 6n

/** Matches what the client says it accepted against what we offer now; the echo itself is never trusted. */
export function matchPayment(
  { chains, config, now }: Pick<AccessDeps, 'chains' | 'config' | 'now'>,
  { accepted, payload }: PaymentPayload,
): MatchedPayment | { readonly reason: InvalidReason } {
  const offer = listOffers(config).find(
    ({ scheme, network, asset, payTo, amount }) =>
      scheme === 'exact' &&
      accepted.scheme === scheme &&
      accepted.network === network &&
      accepted.amount === amount &&
      isSameAddress(accepted.asset, asset) &&
      isSameAddress(accepted.payTo, payTo),
  )
  const contract = config.contracts.find(({ chainId }) => offer?.network === `eip155:${chainId}`)
  const chain = chains.find(({ chainId }) => chainId === contract?.chainId)
  if (!offer || !contract?.settlement || !chain) return { reason: 'invalid_payment_requirements' }
  const authorization = toAuthorization(payload)
  if (!isSameAddress(authorization.to, contract.address))
    return { reason: 'invalid_exact_evm_recipient_mismatch' }
  if (authorization.value !== BigInt(offer.amount))
    return { reason: 'invalid_exact_evm_payload_authorization_value_mismatch' }
  const nowSecs = BigInt(Math.floor(now() / 1000))
  if (authorization.validBefore < nowSecs + minSecsLeft)
    return { reason: 'invalid_exact_evm_payload_authorization_valid_before' }
  if (authorization.validAfter > nowSecs)
    return { reason: 'invalid_exact_evm_payload_authorization_valid_after' }
  const { settlement } = contract
  return { chain, contract, settlement, authorization, calldata: encodeTransfer(authorization) }
}

export function toAuthorization({ signature, authorization }: PaymentPayload['payload']) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return {
    from: from.toLowerCase() as Address,
    to: to.toLowerCase() as Address,
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: nonce.toLowerCase() as Hex,
    signature,
  }
}

/** A payment to anybody, as far as the chain can judge it. */
export type SignedPayment = Pick<MatchedPayment, 'authorization' | 'calldata'> & {
  readonly chain: Pick<AccessChain, 'client'>
  readonly contract: Pick<QuotaContract, 'chainId' | 'token'>
  readonly settlement: { readonly signer: Pick<Settlement['signer'], 'address'> }
}

/** Asks the chain whether the payment would go through now. */
export async function verifyPayment(matched: SignedPayment): Promise<Verified> {
  const { chain, contract, authorization } = matched
  const { client } = chain
  const { from, nonce, value } = authorization
  const token = { address: contract.token.address, abi: eip3009Abi } as const
  try {
    const [isUsed, balance, code] = await Promise.all([
      readContract(client, { ...token, functionName: 'authorizationState', args: [from, nonce] }),
      readContract(client, { ...token, functionName: 'balanceOf', args: [from] }),
      getCode(client, { address: from }),
    ])
    if (isUsed) return { status: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' }
    if (balance < value)
      return { status: 'invalid', reason: 'invalid_exact_evm_insufficient_balance' }
    const gas = await simulate(matched)
    if (gas !== undefined) return { status: 'valid', gas, payerCode: code && keccak256(code) }
    return {
      status: 'invalid',
      reason: (await isSignedByAccount(matched))
        ? 'invalid_exact_evm_transaction_simulation_failed'
        : 'invalid_exact_evm_signature',
    }
  } catch (error) {
    return { status: 'unreachable', reason: (error as Error).name }
  }
}

/** Gas of the transfer, undefined where a contract refuses it or burns more; a node's own failure is no verdict. */
async function simulate(payment: SignedPayment) {
  const { chain, contract, calldata: data, settlement } = payment
  const to = contract.token.address
  const dataGas = await readDataGas(payment)
  // What is read now may be somewhat more in the estimate.
  const most = mostTriedGas + 2n * dataGas
  const bound = boundGas(chain.client, most)
  try {
    const gas = await estimateGas(bound, { account: settlement.signer.address, to, data })
    return gas - dataGas <= maxRunGas ? gas : undefined
  } catch (error) {
    // What takes more than it is given has no code of its own at nodes: the table knows their words.
    if (findRefusal(error)?.kind !== 'reverted') throw error
    return undefined
  }
}

/** What an estimate has in it for data on L1: a day on which that is dear is no check that burns gas. */
async function readDataGas({ chain: { client }, contract, calldata: data }: SignedPayment) {
  if (getChain(contract.chainId)?.l1Fee !== 'arbitrum') return 0n
  return (await readL1Component(client, { to: contract.token.address, data }))?.gas ?? 0n
}

async function isSignedByAccount({ contract, authorization }: SignedPayment): Promise<boolean> {
  const { signature, ...message } = authorization
  if (signature.length !== 132) return false
  const { name, version, address } = contract.token
  const signer = await recoverTypedDataAddress({
    domain: { name, version, chainId: contract.chainId, verifyingContract: address },
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message,
    signature,
  }).catch(() => undefined)
  return signer !== undefined && isSameAddress(signer, authorization.from)
}
