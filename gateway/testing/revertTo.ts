import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from 'viem'

type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>
type Pool = {
  readonly pending: Readonly<Record<string, Readonly<Record<string, { readonly hash: Hex }>>>>
}

const pollMs = 5
const patienceMs = 10_000

/**
 * `evm_revert`, once the pool has let go of what was mined. anvil shows a receipt a moment before it
 * clears the pool, by sender and nonce: a transaction sent after a revert in that moment has the same
 * nonce, and is cleared unmined.
 * @returns whether the snapshot was there.
 */
export async function revertTo(
  { request }: { readonly request: Request },
  snapshot: unknown,
): Promise<boolean> {
  const deadline = Date.now() + patienceMs
  while (await holdsMined({ request })) {
    if (Date.now() > deadline) throw new Error('the pool keeps transactions that were mined')
    await delay(pollMs)
  }
  return (await request('evm_revert', [snapshot])) === true
}

async function holdsMined({ request }: { readonly request: Request }): Promise<boolean> {
  const { pending } = (await request('txpool_content')) as Pool
  const hashes = Object.values(pending).flatMap((of) => Object.values(of).map(({ hash }) => hash))
  const receipts = await Promise.all(
    hashes.map((hash) => request('eth_getTransactionReceipt', [hash])),
  )
  return receipts.some((receipt) => receipt !== null)
}
