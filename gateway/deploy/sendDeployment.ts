import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Account,
  createWalletClient,
  custom,
  type Hash,
  type Hex,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { getBlockNumber, getTransactionCount, getTransactionReceipt } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import { inspectContract } from './inspectDeployment.ts'
import type { PlannedContract } from './planDeployment.ts'

export type Deployed = {
  readonly contract: PlannedContract
  readonly codeHash: Hex
  /** Absent where somebody else was faster. */
  readonly transaction?: Hex
}
type Deps = Pick<ChainClient, 'client' | 'chain'> & {
  readonly account: Account
  readonly report: (line: string) => void
}

/**
 * Puts missing contracts where they belong, one after the other, each confirmed before the next.
 * Every address is known beforehand, so whoever is stopped in between runs it again. What all operators share
 * anybody may send first: then it stands, and that is all that was wanted.
 * @throws Error when a transaction reverts, is not mined in time, or leaves other code
 */
export async function* sendDeployment(
  deps: Deps,
  {
    missing,
    confirmations,
    timeoutMs = 300_000,
  }: {
    readonly missing: readonly PlannedContract[]
    readonly confirmations: number
    readonly timeoutMs?: number | undefined
  },
): AsyncGenerator<Deployed> {
  const { client, account } = deps
  const wallet = createWalletClient({
    account,
    chain: client.chain,
    transport: custom(client, { retryCount: 0 }),
  })
  for (const contract of missing) {
    const { name, address, to, data } = contract
    const transaction = await wallet.sendTransaction({ to, data }).catch(async (error: unknown) => {
      // Its gas can't be estimated where the contract is there already.
      const now = await inspectContract(client, contract)
      if (now.status !== 'standing') throw error
      return undefined
    })
    if (transaction !== undefined) deps.report(`${name}: sent ${transaction}`)
    const receipt =
      transaction && (await confirm(client, { hash: transaction, confirmations, timeoutMs }))
    const standing = await inspectContract(client, contract)
    const isOurs = receipt?.status === 'success'
    if (standing.status !== 'standing')
      throw new Error(
        isOurs
          ? `${name}: ${address} does not hold its code after ${transaction}`
          : `${name}: ${transaction} reverted`,
      )
    const { codeHash } = standing
    deps.report(
      `${name}: ${address}, ${isOurs ? `${receipt.gasUsed} gas` : 'put there by another'}`,
    )
    yield { contract, codeHash, ...(isOurs && transaction && { transaction }) }
  }
}

async function readReceipt(client: Deps['client'], hash: Hash) {
  try {
    return await getTransactionReceipt(client, { hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

/** Reads the receipt anew until its block is deep enough, so that a reorganisation is seen. */
async function confirm(
  client: Deps['client'],
  {
    hash,
    confirmations,
    timeoutMs,
  }: { readonly hash: Hash; readonly confirmations: number; readonly timeoutMs: number },
): Promise<TransactionReceipt> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const [receipt, head] = await Promise.all([readReceipt(client, hash), getBlockNumber(client)])
    if (receipt && head - receipt.blockNumber + 1n >= BigInt(confirmations)) return receipt
    if (performance.now() > until)
      throw new Error(`${hash} has no ${confirmations} confirmations yet: run this again later`)
    await sleep(client.pollingInterval)
  }
}

/** How many transactions of an account wait to be mined, such as those of a run that was stopped. */
export async function countPending(
  { client }: Pick<ChainClient, 'client'>,
  { account }: { readonly account: Pick<Account, 'address'> },
): Promise<number> {
  const { address } = account
  const [mined, pending] = await Promise.all([
    getTransactionCount(client, { address, blockTag: 'latest' }),
    getTransactionCount(client, { address, blockTag: 'pending' }),
  ])
  return Math.max(0, pending - mined)
}
