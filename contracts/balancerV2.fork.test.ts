import { type Address, encodeAbiParameters, type Hex, zeroAddress } from 'viem'
import { createAmounts, startExecutorStand } from '../fixtures/chains/executorStand.ts'
import { assert, suite } from '../fixtures/test.ts'
import { npmArtifact } from '../fixtures/world/parts/npmArtifacts.ts'

const tasks = '@balancer-labs/v2-deployments/dist/tasks'
const vaultPath = `${tasks}/20210418-vault/artifact/Vault.json`
const factoryPath = `${tasks}/20230206-weighted-pool-v3/artifact/WeightedPoolFactory.json`
const poolPath = `${tasks}/20230206-weighted-pool-v3/artifact/WeightedPool.json`
const queriesPath = `${tasks}/20220721-balancer-queries/artifact/BalancerQueries.json`
const providerPath = `${tasks}/20220725-protocol-fee-percentages-provider/artifact/ProtocolFeePercentagesProvider.json`
const balancerV2 = 4
const wad = 10n ** 18n

const s = suite('SwapExecutor through the real Balancer v2')
const stand = await startExecutorStand()
s.after(() => stand.close())
const { builder, tokens, weth, executor } = stand
const { deployer } = builder
const authorizer = await stand.deploy(
  'authorizer',
  `${tasks}/20210418-authorizer/artifact/Authorizer.json`,
  [deployer],
)
const vault = await stand.deploy('vault', vaultPath, [authorizer, weth, 0n, 0n])
const provider = await stand.deploy('fee provider', providerPath, [vault, wad / 2n, wad / 2n])
const factory = await stand.deploy('weighted factory', factoryPath, [vault, provider, '', ''])
const queries = await stand.deploy('queries', queriesPath, [vault])

async function openPool(): Promise<Hex> {
  const create = {
    to: factory,
    abi: npmArtifact(factoryPath).abi,
    functionName: 'create',
    args: [
      'pool',
      'POOL',
      tokens,
      [(wad * 8n) / 10n, (wad * 2n) / 10n],
      [zeroAddress, zeroAddress],
      wad / 400n,
      deployer,
    ],
  }
  // The factory's next address is the same in a call as in the transaction after it.
  const pool = (await builder.read(create)) as Address
  await builder.write(create)
  const poolId = (await builder.read({
    to: pool,
    abi: npmArtifact(poolPath).abi,
    functionName: 'getPoolId',
  })) as Hex
  const amounts = [8n * 10n ** 24n, 2n * 10n ** 24n]
  for (const token of tokens) await stand.approve(token, vault)
  const userData = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256[]' }], [0n, amounts])
  const request = {
    assets: tokens,
    maxAmountsIn: amounts,
    userData,
    fromInternalBalance: false,
  }
  await builder.write({
    to: vault,
    abi: npmArtifact(vaultPath).abi,
    functionName: 'joinPool',
    args: [poolId, deployer, deployer, request],
  })
  return poolId
}
const poolId = await openPool()

async function quote(assetIn: Address, assetOut: Address, amount: bigint) {
  return (await builder.read({
    to: queries,
    abi: npmArtifact(queriesPath).abi,
    functionName: 'querySwap',
    args: [
      { poolId, kind: 0, assetIn, assetOut, amount, userData: '0x' },
      {
        sender: deployer,
        fromInternalBalance: false,
        recipient: deployer,
        toInternalBalance: false,
      },
    ],
  })) as bigint
}

s('delivers what the deployed queries say, to the wei, and leaves no allowance', async () => {
  const next = createAmounts({ seed: 2, max: 10n ** 23n })
  for (let i = 0; i < 40; i += 1) {
    const [tokenIn, tokenOut] = i % 2 === 0 ? tokens : [tokens[1], tokens[0]]
    const amountIn = next() + 1_000n
    const quoted = await quote(tokenIn, tokenOut, amountIn)
    const step = { kind: balancerV2, pool: vault, tokenIn, tokenOut, data: poolId }
    const result = await stand.swap({ tokenIn, amountIn, tokenOut, steps: [step] })
    assert.equal(result, { received: quoted, returned: 0n, held: 0n }, `swap ${i} of ${amountIn}`)
    assert.is(await stand.allowance(tokenIn, executor, vault), 0n)
  }
})

s.run()
