import { type Address, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { compileSource } from '../../../../fixtures/chains/compileSource.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { worldAddress } from '../../../../fixtures/world/parts/builder.ts'
import { compileContracts, findArtifact } from '../../../../fixtures/world/parts/compile.ts'
import { cacheDir } from '../../../runtime/cacheDir.ts'
import { startRouting } from '../../testing/startRouting.ts'
import { startSwapStand } from '../../testing/swapStand.ts'

/** Lists as the factories have them: DODO's, of an old compiler, ends in an invalid instruction. */
const { Crowd } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Crowd {
  mapping(address => mapping(address => address[])) private lists;
  uint256 public poolCount;
  function add(address a, address b, address[] calldata pools) external {
    poolCount += pools.length;
    for (uint256 k; k < pools.length; ++k) lists[a][b].push(pools[k]);
  }
  function crowd(address a, address b, uint256 count) external {
    poolCount += count;
    for (uint256 k; k < count; ++k)
      lists[a][b].push(address(bytes20(keccak256(abi.encode(a, b, poolCount, k)))));
  }
  function getDODOPool(address a, address b) external view returns (address[] memory) {
    return lists[a][b];
  }
  function _REGISTRY_(address a, address b, uint256 k) external view returns (address) {
    if (k >= lists[a][b].length) assembly { invalid() }
    return lists[a][b][k];
  }
  function lookup(address a, address b, uint256 from, uint256 to)
    external view returns (address[] memory found)
  {
    address[] storage list = lists[a][b];
    if (to > list.length) to = list.length;
    found = new address[](to - from);
    for (uint256 k; k < found.length; ++k) found[k] = list[from + k];
  }
}`)
if (!Crowd) throw new Error('the factory compiles')
const { abi } = Crowd

const s = suite('pairs whose lists anybody lengthens')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { chainId, chainClient, manifest, builder } = stand
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => manifest.tokens[symbol]?.address)
if (!weth || !usdc) throw new Error('the world has them')
const artifacts = compileContracts({ cacheDir: cacheDir() })
const reserves = [
  [weth, 10n ** 20n],
  [usdc, 10n ** 11n * 3n],
] as const

const pay = (to: Address, token: Address, amount: bigint) => {
  const transfer = { abi: erc20Abi, functionName: 'transfer', args: [to, amount] } as const
  return stand.asSeeder({ to: token, data: encodeFunctionData(transfer) })
}

const crowds = { dodo_v2: 'DodoPool', maverick_v2: 'MaverickPool' } as const

/** A list of dust, a dozen decoys with much of one token, one honest pool, and dust again. */
async function crowd(protocol: keyof typeof crowds) {
  const factory = await builder.deployAt({
    address: worldAddress(`crowd of ${protocol}`),
    artifact: Crowd as NonNullable<typeof Crowd>,
  })
  const pool = await builder.deployAt({
    address: worldAddress(`honest pool of ${protocol}`),
    artifact: findArtifact(artifacts, crowds[protocol]),
    args: [[weth, usdc], 100],
  })
  for (const [token, amount] of reserves) await pay(pool, token, amount)
  const fill = { abi: parseAbi(['function fill()']), functionName: 'fill' } as const
  await stand.asSeeder({ to: pool, data: encodeFunctionData(fill) })
  const decoys = Array.from({ length: 12 }, (_, k) => worldAddress(`decoy ${protocol} ${k}`))
  for (const decoy of decoys) await pay(decoy, reserves[0][0], 2n * reserves[0][1])
  const write = (functionName: string, args: readonly unknown[]) =>
    builder.write({ to: factory, abi, functionName, args: [weth, usdc, ...args] })
  await write('crowd', [700n])
  await write('add', [[...decoys, pool]])
  await write('crowd', [700n])
  return { factory, pool }
}

async function proveDeepest(protocol: keyof typeof crowds) {
  const { factory, pool } = await crowd(protocol)
  const own = stand.dexes.find((dex) => dex.protocol === protocol)
  if (!own || !weth || !usdc) throw new Error('the world has the exchange')
  const dexes = [{ ...own, factory }]
  const { executor } = manifest
  const routing = await startRouting(undefined, { chainClient, executor, dexes })
  try {
    for (const [tokenIn, tokenOut, amountIn] of [
      [weth, usdc, 10n ** 18n],
      [usdc, weth, 10n ** 9n],
    ] as const) {
      const outcome = await routing.quote({ chainId, tokenIn, tokenOut, amountIn, slippageBps: 50 })
      if (outcome.status !== 'ok') throw new Error(outcome.status)
      const used = outcome.quote.steps.map((step) => step.pool.toLowerCase())
      assert.equal(used, [pool.toLowerCase()])
    }
  } finally {
    await routing.close()
  }
}

s('DODO v2: the deepest pool is quoted, wherever it stands [strangers/list-dodo]', () =>
  proveDeepest('dodo_v2'),
)

s('Maverick v2: the deepest pool is quoted, wherever it stands [strangers/list-maverick]', () =>
  proveDeepest('maverick_v2'),
)
s.run()
