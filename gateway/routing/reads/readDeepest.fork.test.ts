import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex } from 'viem'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { worldAddress } from '../../../fixtures/world/parts/builder.ts'
import type { Dex } from '../../chain/dex.ts'
import { curveStableNgFamily } from '../protocols/curve/curveStableNgChain.ts'
import { tridentFamily } from '../protocols/pair/tridentChain.ts'
import { curveCryptoFamily } from '../protocols/quoted/curveCryptoChain.ts'
import { startSwapStand } from '../testing/swapStand.ts'

/** A pair's pools by number, as the factories have them, and a box that holds what is theirs. */
const { Crowd } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Crowd {
  address[] private list;
  mapping(address => mapping(address => uint256)) public balanceOf;
  function add(address[] calldata pools) external {
    for (uint256 k; k < pools.length; ++k) list.push(pools[k]);
  }
  function crowd(uint256 count) external {
    for (uint256 k; k < count; ++k)
      list.push(address(bytes20(keccak256(abi.encode(list.length)))));
  }
  function keep(address token, address pool, uint256 amount) external {
    balanceOf[token][pool] = amount;
  }
  function pool_count() external view returns (uint256) { return list.length; }
  function find_pool_for_coins(address, address, uint256 at) external view returns (address) {
    return at < list.length ? list[at] : address(0);
  }
  function pools(address, address, uint256 at) external view returns (address) { return list[at]; }
}`)
if (!Crowd) throw new Error('the factory compiles')
const { abi } = Crowd

const s = suite("the deepest of a pair's pools")
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { builder, chainClient, manifest } = stand
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => manifest.tokens[symbol]?.address)
if (!weth || !usdc) throw new Error('the world has them')
const factory = await builder.deployAt({
  address: worldAddress('crowd by number'),
  artifact: Crowd,
})
const honest = worldAddress('deep pool by number')
const write = (functionName: string, args: readonly unknown[]) =>
  builder.write({ to: factory, abi, functionName, args })
const amounts = [
  [weth, 10n ** 18n],
  [usdc, 10n ** 9n * 3n],
] as const
for (const [token, amount] of amounts) {
  const transfer = { abi: erc20Abi, functionName: 'transfer', args: [honest, amount] } as const
  await stand.asSeeder({ to: token, data: encodeFunctionData(transfer) })
  await write('keep', [token, honest, amount])
}
await write('crowd', [700n])
await write('add', [[honest]])
await write('crowd', [400n])

const families = { curveStableNgFamily, curveCryptoFamily, tridentFamily }
for (const [name, family] of Object.entries(families))
  s(`is found wherever it stands: ${name} [strangers/list-numbers]`, async () => {
    const { client } = chainClient
    const blockNumber = BigInt((await builder.rpc('eth_blockNumber')) as Hex)
    const dex = { name: 'crowd', factory, holder: factory } as unknown as Dex
    assert.is(await family.list?.({ client }, { dex, blockNumber }), undefined, 'too many to list')
    const question = { dex, a: [weth as Address], b: [usdc as Address], blockNumber }
    const found = (await family.find({ client }, question)).map(({ address }) =>
      getAddress(address),
    )
    assert.ok(found.includes(getAddress(honest)))
    assert.ok(found.length < 40, `${found.length} pools are read`)
  })
s.run()
