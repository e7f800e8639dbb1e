import { getChain } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { createRouting } from '../../routing/service/routing.ts'
import { openStore } from '../../store/openStore.ts'

/**
 * A process that takes up a snapshot and tells its parent when it has answered a quote; with `bare` as
 * its last argument it has the same modules and only says that it is there.
 */
const [path = '', rpcUrl = '', tokenIn = '', tokenOut = '', kind = 'routing'] =
  process.argv.slice(2)
const chain = getChain(8453)
if (!chain) throw new Error('chain 8453 is built in')
if (kind === 'bare') {
  process.send?.('there')
} else {
  const store = openStore({ path })
  const routing = await createRouting({
    chains: [{ chainClient: createChainClient({ chain, rpcUrls: [rpcUrl] }), executor: undefined }],
    simulator: undefined,
    snapshots: store.pools,
    serviceName: 'forkyard',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
  const outcome = await routing.quote({
    chainId: 8453,
    tokenIn: tokenIn as `0x${string}`,
    tokenOut: tokenOut as `0x${string}`,
    amountIn: 10n ** 18n,
    slippageBps: 50,
  })
  if (outcome.status !== 'ok') throw new Error(`no quote: ${outcome.status}`)
  process.send?.('answered')
  process.once('disconnect', () => process.exit(0))
}
