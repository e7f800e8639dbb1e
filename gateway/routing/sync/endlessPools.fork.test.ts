import { type Address, encodeAbiParameters, type Hex, keccak256, numberToHex, toHex } from 'viem'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { seedTokens } from '../../chain/chains.ts'
import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import { startSwapStand } from '../testing/swapStand.ts'
import { type ChainSync, createChainSync } from './chainSync.ts'
import { failureReasons, loadPools } from './loadPools.ts'

/** A pool of any concentrated family, each of whose 1.7 million ticks somebody has initialised. */
const { Endless } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Endless {
  address public token0;
  address public token1;
  int24 public constant tickSpacing = 1;
  uint128 public constant liquidity = 1e18;
  uint24 public constant fee = 500;
  function slot0() external pure returns (uint160, int24, uint16, uint16, uint16, uint8, bool) {
    return (1 << 96, 0, 0, 1, 1, 0, true);
  }
  function globalState() external pure returns (uint160, int24, uint16, uint16, uint16, bool) {
    return (1 << 96, 0, 500, 500, 0, true);
  }
  function tickBitmap(int16 word) public pure returns (uint256) {
    return word > -3466 && word < 3465 ? type(uint256).max : 0;
  }
  function tickTable(int16 word) external pure returns (uint256) { return tickBitmap(word); }
  function ticks(int24 tick) external pure returns (uint256, int128, int24, int24) {
    return (1, 0, tick - 1, tick + 1);
  }
}`)
if (!Endless) throw new Error('the pool compiles')
const concentrated = new Set([
  'uniswap_v3',
  'pancake_v3',
  'slipstream',
  'ramses_v2',
  'camelot_v3',
  'algebra_integral',
])
/** Of the manager's storage: its pools, and a pool's table of initialised ticks. */
const [poolsSlot, bitmapOffset] = [6n, 5n]
/** Of 256 ticks each: some more than are read. */
const filledWords = 96

const s = suite('pools of more ticks than are read')
const stand = await startSwapStand(42161)
const { chainId, chainClient, dexes, rpc, rpcUrl } = stand
s.after(() => stand.close())

async function follow<value>(work: (sync: ChainSync) => Promise<value>): Promise<value> {
  const seeds = { seedTokens: seedTokens(chainId), pollMs: 20, maxAgeMs: 0 }
  const sync = createChainSync({ chainClient, dexes, ...seeds })
  try {
    await sync.start()
    return await work(sync)
  } finally {
    await sync.close()
  }
}

const mapped = (key: bigint, slot: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'int256' }, { type: 'bytes32' }], [key, slot]))

/** Sets words of the table of a pool in the manager, as positions of a wei each would. */
async function fillTable(manager: Address, id: Hex): Promise<void> {
  const state = keccak256(
    encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [id, poolsSlot]),
  )
  const table = numberToHex(BigInt(state) + bitmapOffset, { size: 32 })
  const full = toHex(2n ** 256n - 1n)
  for (let word = 0; word < filledWords; word += 1)
    await rpc('anvil_setStorageAt', manager, mapped(BigInt(word), table), full)
}

const before = await follow(
  async (sync) => (await sync.fresh())?.pools ?? new Map<string, PoolRecord>(),
)
const managed = [...before.values()].find((record) => record.protocol === 'uniswap_v4')
if (!managed) throw new Error('the world has pools of a manager')

s('are left out and named, and cost nobody else [strangers/endless]', async () => {
  const perDex = Map.groupBy(before.values(), ({ dex }) => dex)
  const victims = [...perDex.values()].flatMap(([first]) =>
    first && concentrated.has(first.protocol) ? [first] : [],
  )
  const kinds = new Set<string>(victims.map(({ protocol }) => protocol))
  for (const kind of ['uniswap_v3', 'camelot_v3', 'algebra_integral']) assert.ok(kinds.has(kind))

  const code = await rpc(
    'eth_getCode',
    await deployArtifact(rpcUrl, { artifact: Endless }),
    'latest',
  )
  for (const { address, tokens } of victims) {
    await rpc('anvil_setCode', address, code)
    for (const [slot, token] of tokens.entries())
      await rpc(
        'anvil_setStorageAt',
        address,
        numberToHex(slot, { size: 32 }),
        numberToHex(BigInt(token), { size: 32 }),
      )
  }
  await fillTable(managed.address, managed.id as Hex)

  await follow(async (sync) => {
    const state = await sync.fresh()
    const named = sync.leftOutPools().map(({ pool, reason }) => `${pool.toLowerCase()} ${reason}`)
    const ids = new Set([...victims, managed].map(({ id }) => id))
    assert.equal(
      named.toSorted(),
      [...ids].map((id) => `${id} ${failureReasons.endless}`).toSorted(),
    )
    const others = [...before.keys()].filter((id) => !ids.has(id))
    assert.equal([...(state?.pools.keys() ?? [])].toSorted(), others.toSorted())
    // The head is followed as ever.
    await rpc('anvil_mine', '0x1')
    const mined = BigInt(String(await rpc('eth_blockNumber')))
    assert.is((await sync.fresh())?.head.number, mined)
  })
})

s(
  'stay where they hold as far as they are read, and events told the rest [strangers/endless-followed]',
  async () => {
    const dex = dexes.find(({ name }) => name === managed.dex)
    assert.ok(dex)
    const known = new Map(managed.ticks.map((tick) => [tick.index, tick]))
    for (let bit = 0; bit < 256 * filledWords; bit += 1) {
      const index = bit * managed.tickSpacing
      if (!known.has(index)) known.set(index, { index, gross: 0n, net: 0n })
    }
    const ticks = [...known.values()].toSorted((one, other) => one.index - other.index)
    const followed = { ...managed, ticks }
    const load = (record: typeof managed) =>
      loadPools(chainClient, {
        pools: [toRef(managed, dex)],
        blockNumber: BigInt(String(head)),
        followed: new Map([[managed.id, record]]),
      })
    const head = await rpc('eth_blockNumber')
    assert.equal(await load(followed), [followed])
    assert.equal(await load({ ...followed, liquidity: followed.liquidity + 1n }), [])
    const moved = ticks.map((tick, n) => (n === 1_000 ? { ...tick, net: tick.net + 1n } : tick))
    assert.equal(await load({ ...followed, ticks: moved }), [])
    const more = Array.from({ length: 65_536 }, (_, n) => ({
      index: 800_000 + n,
      gross: 1n,
      net: 0n,
    }))
    assert.equal(await load({ ...followed, ticks: [...ticks, ...more] }), [])
  },
)
s.run()
