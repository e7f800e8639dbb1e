import type { Address, Chain, Client, Transport } from 'viem'
import { getBlock, getBlockNumber, getTransactionCount, getTransactionReceipt } from 'viem/actions'
import { isSameAddress } from '../chain/sameAddress.ts'

type ChainClient = Client<Transport, Chain>

export type NonceChain = {
  readonly client: ChainClient
  /** Each upstream for itself, where there are several. */
  readonly witnesses?: readonly ChainClient[] | undefined
}

type Claim = {
  readonly signer: Address
  /** Next nonce, by one answer of one node. */
  readonly claimed: number
  /** Next nonce by our book; 0 where it is empty. */
  readonly known: number
}

/**
 * A nonce signed too high is never mined, and with it all that is signed after it: a chain that is ahead of
 * our book has to show it. Answers the nonce that another node, or a receipt, bears out; undefined when the
 * claim is neither borne out nor taken back.
 */
export async function proveNonce(
  { client, witnesses = [] }: NonceChain,
  { signer, claimed, known }: Claim,
): Promise<number | undefined> {
  if (claimed <= known) return claimed
  const [, second] = await readCounts(witnesses, signer)
  if (second !== undefined) return Math.min(claimed, second)
  const again = await getTransactionCount(client, { address: signer, blockTag: 'latest' })
  if (again < claimed) return again
  // An empty book knows nothing better, and nothing of it could be held up; of several nodes another is awaited.
  if (known === 0 && witnesses.length < 2) return claimed
  return (await hasReceipt(client, { signer, nonce: claimed - 1 })) ? claimed : undefined
}

/**
 * Below which nonce all are used: the claim of one node, or more where two count more. By one that counts too low
 * all that was ever signed above it would be sent again, raised and filled.
 */
export async function proveUsed(
  { witnesses = [] }: Pick<NonceChain, 'witnesses'>,
  { signer, claimed }: Pick<Claim, 'signer' | 'claimed'>,
): Promise<number> {
  const [, second = claimed] = await readCounts(witnesses, signer)
  return Math.max(claimed, second)
}

/** Of all who answer, the highest first: one alone may be wrong, either way. */
export async function readCounts(
  witnesses: readonly ChainClient[],
  address: Address,
): Promise<readonly number[]> {
  const answers = await Promise.allSettled(
    witnesses.map((each) => getTransactionCount(each, { address, blockTag: 'latest' })),
  )
  return answers
    .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    .toSorted((a, b) => b - a)
}

/** Looks for the block that used the nonce; a node that has lost its state there proves nothing. */
async function hasReceipt(
  client: ChainClient,
  { signer, nonce }: { readonly signer: Address; readonly nonce: number },
): Promise<boolean> {
  const isUsed = async (blockNumber: bigint) =>
    (await getTransactionCount(client, { address: signer, blockNumber })) > nonce
  try {
    let high = await getBlockNumber(client, { cacheTime: 0 })
    let low = high
    for (let step = 1n; await isUsed(low); step *= 2n) {
      if (low === 0n) return false
      high = low
      low = low > step ? low - step : 0n
    }
    while (high - low > 1n) {
      const middle = (low + high) / 2n
      if (await isUsed(middle)) high = middle
      else low = middle
    }
    const block = await getBlock(client, { blockNumber: high, includeTransactions: true })
    const found = block.transactions.find(
      (each) => each.nonce === nonce && isSameAddress(each.from, signer),
    )
    if (!found) return false
    const receipt = await getTransactionReceipt(client, { hash: found.hash })
    return receipt.blockHash === block.hash && isSameAddress(receipt.from, signer)
  } catch {
    return false
  }
}
