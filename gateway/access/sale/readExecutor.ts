import type { Address } from 'viem'
import { readContract } from 'viem/actions'
import { quotaManagerAbi } from '../../chain/publicContracts.ts'
import type { AccessChain, QuotaContract } from './accessConfig.ts'

const known = new WeakMap<QuotaContract, Address>()

/**
 * Who swaps for a quota contract, by its own word, which never changes: the settings may name one that was deployed
 * after it.
 */
export async function readExecutor(
  { client }: AccessChain,
  contract: QuotaContract,
): Promise<Address> {
  const { address } = contract
  const executor =
    known.get(contract) ??
    (await readContract(client, { address, abi: quotaManagerAbi, functionName: 'EXECUTOR' }))
  known.set(contract, executor)
  return executor
}
