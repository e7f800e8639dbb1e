import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { send } from '../../fixtures/chains/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { nativeAddresses } from '../chain/native.ts'
import { startRouting } from './testing/startRouting.ts'

const chainId = 42161
const world = await startWorldChain({ chainId })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 42161 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: world.rpcUrl }] })
const { executor } = world.manifest
const routing = await startRouting(simulator, { chainClient, executor })
await simulator.close()

const [account] = world.manifest.accounts
if (!account) throw new Error('the world funds accounts')
const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const native = nativeAddresses[0] ?? '0x'
const symbols = ['USDC', 'USDT', 'DAI', 'WBTC', 'ARB', 'GMX', 'LINK', 'UNI', 'PENDLE', 'WETH']

const s = suite('gas model')
s.after(async () => {
  await routing.close()
  chainClient.close()
  await world.close()
})

s(
  'is within 10 % of the receipts of small and large, plain and split swaps [routing/gas]',
  async () => {
    const args = [executor, maxUint256] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    for (const symbol of symbols) {
      const to = world.manifest.tokens[symbol]?.address
      if (to) await send(sender, { to, data })
    }
    const errors: string[] = []
    let executed = 0
    for (const [index, symbolIn] of symbols.entries())
      for (const step of [1, 4]) {
        const symbolOut = symbols[(index + step) % symbols.length] ?? 'WETH'
        const funded = BigInt(account.funded[symbolIn] ?? 0)
        const name = (symbol: string) =>
          symbol === 'WETH' && step === 4 ? native : world.manifest.tokens[symbol]?.address
        const [tokenIn, tokenOut] = [name(symbolIn), name(symbolOut)]
        if (!tokenIn || !tokenOut) continue
        const outcome = await routing.quote({
          chainId,
          tokenIn,
          tokenOut,
          taker: account.address,
          slippageBps: 100,
          amountIn: funded / (step === 1 ? 1_000n : 50n),
        })
        if (outcome.status !== 'ok' || !outcome.quote.execution) continue
        const { execution, gasEstimate, routePath } = outcome.quote
        const { target, data: payload, value } = execution
        const receipt = await send(sender, { to: target, data: payload, value, gas: 10_000_000n })
        assert.is(receipt.status, 'success', routePath)
        const offPercent = (Number(gasEstimate) / Number(receipt.gasUsed) - 1) * 100
        if (Math.abs(offPercent) > 10)
          errors.push(`${offPercent.toFixed(1)} % of ${receipt.gasUsed}: ${routePath}`)
        executed += 1
      }
    assert.equal(errors, [])
    assert.ok(executed >= 15, `${executed} executed`)
  },
)

s.run()
