import { type Address, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { createRouting } from './service/routing.ts'
import { startSwapStand } from './testing/swapStand.ts'
import { deployTwoFacedHook } from './testing/twoFacedHook.ts'

const s = suite('routes through several pools that the chain is asked about')
const stand = await startSwapStand(8453)
const { chainId, chainClient, manifest, probe, rpcUrl } = stand
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
const tokenOf = (symbol: string) => manifest.tokens[symbol]?.address ?? zeroAddress
const [link, morpho, uni] = ['LINK', 'MORPHO', 'UNI'].map(tokenOf) as [Address, Address, Address]

const first = await deployTwoFacedHook(stand, 'first')
const second = await deployTwoFacedHook(stand, 'second')
for (const hook of [first, second]) await hook.show(100n, 100n)
const deep = 10n ** 21n
const amounts = [deep, deep * 500n] as const
const opened = { amounts, feePips: 500 }

const routing = await createRouting({
  chains: [
    {
      chainClient,
      executor: manifest.executor,
      maxAgeMs: 0,
      pollMs: 3_600_000,
      dexes: stand.dexes.filter(({ name }) => name === 'uniswap-v4'),
    },
  ],
  simulator,
  serviceName: 'test',
  version: '0',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
  patienceMs: 60_000,
})
await routing.warmed
// Made while they are followed: their events tell of them.
await first.open({ ...opened, currencies: [zeroAddress, link] })
await second.open({ ...opened, currencies: [zeroAddress, morpho] })
await first.open({ ...opened, currencies: [zeroAddress, uni] })
s.after(async () => {
  await routing.close()
  await simulator.close()
  await stand.close()
})
const ask = (tokenIn: Address, tokenOut: Address) =>
  routing.quote({ chainId, tokenIn, tokenOut, amountIn: deep, slippageBps: 50, taker: probe })

s('are settled pool by pool, though one manager has them all [21/hooks-two]', async () => {
  const outcome = await ask(link, morpho)
  if (outcome.status !== 'ok' || !outcome.quote.execution) throw new Error(outcome.status)
  const { steps, readiness, source, amountOut, execution } = outcome.quote
  assert.is(new Set(steps.map(({ poolId }) => poolId)).size, 2)
  assert.equal([readiness, source], ['verified', 'rpc'])
  const sent = await stand.execute({ tokenIn: link, value: execution.value, data: execution.data })
  assert.equal([sent.ok, sent.amountOut], [true, amountOut])
})

s('are not quoted twice through one hook, which the first swap may move', async () => {
  assert.is((await ask(link, uni)).status, 'no_route')
})
s.run()
