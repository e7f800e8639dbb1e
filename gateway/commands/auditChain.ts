import { type Hex, hexToBigInt } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import type { ChainRow, Fault } from '../store/auditBooks.ts'

const partSize = 16

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
  { chain_id, what, tx_hash, block_hash, booked_wei }: ChainRow,
): Promise<readonly Fault[]> {
  const row = `${chain_id} ${what} ${tx_hash}`
  const fault = (found: string): readonly Fault[] => [{ check: 'chain', row, found }]
  const hash = tx_hash as Hex
  const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (!receipt) return fault('not on the chain')
  if (block_hash !== null && receipt.blockHash !== block_hash)
    return fault(`in block ${receipt.blockHash}, booked in ${block_hash}`)
  if (what !== 'relay' && receipt.status !== '0x1') return fault('reverted')
  if (booked_wei === null) return []
  const { l1Fee } = receipt as { readonly l1Fee?: Hex | null }
  const spentWei =
    hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice) +
    hexToBigInt(l1Fee ?? '0x0')
  return spentWei > BigInt(booked_wei) ? fault(`cost ${spentWei} wei, booked ${booked_wei}`) : []
}
