import type { Mainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import type { Chain } from '../../../chain/chains.ts'
import type { Dex } from '../../../chain/dex.ts'
import { type PoolRecord, toRef } from '../../protocols/poolRecord.ts'
import type { PoolRef } from '../../reads/poolRef.ts'
import { loadPools } from '../../sync/loadPools.ts'
import { openMainnet } from './openMainnet.ts'

/** Reads pools of a made-up chain at a block, without a node in the way. */
export async function readMainnet(
  {
    chain,
    mainnet,
    dexes,
  }: { readonly chain: Chain; readonly mainnet: Mainnet; readonly dexes: readonly Dex[] },
  {
    records,
    blockNumber,
  }: { readonly records: Iterable<PoolRecord>; readonly blockNumber: bigint },
): Promise<ReadonlyMap<string, PoolRecord>> {
  const chainClient = openMainnet({ chain, mainnet })
  try {
    const pools = [...records].flatMap((record): PoolRef[] => {
      const dex = dexes.find(({ name }) => name === record.dex)
      return dex ? [toRef(record, dex)] : []
    })
    const read = await loadPools({ client: chainClient.client }, { pools, blockNumber })
    return new Map(read.map((record) => [record.id, record]))
  } finally {
    chainClient.close()
  }
}
