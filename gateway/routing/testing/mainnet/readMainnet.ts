import type { Mainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import type { Chain } from '../../../chain/chains.ts'
import { createChainClient } from '../../../chain/client.ts'
import type { Dex } from '../../../chain/dex.ts'
import { nameByHash } from '../../../chain/nodes/blockHashes.ts'
import { type PoolRecord, toRef } from '../../protocols/poolRecord.ts'
import type { PoolRef } from '../../reads/poolRef.ts'
import { loadPools } from '../../sync/loadPools.ts'

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
  const chainClient = createChainClient({
    chain,
    rpcUrls: ['http://127.0.0.1:1'],
    alterSend: () => async (calls) => {
      const asked = calls
        .map(nameByHash)
        .map(({ method, params }) => ({ method, params: params as [] }))
      return { answers: await mainnet.ask(asked), trouble: { kind: 'bad_answer' } }
    },
  })
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
