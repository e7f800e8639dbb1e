import type { Chain, Client, Transport } from 'viem'
import { boundGas } from './boundGas.ts'
import { findRefusal } from './nodes/findRefusal.ts'

type ChainClient = Client<Transport, Chain>

/**
 * Whether a signature is valid by viem's check, which may have a node run a contract's code. It answers false also
 * where no node has run it, and throws at some that it cannot read (ERC-8010). Rejects where a node kept back what
 * the verdict hangs on: what the code itself does, as to revert or to burn its gas, is a verdict.
 */
export async function verifyOnChain(
  client: ChainClient,
  verify: (bounded: ChainClient) => Promise<boolean>,
): Promise<boolean> {
  const bounded = boundGas(client)
  const failures: unknown[] = []
  const request = (call: object, options?: object) =>
    bounded.request(call as never, options).catch((error: unknown) => {
      if (findRefusal(error)?.kind !== 'reverted') failures.push(error)
      throw error
    })
  const watched = { ...bounded, request: request as ChainClient['request'] }
  const isValid = await verify(watched).catch(() => false)
  if (!isValid && failures.length > 0) throw failures[0]
  return isValid
}
