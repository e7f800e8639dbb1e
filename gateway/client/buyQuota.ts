import {
  type Address,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseSignature,
} from 'viem'
import { readContract } from 'viem/actions'
import type { CallOptions } from './call.ts'
import { checkChallenge, checkOffer } from './checkAnswers.ts'
import type { Client } from './client.ts'
import { ForkyardError } from './forkyardError.ts'
import { pause } from './pause.ts'
import {
  approveExact,
  createReader,
  type Reader,
  requireChain,
  signerOf,
  transact,
  type Wallet,
} from './wallet.ts'
import { toChallengeRequest, toClaimRequest } from './wire/requests.ts'
import type { Claim, PricingContract, Registration } from './wire/routing.ts'

const managerAbi = parseAbi([
  'function TOKEN() view returns (address)',
  'function buyFor(bytes32 keyId, uint256 quotes)',
  'function buyForWithPermit(bytes32 keyId, uint256 quotes, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])
const permitAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])
const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
}
const permitForSecs = 1_200
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
  const reader = createReader(wallet)
  await requireChain(reader, chainId)
  const { contracts } = await client.access.pricing(options)
  const offer = contracts.find((each) => each.chain_id === chainId)
  if (!offer) {
    const facts = { status: 0, code: 'payment_required' } as const
    throw new ForkyardError(`no quota is sold on chain ${chainId}`, facts)
  }
  const token = paymentToken ?? (quotaManager && (await readToken(reader, quotaManager)))
  const amount = checkOffer(offer, { quotes, maxAmount, quotaManager, paymentToken: token })
  const { key_id_hash: keyId } = await client.access.keyInfo(options)
  const permit = await signPermit({ wallet, reader }, { offer, amount })
  const { quota_contract: spender } = offer
  if (!permit)
    await approveExact({ wallet, reader }, { token: offer.payment_token, spender, amount })
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
  const { transactionHash: txHash } = await transact(
    { wallet, reader },
    { to: spender, data, value: 0n },
  )
  const claim = await claimPaid(client, { chainId, txHash, options })
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
      const isEarly = error instanceof ForkyardError && [404, 409, 503].includes(error.status)
      if (!isEarly || left <= 1) throw error
      const { retryAfterSecs = usualClaimSecs } = error
      await pause(Math.min(Math.max(retryAfterSecs, 1), longestClaimSecs) * 1_000, options.signal)
    }
  }
}

/** Undefined where the token has none, or hashes it otherwise than its name and version say. */
async function signPermit(
  { wallet, reader }: { readonly wallet: Wallet; readonly reader: Reader },
  { offer, amount }: { readonly offer: PricingContract; readonly amount: bigint },
) {
  const sign = signerOf(wallet)
  const { payment_token: token, quota_contract: spender, chain_id: chainId } = offer
  const facts = sign && (await readPermitFacts(reader, { token, owner: wallet.address }))
  if (!facts) return undefined
  const domain = { name: facts.name, version: facts.version, chainId, verifyingContract: token }
  if (domainSeparator({ domain }) !== facts.separator) return undefined
  const deadline = BigInt(Math.floor(Date.now() / 1_000) + permitForSecs)
  const message = { owner: wallet.address, spender, value: amount, nonce: facts.nonce, deadline }
  const signature = await sign({ domain, types: permitTypes, primaryType: 'Permit', message })
  const { r, s, yParity } = parseSignature(signature)
  return { deadline, r, s, v: 27 + yParity }
}

async function readPermitFacts(
  reader: Reader,
  { token: address, owner }: { readonly token: Address; readonly owner: Address },
) {
  const contract = { address, abi: permitAbi } as const
  const read = await Promise.allSettled([
    readContract(reader, { ...contract, functionName: 'name' }),
    readContract(reader, { ...contract, functionName: 'version' }),
    readContract(reader, { ...contract, functionName: 'nonces', args: [owner] }),
    readContract(reader, { ...contract, functionName: 'DOMAIN_SEPARATOR' }),
  ])
  const [name, version, nonce, separator] = read
  if (
    name.status === 'rejected' ||
    version.status === 'rejected' ||
    nonce.status === 'rejected' ||
    separator.status === 'rejected'
  )
    return undefined
  return {
    name: name.value,
    version: version.value,
    nonce: nonce.value,
    separator: separator.value,
  }
}
