import { getAddress } from 'viem'
import { compileImpostor } from '../../fixtures/chains/compileImpostor.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { worldAddress } from '../../fixtures/world/parts/builder.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { createRouting } from './service/routing.ts'
import { startSwapStand } from './testing/swapStand.ts'

const s = suite('pools that answer takers differently')
const stand = await startSwapStand(8453)
const { rpc, chainId, rpcUrl, chainClient, manifest, probe } = stand
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
const protocols = ['curve_stable_ng', 'uniswap_v3', 'aerodrome_v2']
const routing = await createRouting({
  chains: [
    {
      chainClient,
      executor: manifest.executor,
      maxAgeMs: 0,
      pollMs: 3_600_000,
      dexes: stand.dexes.filter(({ protocol }) => protocols.includes(protocol)),
    },
  ],
  simulator,
  serviceName: 'test',
  version: '0',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
})
await routing.warmed
s.after(async () => {
  await routing.close()
  await simulator.close()
  await stand.close()
})

/** Both exchanges of Curve's are refused to whoever sends them from this taker. */
const picky = compileImpostor(
  `if ((msg.sig == 0x3df02124 || msg.sig == 0xddc1f59d) && tx.origin == ${getAddress(probe)}) revert("not you");`,
)

s('are left out of a request whose dry run fell, and another route is verified', async () => {
  const pools = [...(routing.status()[0]?.state?.pools.values() ?? [])]
  const strange = pools.filter(({ protocol }) => protocol === 'curve_stable_ng')
  let refused = 0
  for (const { address, tokens } of strange) {
    const [tokenIn, tokenOut] = tokens.map((token) => getAddress(token))
    if (!tokenIn || !tokenOut) throw new Error('a pool has two tokens')
    const amountIn = (await stand.balanceOf(tokenIn, probe)) / 10_000n
    const asked = { chainId, tokenIn, tokenOut, amountIn, slippageBps: 50, taker: probe }
    const before = await routing.quote({ ...asked, verify: true })
    const used = before.status === 'ok' ? before.quote.steps.map(({ pool }) => pool) : []
    if (!used.some((pool) => pool.toLowerCase() === address.toLowerCase())) continue
    const truth = worldAddress(`what ${address} does`)
    await rpc('anvil_setCode', truth, await rpc('eth_getCode', address, 'latest'))
    await stand.builder.deployAt({ address, artifact: picky, args: [truth] })
    const after = await routing.quote({ ...asked, verify: true })
    if (after.status !== 'ok') throw new Error('another route is there')
    assert.is(after.quote.readiness, 'verified')
    const steps = after.quote.steps.map(({ pool }) => pool.toLowerCase())
    assert.not.ok(steps.includes(address.toLowerCase()))
    refused += 1
  }
  assert.ok(refused > 0, 'some were part of a route')
})
s.run()
