import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { getDexes } from '../../../chain/chains.ts'
import { createRouting, type Routing } from '../../service/routing.ts'
import { pauseVaultPool } from '../../testing/changeVaultPool.ts'
import { loadFamily, proveFamily } from '../../testing/proveFamily.ts'
import { createRandom } from '../../testing/random.ts'
import { type SwapStand, startSwapStand } from '../../testing/swapStand.ts'

const both = [
  'curve_crypto',
  'maverick_v2',
  'dodo_v2',
  'fluid',
  'woofi',
  'balancer_v3_quoted',
  'erc4626',
]
const protocolsOf: Readonly<Record<number, readonly string[]>> = {
  8453: both,
  42161: [...both, 'ramses_v1'],
}
const abi = parseAbi(['function setPaused(bool paused)'])

const s = suite('families priced by their quoters')
const stands = await Promise.all([8453, 42161].map(startSwapStand))
s.after(async () => {
  await Promise.all(stands.map((stand) => stand.close()))
})

for (const stand of stands)
  for (const protocol of protocolsOf[stand.chainId] ?? [])
    s(`${protocol} on ${stand.chainId}: swaps pay what its quoter says`, async () => {
      const random = createRandom(1)
      const tally = await proveFamily(stand, { protocol, compare: 48, execute: 8, random })
      assert.equal(tally.differences, [])
      assert.ok(tally.compared >= 48 && tally.executed >= 8)
    })

/** Routing that knows the pools of one protocol only. */
function routeThrough({ chainId, chainClient, manifest }: SwapStand, protocol: string) {
  const dexes = getDexes(chainId).filter((dex) => dex.protocol === protocol)
  return createRouting({
    chains: [{ chainClient, executor: manifest.executor, dexes, maxAgeMs: 0, pollMs: 3_600_000 }],
    simulator: undefined,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
}

async function quoteOn(
  routing: Routing,
  { stand, tokenIn, tokenOut }: { stand: SwapStand; tokenIn: Address; tokenOut: Address },
) {
  const amountIn = (await stand.balanceOf(tokenIn, stand.probe)) / 1_000_000n
  const { chainId, probe } = stand
  const asked = { chainId, tokenIn, tokenOut, amountIn, slippageBps: 50, taker: probe }
  const outcome = await routing.quote(asked)
  return outcome.status === 'ok' ? outcome.quote : undefined
}

s('the output of a quote is had for its input, through each alone [20/quoted-exact]', async () => {
  for (const stand of stands)
    for (const protocol of protocolsOf[stand.chainId] ?? []) {
      const routing = await routeThrough(stand, protocol)
      const [record] = await loadFamily(stand, protocol)
      const [tokenIn, tokenOut] = (record?.tokens ?? []) as readonly Address[]
      if (!record || !tokenIn || !tokenOut) throw new Error(`no pool of ${protocol}`)
      const sold = await quoteOn(routing, { stand, tokenIn, tokenOut })
      if (!sold) throw new Error('there is a route')
      const outcome = await routing.quoteExactOutput({
        chainId: stand.chainId,
        tokenIn,
        tokenOut,
        slippageBps: 50,
        targetOutput: sold.amountOut,
        maxInput: sold.amountIn * 1_000n,
        executableOnly: true,
      })
      await routing.close()
      if (outcome.status !== 'ok') throw new Error(`${protocol}: ${outcome.status}`)
      const { executable, amountOut, inputConsumed } = outcome.quote
      assert.ok(executable && amountOut >= sold.amountOut, protocol)
      assert.ok(inputConsumed <= sold.amountIn + sold.amountIn / 1_000_000n, protocol)
    }
})

for (const stand of stands)
  for (const protocol of protocolsOf[stand.chainId] ?? [])
    s(`${protocol} on ${stand.chainId}: a quote says rpc, and delivers its output`, async () => {
      const routing = await routeThrough(stand, protocol)
      try {
        const [record] = await loadFamily(stand, protocol)
        const [tokenIn, tokenOut] = (record?.tokens ?? []) as readonly Address[]
        if (!record || !tokenIn || !tokenOut) throw new Error(`no pool of ${protocol}`)
        for (const [from, to] of [
          [tokenIn, tokenOut],
          [tokenOut, tokenIn],
        ] as const) {
          const quote = await quoteOn(routing, { stand, tokenIn: from, tokenOut: to })
          if (!quote?.execution) throw new Error('there is a payload')
          assert.is(quote.source, 'rpc')
          assert.is(quote.steps[0]?.protocol, protocol)
          const { data, value } = quote.execution
          const result = await stand.execute({ tokenIn: from, value, data })
          assert.ok(result.ok)
          assert.is(result.amountOut, quote.amountOut)
          const gas = Number(quote.gasEstimate) / Number(result.gasUsed)
          // Real vaults lend what they take, which the world's does not pay for.
          assert.ok(
            gas > 0.8 && gas < (protocol === 'erc4626' ? 3 : 1.35),
            `gas ${quote.gasEstimate} of ${result.gasUsed}`,
          )
        }
        // Paused without an event: its samples still look fine, its quoter refuses.
        const pause = (paused: boolean) =>
          protocol === 'balancer_v3_quoted'
            ? pauseVaultPool(stand, { record, paused })
            : stand.asSeeder({
                to: record.address,
                data: encodeFunctionData({ abi, functionName: 'setPaused', args: [paused] }),
              })
        // Nobody pauses a pair of Ramses.
        if (protocol === 'ramses_v1') return
        await pause(true)
        assert.is(await quoteOn(routing, { stand, tokenIn, tokenOut }), undefined)
        await pause(false)
        assert.ok(await quoteOn(routing, { stand, tokenIn, tokenOut }))
      } finally {
        await routing.close()
      }
    })
s.run()
