import { Type } from 'typebox'
import { getAddress } from 'viem'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { type HttpError, httpError } from '../../http/httpError.ts'
import { named } from '../../http/schemas.ts'
import { createAddressTurns } from '../limits/addressTurns.ts'
import { chainWorkWeight } from '../limits/chainWorkWeight.ts'
import type { AccessDeps } from '../sale/accessConfig.ts'
import { type Claim, claimQuota } from '../sale/claimQuota.ts'
import type { Resource } from '../sale/listResources.ts'
import { createChallenge, registerWallet } from '../siweChallenge.ts'
import { readOffers } from '../x402/readOffers.ts'
import { x402Endpoints } from '../x402/routes.ts'
import * as auth from './auth.ts'
import * as examples from './examples.ts'
import * as quota from './quota.ts'

const discoveryResponse = named(
  'X402Discovery',
  Type.Object({
    x402Version: Type.Integer(),
    accepts: Type.Array(Type.Object({}), { description: 'As in a 402' }),
    resources: Type.Array(
      named(
        'X402Resource',
        Type.Object({
          method: Type.String(),
          url: Type.String(),
          units: Type.Integer({ description: 'Quota units of a request' }),
          per: Type.Optional(
            Type.String({ description: 'The units are of each of these in a request' }),
          ),
        }),
      ),
      { description: 'What is sold' },
    ),
  }),
)

/**
 * Registration, key information, pricing, claims and x402 discovery; the routing service mounts them. `sold` is
 * what quota buys, over all services.
 */
export function accessEndpoints(
  deps: AccessDeps,
  sold: readonly Resource[] = [],
): readonly Endpoint[] {
  return [
    ...walletEndpoints(deps),
    ...keyEndpoints(deps),
    ...saleEndpoints(deps, sold),
    ...x402Endpoints(deps),
  ]
}

function walletEndpoints(deps: AccessDeps): readonly Endpoint[] {
  const chainIds = deps.chains.map(({ chainId }) => chainId)
  if (chainIds.length === 0) return []
  return [
    endpoint({
      method: 'post',
      path: '/auth/challenge',
      summary: 'A message for a wallet to sign',
      input: auth.challengeBody(chainIds),
      output: auth.challengeResponse,
      auth: 'none',
      errors: { 503: 'The database does not answer' },
      examples: examples.challenge,
      handle: async ({ body }) => {
        const address = getAddress(body.address)
        return auth.fromChallenge(await createChallenge(deps, { address, chainId: body.chain_id }))
      },
    }),
    endpoint({
      method: 'post',
      path: '/auth/register',
      summary: 'An API key for the wallet that signed a challenge',
      description:
        'A wallet that has a key gets a new secret for the same key and quota; the old one stops. Ordinary accounts, ERC-1271 and ERC-6492 wallets; the key of a contract wallet is one of the chain of its challenge, where alone its payments are its own.',
      input: auth.registerBody,
      output: auth.registerResponse,
      auth: 'none',
      weight: chainWorkWeight,
      errors: {
        403: 'A key of this wallet was revoked for abuse',
        503: 'The chain that would check a contract wallet is out of reach, or the database does not answer',
      },
      examples: examples.register,
      handle: async ({ body }) => {
        const { nonce, signature } = body
        const address = getAddress(body.address)
        const result = await registerWallet(deps, { address, nonce, signature })
        switch (result.status) {
          case 'registered':
            return auth.fromRegistration(result)
          case 'unknown_challenge':
            throw httpError(
              'invalidRequest',
              'nonce is unknown, used, expired or of another address; ask for a new challenge',
            )
          case 'bad_signature':
            throw httpError(
              'invalidRequest',
              'signature does not sign the challenge for this address',
            )
          case 'barred':
            throw httpError('forbidden', 'this wallet is barred: a key of it was revoked for abuse')
          case 'chain_unreachable':
            throw httpError('unavailable', 'the chain that checks this signature cannot be reached')
        }
      },
    }),
  ]
}

function keyEndpoints(deps: AccessDeps): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/auth/key-info',
      summary: 'The calling key and its quota',
      output: auth.keyInfoResponse,
      auth: 'key',
      examples: examples.keyInfo,
      handle: async ({ caller }) => {
        const key = await deps.store.keys.find(caller.keyId)
        if (!key) throw httpError('unauthorized')
        return auth.fromKey(key, await deps.store.ledger.balance(key.id))
      },
    }),
    endpoint({
      method: 'get',
      path: '/auth/pricing',
      summary: 'Price per quote and where to pay',
      output: quota.pricingResponse,
      auth: 'none',
      examples: examples.pricing,
      handle: async () => quota.fromPricing(deps.config),
    }),
  ]
}

/** Absent where no quota is sold: the operator hands it out. */
function saleEndpoints(deps: AccessDeps, sold: readonly Resource[]): readonly Endpoint[] {
  const { config } = deps
  const chainIds = config.contracts.map(({ chainId }) => chainId)
  if (chainIds.length === 0) return []
  const takeTurn = createAddressTurns(deps, 'claim')
  return [
    endpoint({
      method: 'post',
      path: '/auth/quota/claim',
      summary: 'Credits a payment to the calling key',
      description: 'Claiming the same payment again answers the same and credits nothing.',
      input: quota.claimBody(chainIds),
      output: quota.claimResponse,
      auth: 'key',
      weight: chainWorkWeight,
      errors: {
        403: 'The payment belongs to another key',
        404: 'The chain does not know the transaction',
        409: 'Pending or too few confirmations; Retry-After says when to come back',
        503: 'The chain is out of reach',
      },
      examples: examples.claim,
      handle: async ({ body, caller, ip }) => {
        await takeTurn(ip, chainWorkWeight)
        const claim = await claimQuota(deps, {
          caller,
          chainId: body.chain_id,
          txHash: body.tx_hash,
        })
        if (claim.status === 'claimed') return quota.fromClaim(claim)
        throw toClaimError(claim)
      },
    }),
    endpoint({
      method: 'get',
      path: '/.well-known/x402',
      summary: 'x402 discovery: what is sold, how to pay, where to claim',
      output: discoveryResponse,
      auth: 'none',
      examples: examples.discovery,
      handle: async () => ({
        x402Version: 2,
        accepts: [...(await readOffers(deps))],
        resources: [...sold],
        ...(config.contracts.some(({ settlement }) => settlement) && {
          facilitator: {
            verify: `${config.publicUrl}/x402/verify`,
            settle: `${config.publicUrl}/x402/settle`,
          },
        }),
        pricing: `${config.publicUrl}/auth/pricing`,
        claim: `${config.publicUrl}/auth/quota/claim`,
      }),
    }),
  ]
}

export function toClaimError(claim: Exclude<Claim, { status: 'claimed' }>): HttpError {
  const retry = { headers: { 'retry-after': '2' } }
  switch (claim.status) {
    case 'unsupported_chain':
      return httpError('invalidRequest', 'no quota is sold on this chain')
    case 'reverted':
      return httpError('invalidRequest', 'this transaction reverted, so it paid nothing')
    case 'not_a_payment':
      return httpError(
        'invalidRequest',
        'this transaction paid nothing in the payment token to the quota contract',
      )
    case 'dust':
      return httpError('invalidRequest', 'this payment is worth less than one quote')
    case 'too_large':
      return httpError('invalidRequest', 'this payment is too large to be credited')
    case 'belongs_to_another_key':
      return httpError('forbidden', 'this payment belongs to another key')
    case 'unknown_transaction':
      return httpError('unknownTransaction')
    case 'unconfirmed':
      return httpError(
        'conflict',
        `this transaction has ${claim.confirmations} of ${claim.needed} confirmations; claim again later`,
        retry,
      )
    case 'not_final':
      return httpError('conflict', 'a payment of this size counts once its block is final', {
        headers: { 'retry-after': '60' },
      })
    case 'chain_unreachable':
      return httpError('unavailable', 'the chain of this payment cannot be reached', {
        headers: { 'retry-after': '5' },
      })
  }
}
