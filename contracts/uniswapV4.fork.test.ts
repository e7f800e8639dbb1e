import { type Address, encodeAbiParameters, zeroAddress } from 'viem'
import { createAmounts, startExecutorStand } from '../fixtures/chains/executorStand.ts'
import { assert, suite } from '../fixtures/test.ts'
import { npmArtifact } from '../fixtures/world/parts/npmArtifacts.ts'

const core = '@uniswap/v4-core/out'
const managerPath = `${core}/PoolManager.sol/PoolManager.json`
const modifierPath = `${core}/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.json`
const quoterPath = '@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json'
const uniswapV4 = 3
const onePriceX96 = 1n << 96n

const s = suite('SwapExecutor through the real Uniswap v4')
const stand = await startExecutorStand()
s.after(() => stand.close())
const { builder, tokens, weth } = stand
const manager = await stand.deploy('v4 manager', managerPath, [builder.deployer])
const modifier = await stand.deploy('v4 modifier', modifierPath, [manager])
const quoter = await stand.deploy('v4 quoter', quoterPath, [manager])
for (const token of tokens) await stand.approve(token, modifier)

type PoolKey = {
  readonly currency0: Address
  readonly currency1: Address
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}
async function openPool(currency0: Address, currency1: Address, fee: number, tickSpacing: number) {
  const key = { currency0, currency1, fee, tickSpacing, hooks: zeroAddress }
  const { abi } = npmArtifact(managerPath)
  await builder.write({
    to: manager,
    abi,
    functionName: 'initialize',
    args: [key, onePriceX96],
  })
  for (const [width, liquidity] of [
    [240, 10n ** 23n],
    [3_000, 10n ** 22n],
    [60_000, 10n ** 21n],
  ] as const) {
    await builder.write({
      to: modifier,
      abi: npmArtifact(modifierPath).abi.filter(
        (item) =>
          item.type !== 'function' || item.name !== 'modifyLiquidity' || item.inputs.length === 3,
      ),
      functionName: 'modifyLiquidity',
      args: [
        key,
        {
          tickLower: -width,
          tickUpper: width,
          liquidityDelta: liquidity,
          salt: `0x${'00'.repeat(32)}`,
        },
        '0x',
      ],
      value: currency0 === zeroAddress ? 10n ** 24n : 0n,
    })
  }
  return key
}
function encodeData(key: PoolKey) {
  return encodeAbiParameters(
    [
      {
        type: 'tuple',
        components: [
          { name: 'currency0', type: 'address' },
          { name: 'currency1', type: 'address' },
          { name: 'fee', type: 'uint24' },
          { name: 'tickSpacing', type: 'int24' },
          { name: 'hooks', type: 'address' },
        ],
      },
      { type: 'bytes' },
    ],
    [key, '0x'],
  )
}
async function quote(poolKey: PoolKey, zeroForOne: boolean, exactAmount: bigint) {
  const [amountOut] = (await builder.read({
    to: quoter,
    abi: npmArtifact(quoterPath).abi,
    functionName: 'quoteExactInputSingle',
    args: [{ poolKey, zeroForOne, exactAmount, hookData: '0x' }],
  })) as readonly [bigint, bigint]
  return amountOut
}

const tokenKey = await openPool(tokens[0], tokens[1], 500, 10)
const nativeKey = await openPool(zeroAddress, tokens[1], 3_000, 60)

s('delivers what the deployed quoter says, to the wei, in both directions', async () => {
  const next = createAmounts({ seed: 4, max: 10n ** 22n })
  for (let i = 0; i < 40; i += 1) {
    const zeroForOne = i % 2 === 0
    const [tokenIn, tokenOut] = zeroForOne ? tokens : [tokens[1], tokens[0]]
    const amountIn = next()
    const quoted = await quote(tokenKey, zeroForOne, amountIn)
    const step = { kind: uniswapV4, pool: manager, tokenIn, tokenOut, data: encodeData(tokenKey) }
    const result = await stand.swap({ tokenIn, amountIn, tokenOut, steps: [step] })
    assert.equal(result, { received: quoted, returned: 0n, held: 0n }, `swap ${i} of ${amountIn}`)
  }
})

s('pays and receives native currency for the wrapped token of the step', async () => {
  const next = createAmounts({ seed: 5, max: 10n ** 20n })
  const token = tokens[1]
  const data = encodeData(nativeKey)
  for (let i = 0; i < 10; i += 1) {
    const amountIn = next() + 10n ** 6n
    const forth = await quote(nativeKey, true, amountIn)
    const buy = { kind: uniswapV4, pool: manager, tokenIn: weth, tokenOut: token, data }
    const bought = await stand.swap({
      tokenIn: zeroAddress,
      amountIn,
      tokenOut: token,
      steps: [buy],
    })
    assert.equal(bought, { received: forth, returned: 0n, held: 0n })
    const back = await quote(nativeKey, false, forth)
    const sell = { kind: uniswapV4, pool: manager, tokenIn: token, tokenOut: weth, data }
    const sold = await stand.swap({
      tokenIn: token,
      amountIn: forth,
      tokenOut: zeroAddress,
      steps: [sell],
    })
    assert.equal(sold, { received: back, returned: 0n, held: 0n })
  }
})

s('returns what an exhausted pool cannot take', async () => {
  const [tokenIn, tokenOut] = tokens
  const amountIn = 10n ** 30n
  const step = { kind: uniswapV4, pool: manager, tokenIn, tokenOut, data: encodeData(tokenKey) }
  const result = await stand.swap({ tokenIn, amountIn, tokenOut, steps: [step] })
  assert.ok(result.received > 0n)
  assert.ok(result.returned > 0n && result.returned < amountIn)
  assert.is(result.held, 0n)
})

s.run()
