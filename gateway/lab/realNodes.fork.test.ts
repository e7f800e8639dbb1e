import { startNode } from '../../fixtures/nodes/start/startNode.ts'
import { startGatewayBehind } from '../../fixtures/nodes/testing/startGatewayBehind.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { findDockerAccess } from '../dockerSocket.ts'
import { startTestLab } from './testing/testLab.ts'

/** The commands that people type, on a free tier's node of Base and a paid one of Arbitrum. */
const s = suite('npm start and make lab behind nodes that people have')
const [base, arbitrum] = await Promise.all(
  [8453, 42161].map((chainId) => startWorldChain({ chainId })),
)
if (!base || !arbitrum) throw new Error('the world has both chains')
const [free, paid] = await Promise.all([
  startNode({ profile: 'alchemy-free', upstream: base.rpcUrl, speed: 4 }),
  startNode({ profile: 'alchemy-paid', upstream: arbitrum.rpcUrl, speed: 4 }),
])
const env = { BASE_RPC_URL: free.url, ARBITRUM_RPC_URL: paid.url }
s.after(async () => {
  await Promise.all([free.close(), paid.close()])
  await Promise.all([base.close(), arbitrum.close()])
})

const pairs = [base, arbitrum].map(({ chainId, manifest: { tokens } }) => {
  const [weth, usdc] = [tokens['WETH'], tokens['USDC']]
  if (!weth || !usdc) throw new Error('the world lacks a token')
  const amountIn = String(10n ** 15n)
  return { chainId, pair: { tokenIn: weth.address, tokenOut: usdc.address, amountIn } }
})

s('npm start quotes both chains [nodes/start]', async () => {
  const gateway = await startGatewayBehind({ env })
  try {
    const isDecided = () => gateway.routingUrl() !== undefined || gateway.hasEnded()
    await waitFor('its start', isDecided, { deadlineMs: 120_000, why: gateway.printed })
    // Where this machine's engine cannot be hidden from it, it starts for nobody, and says so.
    if (gateway.hasEnded()) {
      assert.ok(findDockerAccess(env) !== undefined)
      assert.match(gateway.printed(), 'command of a Docker engine')
      return
    }
    for (const { chainId, pair } of pairs)
      await waitFor(
        `a quote of chain ${chainId}`,
        async () => (await gateway.quote(chainId, pair)) === 200,
        { deadlineMs: 120_000, everyMs: 200, why: gateway.printed },
      )
  } finally {
    await gateway.close()
  }
})

s('make lab forks both chains and quotes them [nodes/lab]', async () => {
  const lab = await startTestLab(env)
  try {
    const { mode, services, apiKey } = lab.manifest()
    assert.is(mode, 'forked')
    for (const { chainId, pair } of pairs) {
      const { tokenIn, tokenOut, amountIn } = pair
      const response = await fetch(`${services.routing}/quote`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({
          chain_id: chainId,
          token_in: tokenIn,
          token_out: tokenOut,
          amount_in: amountIn,
        }),
      })
      assert.is(response.status, 200, await response.text())
    }
  } finally {
    await lab.down()
  }
})
s.run()
