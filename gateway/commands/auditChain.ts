import { type Hex, hexToBigInt, type RpcTransactionReceipt } from 'viem'
import { readPaidAmount } from '../access/sale/readPayments.ts'
import type { ChainClient } from '../chain/client.ts'
import type { ChainRow, Fault } from '../store/auditBooks.ts'

const partSize = 16
const mustSucceed: ReadonlySet<ChainRow['what']> = new Set(['payment', 'settlement'])

/** What a chain says of the rows that name its transactions. */
export async function auditChain(
  { chainId, client }: Pick<ChainClient, 'chainId' | 'client'>,
  rows: readonly ChainRow[],
): Promise<readonly Fault[]> {
  const own = rows.filter((row) => row.chain_id === chainId)
  const faults: Fault[] = []
  for (let start = 0; start < own.length; start += partSize) {
    const part = own.slice(start, start + partSize)
    const found = await Promise.all(part.map((row) => judge(client, row)))
    faults.push(...found.flat())
  }
  return faults
}

async function judge(
  client: ChainClient['client'],
  { chain_id, what, tx_hash, block_hash, booked_wei, log_index, amount }: ChainRow,
): Promise<readonly Fault[]> {
  const row = `${chain_id} ${what} ${tx_hash}`
  const fault = (found: string): readonly Fault[] => [{ check: 'chain', row, found }]
  const hash = tx_hash as Hex
  const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  // Of a nonce's fills one is mined, or what was lost there after all.
  if (!receipt) return what === 'fill' ? [] : fault('not on the chain')
  if (block_hash !== null && receipt.blockHash !== block_hash)
    return fault(`in block ${receipt.blockHash}, booked in ${block_hash}`)
  if (mustSucceed.has(what) && receipt.status !== '0x1') return fault('reverted')
  if (log_index !== null && amount !== null)
    return judgePayment(receipt, { logIndex: log_index, amount }).flatMap(fault)
  if (booked_wei === null) return []
  const { l1Fee } = receipt as { readonly l1Fee?: Hex | null }
  const spentWei =
    hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice) +
    hexToBigInt(l1Fee ?? '0x0')
  return spentWei > BigInt(booked_wei) ? fault(`cost ${spentWei} wei, booked ${booked_wei}`) : []
}

function judgePayment(
  { logs }: RpcTransactionReceipt,
  { logIndex, amount }: { readonly logIndex: number; readonly amount: string },
): readonly string[] {
  const paid = readPaidAmount(logs, logIndex)
  return paid === BigInt(amount)
    ? []
    : [`log ${logIndex} paid ${paid ?? 'nothing'}, booked ${amount}`]
}
