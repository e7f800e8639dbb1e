import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { worldAddress } from '../../../../fixtures/world/parts/builder.ts'
import { compileContracts, findArtifact } from '../../../../fixtures/world/parts/compile.ts'
import { cacheDir } from '../../../runtime/cacheDir.ts'
import { startRouting } from '../../testing/startRouting.ts'
import { startSwapStand } from '../../testing/swapStand.ts'

const s = suite('pools of one token')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { builder, manifest, chainClient, probe } = stand
const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => manifest.tokens[symbol]?.address) as [
  Address,
  Address,
]
const artifact = findArtifact(compileContracts({ cacheDir: cacheDir() }), 'WooPool')
/** Three thousand dollars of six decimals for a whole of eighteen, in wad. */
const price = 3_000n * 10n ** 6n
const heldWeth = 100n * 10n ** 18n
const worth = 300_000n * 10n ** 6n

/** A pool that sells WETH at a price of its own and holds none of the dollars that it is paid. */
async function open(label: string, heldUsdc: bigint) {
  const pool = await builder.deployAt({
    address: worldAddress(label),
    artifact,
    args: [[usdc, weth]],
  })
  for (const [to, amount] of [
    [weth, heldWeth],
    [usdc, heldUsdc],
  ] as const) {
    const args = [pool, amount] as const
    await stand.asSeeder({
      to,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
    })
  }
  await builder.write({
    to: pool,
    abi: artifact.abi,
    functionName: 'open',
    args: [[0n, price], 0n],
  })
  return pool
}

for (const [what, heldUsdc] of [
  ['none', 0n],
  ['the least unit', 1n],
  ['ten dollars', 10n * 10n ** 6n],
] as const)
  s(`which hold ${what} of what they are paid sell all the same [20/one-sided]`, async () => {
    const factory = await open(what, heldUsdc)
    const dexes = stand.dexes.filter(({ protocol }) => protocol === 'woofi')
    const routing = await startRouting(undefined, {
      chainClient,
      executor: manifest.executor,
      dexes: dexes.map((dex) => ({ ...dex, factory })),
    })
    try {
      for (const part of [1_000n, 10n, 2n]) {
        const amountIn = worth / part
        const asked = { chainId: 8453, tokenIn: usdc, tokenOut: weth, slippageBps: 50 }
        const outcome = await routing.quote({ ...asked, amountIn, taker: probe })
        const quote = outcome.status === 'ok' ? outcome.quote : undefined
        if (!quote?.execution) throw new Error(`1/${part}: ${outcome.status}`)
        assert.is(quote.source, 'rpc')
        const { data, value } = quote.execution
        const result = await stand.execute({ tokenIn: usdc, value, data })
        assert.ok(result.ok)
        assert.is(result.amountOut, quote.amountOut)
      }
    } finally {
      await routing.close()
    }
  })

s.run()
