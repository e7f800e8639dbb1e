import { type Address, type Hex, recoverMessageAddress } from 'viem'
import { verifyMessage } from 'viem/actions'
import { createSiweMessage, generateSiweNonce } from 'viem/siwe'
import { isSameAddress } from '../chain/sameAddress.ts'
import { verifyOnChain } from '../chain/verifyOnChain.ts'
import type { Challenge } from '../store/challenges.ts'
import type { Balance } from '../store/ledger.ts'
import { createKey, keyScopes, revokeKey, rotateKey } from './issueKeys.ts'
import type { AccessDeps } from './sale/accessConfig.ts'

const challengeLifeMs = 10 * 60_000

/** An EIP-4361 message for a wallet to sign, good once and for ten minutes. */
export function createChallenge(
  { store, config, now }: AccessDeps,
  { address, chainId }: { address: Address; chainId: number },
): Promise<Challenge> {
  const nonce = generateSiweNonce()
  return store.challenges.insert({ nowMs: now() }, (issuedAtMs) => {
    const expiresAtMs = issuedAtMs + challengeLifeMs
    const message = createSiweMessage({
      address,
      chainId,
      domain: new URL(config.publicUrl).host,
      uri: config.publicUrl,
      version: '1',
      statement: `Sign in to ${config.serviceName} to receive an API key. This costs nothing.`,
      nonce,
      issuedAt: new Date(issuedAtMs),
      expirationTime: new Date(expiresAtMs),
    })
    return { nonce, address, chainId, message, expiresAtMs }
  })
}

export type Registration =
  | {
      readonly status: 'registered'
      readonly apiKey: string
      readonly scopes: readonly string[]
      readonly balance: Balance
    }
  | { readonly status: 'unknown_challenge' }
  | { readonly status: 'bad_signature' }
  /** A key of this wallet was revoked for abuse. */
  | { readonly status: 'barred' }
  | { readonly status: 'chain_unreachable' }

/**
 * Issues the wallet's key. A wallet that has one gets a new secret for the same key and quota, which is
 * also how a lost key is replaced; that of a contract is one of the challenge's chain. The signed text is the
 * one we stored, so domain, chain, nonce, expiry and address are ours; only the signature is the caller's.
 */
export async function registerWallet(
  deps: AccessDeps,
  { address, nonce, signature }: { address: Address; nonce: string; signature: Hex },
): Promise<Registration> {
  const { store, now } = deps
  const challenge = await store.challenges.find({ nonce, nowMs: now() })
  if (!challenge || !isSameAddress(challenge.address, address))
    return { status: 'unknown_challenge' }
  const verdict = await verifySignature(deps, challenge, signature)
  if (verdict !== 'own_key' && verdict !== 'contract') return { status: verdict }
  // On another chain its contract may be another's, or yet to be made by an owner of long ago.
  const chainId = verdict === 'contract' ? challenge.chainId : undefined
  if (!(await store.challenges.use(nonce))) return { status: 'unknown_challenge' }
  const isBarred = async () => (await store.keys.findAbuse(address, chainId)) !== undefined
  if (await isBarred()) return { status: 'barred' }
  const { id, apiKey } = await issueToWallet(deps, address, chainId)
  // Its key before may have been revoked since: of this one nobody has seen the secret yet.
  if (await isBarred()) {
    await revokeKey(deps, { id })
    return { status: 'barred' }
  }
  return {
    status: 'registered',
    apiKey,
    scopes: keyScopes,
    balance: await store.ledger.balance(id),
  }
}

async function issueToWallet(deps: AccessDeps, wallet: Address, chainId: number | undefined) {
  const known = await deps.store.keys.findByWallet(wallet, chainId)
  const rotated = known && (await rotateKey(deps, { id: known.id }))
  if (rotated) return rotated
  try {
    return await createKey(deps, {
      label: 'wallet',
      wallet,
      walletChainId: chainId,
      freeQuotes: deps.config.freeQuota,
    })
  } catch (error) {
    // Two registrations of one wallet at once: the unique index lets one insert, the other rotates.
    const winner = await deps.store.keys.findByWallet(wallet, chainId)
    const second = winner && (await rotateKey(deps, { id: winner.id }))
    if (!second) throw error
    return second
  }
}

/** An EOA's signature is checked here; a contract wallet's (ERC-1271, ERC-6492) by the chain of the message. */
async function verifySignature(
  { chains, log }: AccessDeps,
  { address, message, chainId }: Challenge,
  signature: Hex,
): Promise<'own_key' | 'contract' | 'bad_signature' | 'chain_unreachable'> {
  if (signature.length === 132) {
    const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined)
    if (signer && isSameAddress(signer, address)) return 'own_key'
  }
  const chain = chains.find((each) => each.chainId === chainId)
  if (!chain) return 'bad_signature'
  const { keyless = chain.client } = chain
  try {
    const isValid = await verifyOnChain(keyless, (bounded) =>
      verifyMessage(bounded, { address, message, signature }),
    )
    return isValid ? 'contract' : 'bad_signature'
  } catch (error) {
    log.warn({ chainId, reason: (error as Error).name }, 'a signature could not be checked')
    return 'chain_unreachable'
  }
}
