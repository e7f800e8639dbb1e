import { zeroAddress } from 'viem'
import { createAmounts, startExecutorStand } from '../fixtures/chains/executorStand.ts'
import { assert, suite } from '../fixtures/test.ts'
import { worldAddress } from '../fixtures/world/parts/builder.ts'
import { npmArtifact } from '../fixtures/world/parts/npmArtifacts.ts'

const core = '@cryptoalgebra/integral-core/artifacts/contracts'
const factoryPath = `${core}/AlgebraFactory.sol/AlgebraFactory.json`
const calleePath = `${core}/test/TestAlgebraCallee.sol/TestAlgebraCallee.json`
const quoterPath =
  '@cryptoalgebra/integral-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'
const uniswapV3 = 1

const s = suite('SwapExecutor through the real Algebra Integral')
const stand = await startExecutorStand()
s.after(() => stand.close())
const { builder, tokens, weth } = stand
const factory = worldAddress('stand algebra factory')
const poolDeployer = await stand.deploy(
  'algebra deployer',
  `${core}/AlgebraPoolDeployer.sol/AlgebraPoolDeployer.json`,
  [factory],
)
await stand.deploy('algebra factory', factoryPath, [poolDeployer])
const { abi } = npmArtifact(factoryPath)
await builder.write({ to: factory, abi, functionName: 'createPool', args: [...tokens, '0x'] })
const pool = (await builder.read({
  to: factory,
  abi,
  functionName: 'poolByPair',
  args: tokens,
})) as `0x${string}`
await builder.write({
  to: pool,
  abi: npmArtifact(`${core}/AlgebraPool.sol/AlgebraPool.json`).abi,
  functionName: 'initialize',
  args: [1n << 96n],
})
const callee = await stand.deploy('algebra callee', calleePath)
for (const token of tokens) await stand.approve(token, callee)
for (const [width, liquidity] of [
  [240, 10n ** 23n],
  [3_000, 10n ** 22n],
  [60_000, 10n ** 21n],
] as const) {
  await builder.write({
    to: callee,
    abi: npmArtifact(calleePath).abi,
    functionName: 'mint',
    args: [pool, builder.deployer, -width, width, liquidity],
  })
}
const quoter = await stand.deploy('algebra quoter', quoterPath, [factory, weth, poolDeployer])

s('delivers what the deployed quoter says, to the wei, in both directions', async () => {
  const next = createAmounts({ seed: 9, max: 10n ** 22n })
  for (let i = 0; i < 40; i += 1) {
    const [tokenIn, tokenOut] = i % 2 === 0 ? tokens : [tokens[1], tokens[0]]
    const amountIn = next()
    const [quoted] = (await builder.read({
      to: quoter,
      abi: npmArtifact(quoterPath).abi,
      functionName: 'quoteExactInputSingle',
      args: [{ tokenIn, tokenOut, deployer: zeroAddress, amountIn, limitSqrtPrice: 0n }],
    })) as readonly bigint[]
    const step = { kind: uniswapV3, pool, tokenIn, tokenOut, data: '0x' } as const
    const result = await stand.swap({ tokenIn, amountIn, tokenOut, steps: [step] })
    assert.equal(result, { received: quoted, returned: 0n, held: 0n }, `swap ${i} of ${amountIn}`)
  }
})

s('returns what an exhausted pool cannot take', async () => {
  const [tokenIn, tokenOut] = tokens
  const amountIn = 10n ** 30n
  const step = { kind: uniswapV3, pool, tokenIn, tokenOut, data: '0x' } as const
  const result = await stand.swap({ tokenIn, amountIn, tokenOut, steps: [step] })
  assert.ok(result.received > 0n)
  assert.ok(result.returned > 0n && result.returned < amountIn)
  assert.is(result.held, 0n)
})

s.run()
