import type { Chain, Client, Transport } from 'viem'
import { getChainId } from 'viem/actions'
import { boundGas } from './boundGas.ts'

type ChainClient = Client<Transport, Chain>

/**
 * Whether a signature is valid by viem's check, which may have a node run a contract's code. It answers false also
 * where the node is away, and throws at some that it cannot read (ERC-8010): a chain that answers makes either a
 * verdict. Rejects where it does not.
 */
export async function verifyOnChain(
  client: ChainClient,
  verify: (bounded: ChainClient) => Promise<boolean>,
): Promise<boolean> {
  const isValid = await verify(boundGas(client)).catch(() => false)
  if (!isValid) await getChainId(client)
  return isValid
}
