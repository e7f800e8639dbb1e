import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import type { CallOptions } from './call.ts'
import { checkChallenge, checkKey, checkOffer } from './checkAnswers.ts'
import type { Client } from './client.ts'
import { ForkyardError } from './forkyardError.ts'
import { pause } from './pause.ts'
import { signPermit } from './signPermit.ts'
import {
  approveExact,
  type Reader,
  requireOnChain,
  SwapError,
  transact,
  type Wallet,
} from './wallet.ts'
import { toChallengeRequest, toClaimRequest } from './wire/requests.ts'
import type { Claim, Registration } from './wire/routing.ts'

const managerAbi = parseAbi([
  'function TOKEN() view returns (address)',
  'function buyFor(bytes32 keyId, uint256 quotes)',
  'function buyForWithPermit(bytes32 keyId, uint256 quotes, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])
const claimTries = 60
const usualClaimSecs = 2
/** A claim is for somebody who waits for it. */
const longestClaimSecs = 60

/** An API key for a wallet's signature of the service's challenge. */
export async function registerWallet(
  client: Client,
  {
    address,
    chainId,
    domain = new URL(client.services.routing).host,
    signMessage,
    ...options
  }: CallOptions & {
    readonly address: Address
    /** Where a contract wallet stands. */
    readonly chainId?: number | undefined
    /** That the challenge must be of. Default: the routing service's host, as the client calls it. */
    readonly domain?: string | undefined
    readonly signMessage: (message: string) => Promise<Hex>
  },
): Promise<Registration> {
  const challenge = await client.access.challenge(toChallengeRequest(address, chainId), options)
  checkChallenge(challenge, { address, chainId, domain })
  const { message, nonce } = challenge
  const signature = await signMessage(message)
  return client.access.register({ address, nonce, signature }, options)
}

/**
 * Pays for quotes from the wallet and claims them for the client's key. One transaction where the payment token
 * takes a permit and the wallet signs one, else an exact approval before it.
 */
export async function buyQuota(
  { client, wallet }: { readonly client: Client; readonly wallet: Wallet },
  {
    chainId,
    quotes,
    maxAmount,
    quotaManager,
    paymentToken,
    ...options
  }: CallOptions & {
    readonly chainId: number
    readonly quotes: number
    /** Most that all of them may cost, in raw units of the payment token. */
    readonly maxAmount: bigint
    /** From a source of your own: who may take the payment. Without it the service is trusted to say. */
    readonly quotaManager?: Address | undefined
    /**
     * What is paid in, and `maxAmount` counts; no other token is approved or signed for. Default: what
     * `quotaManager` says on the wallet's chain. One of the two has to be given.
     */
    readonly paymentToken?: Address | undefined
  },
): Promise<Claim & { readonly txHash: Hex }> {
  const onChain = await requireOnChain(wallet, chainId)
  const { contracts } = await client.access.pricing(options)
  const offer = contracts.find((each) => each.chain_id === chainId)
  if (!offer) {
    const facts = { status: 0, code: 'payment_required' } as const
    throw new ForkyardError(`no quota is sold on chain ${chainId}`, facts)
  }
  const token = paymentToken ?? (quotaManager && (await readToken(onChain.reader, quotaManager)))
  const amount = checkOffer(offer, { quotes, maxAmount, quotaManager, paymentToken: token })
  const keyId = checkKey(await client.access.keyInfo(options))
  const { quota_contract: spender } = offer
  const approval = { token: offer.payment_token, spender, amount }
  const permit = await signPermit(onChain, approval)
  if (!permit) await approveExact(onChain, approval)
  const data = permit
    ? encodeFunctionData({
        abi: managerAbi,
        functionName: 'buyForWithPermit',
        args: [keyId, BigInt(quotes), permit.deadline, permit.v, permit.r, permit.s],
      })
    : encodeFunctionData({
        abi: managerAbi,
        functionName: 'buyFor',
        args: [keyId, BigInt(quotes)],
      })
  const { transactionHash: txHash } = await transact(onChain, { to: spender, data, value: 0n })
  const claim = await claimPaid(client, { chainId, txHash, options }).catch((cause: Error) => {
    const sentence = `paid by ${txHash}, and not claimed: ${cause.message}`
    throw new SwapError('unclaimed', sentence, txHash, { cause })
  })
  return { ...claim, txHash }
}

const readToken = (reader: Reader, address: Address) =>
  readContract(reader, { address, abi: managerAbi, functionName: 'TOKEN' })

/** Until the payment has its confirmations; the service says when to come back. */
async function claimPaid(
  client: Client,
  {
    chainId,
    txHash,
    options,
  }: { readonly chainId: number; readonly txHash: Hex; readonly options: CallOptions },
): Promise<Claim> {
  for (let left = claimTries; ; left--) {
    try {
      return await client.access.claim(toClaimRequest(chainId, txHash), options)
    } catch (error) {
      const isEarly = error instanceof ForkyardError && [404, 409, 429, 503].includes(error.status)
      if (!isEarly || left <= 1) throw error
      const { retryAfterSecs = usualClaimSecs } = error
      await pause(Math.min(Math.max(retryAfterSecs, 1), longestClaimSecs) * 1_000, options.signal)
    }
  }
}
