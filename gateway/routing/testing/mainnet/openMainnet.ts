import type { Mainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import type { Chain } from '../../../chain/chains.ts'
import { type ChainClient, createChainClient } from '../../../chain/client.ts'
import { nameByHash } from '../../../chain/nodes/blockHashes.ts'
import type { RpcCall } from '../../../chain/nodes/readReply.ts'

/** A client of a made-up chain, without a node in the way. */
export function openMainnet({
  chain,
  mainnet,
  told = () => undefined,
}: {
  readonly chain: Chain
  readonly mainnet: Mainnet
  /** Of each request. */
  readonly told?: ((calls: readonly RpcCall[]) => void) | undefined
}): ChainClient {
  return createChainClient({
    chain,
    rpcUrls: ['http://127.0.0.1:1'],
    alterSend: () => async (calls) => {
      told(calls)
      const asked = calls
        .map(nameByHash)
        .map(({ method, params }) => ({ method, params: params as [] }))
      return { answers: await mainnet.ask(asked), trouble: { kind: 'bad_answer' } }
    },
  })
}
