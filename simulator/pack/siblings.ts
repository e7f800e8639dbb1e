import { toHex } from 'viem'
import type { RpcCall } from '../rpc/rpcBatch.ts'
import type { Pin } from './packCall.ts'

const accountReads: readonly string[] = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']

/**
 * What the next run may ask beside a call, as its reads happen to race: another thing of the same account;
 * the pinned block's transactions, among which a wallet library looks for one that is not mined yet.
 */
export function siblingsOf(
  { method, params }: RpcCall,
  { blockNumber }: Pick<Pin, 'blockNumber'>,
): readonly RpcCall[] {
  if (accountReads.includes(method))
    return accountReads
      .filter((other) => other !== method)
      .map((other) => ({ method: other, params }))
  const [block, isWhole] = params
  return method === 'eth_getBlockByNumber' && block === toHex(blockNumber)
    ? [{ method, params: [block, !isWhole] }]
    : []
}
