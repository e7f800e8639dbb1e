import { type Address, type Hex, zeroAddress } from 'viem'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { seedTokens } from '../../chain/chains.ts'
import { familyOf } from '../protocols/families.ts'
import { startSwapStand } from '../testing/swapStand.ts'
import { type ChainSync, createChainSync } from './chainSync.ts'
import type { SyncedState } from './syncedState.ts'

/** What anybody may put where a pool was: each answers all calls alike. */
const manners = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Burns { fallback() external payable { while (true) {} } }
contract TenMegabytes { fallback() external payable { assembly { return(0, 10000000) } } }
contract Reverts { fallback() external payable { revert(); } }
contract Lies {
  fallback() external payable {
    assembly { mstore(0, 32) mstore(32, not(0)) return(0, 64) }
  }
}
contract Initializes {
  struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }
  constructor(address manager, address currency0, address currency1, int24 spacing) {
    Key memory key = Key(currency0, currency1, 3000, spacing, address(0));
    (bool ok, ) = manager.call(abi.encodeWithSignature(
      "initialize((address,address,uint24,int24,address),uint160)", key, uint160(1 << 96)));
    require(ok);
  }
}
`)
const names = ['Burns', 'TenMegabytes', 'Reverts', 'Lies'] as const
/** A head that moves this much later than usual is not held up. */
const usualMs = 2_000
const hourMs = 3_600_000

const stand = await startSwapStand(42161)
const { chainId, chainClient, dexes, rpc, rpcUrl, manifest } = stand
let passedMs = 0
const open = () =>
  createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(chainId),
    pollMs: 20,
    maxAgeMs: 0,
    now: () => performance.now() + passedMs,
  })
const sync = open()
await sync.start()
const whole = await sync.fresh()
if (!whole) throw new Error('the world is read')

const s = suite('pools that strangers made')
s.after(async () => {
  await sync.close()
  await stand.close()
})

/** Contracts of many pools, which nobody can replace, and exchanges that are their DEX's only pool. */
const perDex = Map.groupBy(whole.pools.values(), ({ dex }) => dex)
const quotedDexes = new Set(
  dexes.filter((dex) => familyOf(dex).quoter !== undefined).map(({ name }) => name),
)
const victims = [...perDex.values()].flatMap((records) => {
  const own = records.filter(({ id, address }) => id === address.toLowerCase())
  return own.length > 0 && records.length > 1 ? own.slice(0, 1) : []
})

async function codeOf(address: Address): Promise<Hex> {
  return (await rpc('eth_getCode', address, 'latest')) as Hex
}

async function reachHead(follower: ChainSync): Promise<{ state: SyncedState; ms: number }> {
  await rpc('anvil_mine', '0x1')
  const mined = BigInt(String(await rpc('eth_blockNumber')))
  const askedAtMs = performance.now()
  for (;;) {
    const state = await follower.fresh()
    const ms = performance.now() - askedAtMs
    if (state && state.head.number >= mined) return { state, ms }
    if (ms > 20_000) throw new Error('the head stands still')
  }
}

s('there is one in every family that keeps its pools in contracts of their own', () => {
  const named = victims.map(({ dex }) => dex)
  assert.ok(named.length >= 12, named.join())
})

for (const name of names)
  s(
    `one that ${name.toLowerCase()} costs itself only, in every family at once [strangers/families]`,
    async () => {
      const strange = await codeOf(await deployArtifact(rpcUrl, { artifact: manners[name] }))
      const codes = await Promise.all(victims.map(({ address }) => codeOf(address)))
      for (const { address } of victims) await rpc('anvil_setCode', address, strange)
      const ids = new Set(victims.map(({ id }) => id))
      const honest = [...whole.pools.keys()].filter((id) => !ids.has(id))

      // Who follows already keeps up.
      passedMs += 11_000
      const { state, ms } = await reachHead(sync)
      assert.ok(ms < usualMs, `the head came after ${Math.round(ms)} ms`)
      for (const id of honest) assert.ok(state.pools.has(id), `${id} is followed`)

      // Who starts now loads everything else.
      const late = open()
      try {
        const startedAtMs = performance.now()
        await late.start()
        const tookMs = performance.now() - startedAtMs
        assert.ok(tookMs < 20_000, `loaded in ${Math.round(tookMs)} ms`)
        const { state: loaded } = await reachHead(late)
        for (const id of honest) assert.ok(loaded.pools.has(id), `${id} is loaded`)
        const left = new Set(late.leftOutPools().map(({ pool }) => pool.toLowerCase()))
        for (const { id, dex } of victims) {
          // A liar's numbers may make a pool (probes find out what it is worth), or an empty one.
          if (name === 'Lies' && quotedDexes.has(dex)) continue
          assert.not.ok(loaded.pools.has(id), `${name} is no pool of ${dex}`)
          assert.ok(left.has(id), `${dex} is named`)
        }

        for (const [index, { address }] of victims.entries())
          await rpc('anvil_setCode', address, codes[index])
        passedMs += 2 * hourMs
        for (const follower of [late, sync]) {
          const deadline = performance.now() + 20_000
          while (follower.leftOutPools().length > 0 && performance.now() < deadline)
            await reachHead(follower)
          const { state: again } = await reachHead(follower)
          for (const { id, dex } of victims) assert.ok(again.pools.has(id), `${dex} is back`)
        }
      } finally {
        await late.close()
      }
    },
  )

s(
  'a pool of the widest tick spacing in the manager stops nobody [strangers/tick-spacing]',
  async () => {
    const manager = dexes.find(({ protocol }) => protocol === 'uniswap_v4')?.factory
    const usdc = manifest.tokens['USDC']?.address
    const { state: before } = await reachHead(sync)
    for (const spacing of [29_303, 32_767])
      await deployArtifact(rpcUrl, {
        artifact: manners['Initializes'],
        args: [manager, zeroAddress, usdc, spacing],
      })
    const { state, ms } = await reachHead(sync)
    assert.ok(ms < usualMs)
    assert.is(state.pools.size, before.pools.size + 2)
  },
)
s.run()
