import { compileSource } from '../../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { headNumber } from '../../testing/proveFamily.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { listBalancerV3Pools } from './balancerV3Chain.ts'

/** The k-th pool of the factory stands at address k + 1. */
const { Factory } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Factory {
  uint256 public immutable getPoolCount;
  constructor(uint256 count) { getPoolCount = count; }
  function getPoolsInRange(uint256 start, uint256 count) external view returns (address[] memory pools) {
    require(start + count <= getPoolCount);
    pools = new address[](count);
    for (uint256 k; k < count; ++k) pools[k] = address(uint160(start + k + 1));
  }
}`)

const s = suite('factories behind the vault')
const stand = await startSwapStand(8453)
s.after(() => stand.close())
const { rpcUrl, chainClient, dexes, manifest } = stand
const own = dexes.find(({ name }) => name === 'balancer-v3-stable')
if (!own) throw new Error('the world has the exchange')

/** Places in the factory's list of the pools that are listed. */
const list = async (count: bigint): Promise<readonly number[] | undefined> => {
  const factory = await deployArtifact(rpcUrl, { artifact: Factory, args: [count] })
  const blockNumber = await headNumber(stand)
  const dex = { ...own, factory, earlierFactories: [] }
  const found = await listBalancerV3Pools(chainClient, { dex, blockNumber })
  return found?.map(({ address }) => Number(address) - 1)
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k)

s('are listed whole, to the last pool of a part', async () => {
  for (const count of [0, 1, 60, 61, 3_000])
    assert.equal(await list(BigInt(count)), range(0, count))
})

s('are not lost when strangers lengthen their lists [strangers/list-balancer]', async () => {
  assert.equal(await list(50_000n), [...range(0, 1_500), ...range(48_500, 50_000)])
})
s('of every generation have their pools listed [21/balancer-v3-generations]', async () => {
  const blockNumber = await headNumber(stand)
  const behind = dexes.filter(({ protocol }) => protocol.startsWith('balancer_v3'))
  assert.ok(behind.every(({ earlierFactories = [] }) => earlierFactories.length > 0))
  for (const dex of behind) {
    const opened = manifest.pools.filter((pool) => pool.dex === dex.name)
    const found = await listBalancerV3Pools(chainClient, { dex, blockNumber })
    assert.equal(
      found?.map(({ address }) => address.toLowerCase()).sort(),
      opened.map(({ address }) => address.toLowerCase()).sort(),
    )
  }
})
s.run()
