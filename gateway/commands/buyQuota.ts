import {
  type Account,
  type Address,
  type Chain,
  type Client,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  isAddress,
  type Transport,
} from 'viem'
import {
  prepareTransactionRequest,
  readContract,
  sendRawTransaction,
  signTransaction,
} from 'viem/actions'
import { quotaManager } from '../../contracts/artifacts.ts'
import { hashKeyId } from '../access/hashKeyId.ts'
import { amountPerQuote } from '../access/sale/amountPerQuote.ts'
import { toClaimBody } from '../access/wire/quota.ts'
import { getChain } from '../chain/chains.ts'
import { isSameAddress } from '../chain/sameAddress.ts'
import { readRetryAfterSecs } from '../client/retryAfter.ts'
import { waitForReceipt } from '../client/waitForReceipt.ts'

/** What the buyer's side knows: the service by its URL and key, the chain by a client that can sign. */
export type BuyDeps = {
  readonly serviceUrl: string
  readonly apiKey: string
  readonly client: Client<Transport, Chain, Account>
  readonly report: (step: string) => void
}

export type Bought = { readonly txHash: Hex; readonly quotes: number; readonly remaining: number }

/** Thrown with a sentence for the person who buys. */
class BuyError extends Error {
  override readonly name = 'BuyError'
}

/**
 * Buys whole quotes for one key and claims them, over the public interfaces only: pricing says where and
 * for how much, `buyFor` binds the payment to the key, so that nobody else can claim it.
 */
export async function buyQuota(deps: BuyDeps, { quotes }: { quotes: number }): Promise<Bought> {
  const { client, report } = deps
  const { contract, token } = await readOffer(deps)
  const keyId = await readKeyId(deps)
  const amount = BigInt(quotes) * amountPerQuote
  const owner = client.account.address
  const balance = await readContract(client, {
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  })
  if (balance < amount)
    throw new BuyError(`${quotes} quotes cost ${amount} raw USDC and ${owner} has ${balance}`)
  const approval = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [contract, amount],
  })
  report(`approving ${amount} raw USDC`)
  await transact(client, { to: token, data: approval })
  const data = encodeFunctionData({
    abi: quotaManager.abi,
    functionName: 'buyFor',
    args: [keyId, BigInt(quotes)],
  })
  report(`buying ${quotes} quotes`)
  const txHash = await transact(client, { to: contract, data })
  report(`claiming ${txHash}`)
  const claimed = await claim(deps, txHash)
  return {
    txHash,
    quotes: Number(claimed['purchased_quotes']),
    remaining: Number(claimed['quota_remaining']),
  }
}

type Offer = Readonly<Record<string, unknown>>

async function readOffer(deps: BuyDeps) {
  const pricing = await ask(deps, '/auth/pricing')
  const contracts = pricing['contracts']
  const offers: readonly (Offer | null)[] = Array.isArray(contracts) ? contracts : []
  const entry = offers.find((each) => each?.['chain_id'] === deps.client.chain.id)
  if (!entry) throw new BuyError(`no quota is sold on chain ${deps.client.chain.id}`)
  const token = getChain(deps.client.chain.id)?.usdc.address
  // The service says where, and neither what in nor for how much: it would be given that much of anything.
  const askedToken = readAddress(entry, 'payment_token')
  if (!token || !isSameAddress(askedToken, token))
    throw new BuyError(`the service asks for ${askedToken}, and quota is paid in USDC`)
  const asked = entry['amount_per_quote']
  if (asked !== String(amountPerQuote))
    throw new BuyError(
      `the service asks for ${asked} raw USDC a quote, which costs ${amountPerQuote}`,
    )
  return { contract: readAddress(entry, 'quota_contract'), token }
}

/** As the chain names the key: by the hash of its name, or what is paid would be nobody's. */
async function readKeyId(deps: BuyDeps): Promise<Hex> {
  const { key_id: name, key_id_hash: told } = await ask(deps, '/auth/key-info')
  const keyId = typeof name === 'string' ? hashKeyId(name) : undefined
  if (keyId === undefined || told !== keyId)
    throw new BuyError(`the service names the key ${name}, and gives ${told} as its hash`)
  return keyId
}

function readAddress(offer: Offer, name: string): Address {
  const given = offer[name]
  if (typeof given === 'string' && isAddress(given, { strict: false })) return given
  throw new BuyError(`the service gave no address as ${name}`)
}

async function transact(
  client: BuyDeps['client'],
  { to, data }: { to: Address; data: Hex },
): Promise<Hex> {
  const request = await prepareTransactionRequest(client, { to, data, type: 'eip1559' })
  const serializedTransaction = await signTransaction(client, request)
  const hash = await sendRawTransaction(client, { serializedTransaction })
  const receipt = await waitForReceipt(client, { hash, pollingInterval: 250 })
  if (receipt.status !== 'success') throw new BuyError(`transaction ${hash} reverted`)
  return hash
}

const claimAttempts = 60
const usualClaimSecs = 2
const longestClaimSecs = 60

/** Until the payment has its confirmations; the service says when to come back. */
async function claim(deps: BuyDeps, txHash: Hex): Promise<Record<string, unknown>> {
  const body = toClaimBody({ chainId: deps.client.chain.id, txHash })
  for (let attempt = 0; attempt < claimAttempts; attempt++) {
    const { status, answer, retryAfterSecs } = await request(deps, '/auth/quota/claim', body)
    if (status === 200) return answer
    if (![409, 429, 503].includes(status)) throw new BuyError(String(answer['error']))
    const waitSecs = Math.min(Math.max(retryAfterSecs, 1), longestClaimSecs)
    await new Promise((resolve) => setTimeout(resolve, waitSecs * 1_000))
  }
  throw new BuyError(`${txHash} is paid but not confirmed yet; claim it later`)
}

async function ask(deps: BuyDeps, path: string): Promise<Record<string, unknown>> {
  const { status, answer } = await request(deps, path)
  if (status !== 200) throw new BuyError(`${path} answered ${status}: ${String(answer['error'])}`)
  return answer
}

/** A claim is answered once the chain has been asked. */
const answerMs = 60_000

async function request({ serviceUrl, apiKey }: BuyDeps, path: string, body?: object) {
  const response = await fetch(serviceUrl + path, {
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    // Another host is not to have the key.
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  }).catch((error: Error) => {
    const { message } = (error.cause ?? error) as Error
    throw new BuyError(`${path} is not answered: ${message}`, { cause: error })
  })
  const answer = (await response.json()) as Record<string, unknown>
  const retryAfter = response.headers.get('retry-after')
  const retryAfterSecs = readRetryAfterSecs(retryAfter, Date.now()) ?? usualClaimSecs
  return { status: response.status, answer, retryAfterSecs }
}
