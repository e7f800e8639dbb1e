import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { worldAddress } from '../../../fixtures/world/parts/builder.ts'
import { compileContracts, findArtifact } from '../../../fixtures/world/parts/compile.ts'
import { isqrt } from '../../../fixtures/world/parts/liquidity.ts'
import { seederAddress } from '../../../fixtures/world/parts/tokens.ts'
import { cacheDir } from '../../runtime/cacheDir.ts'
import type { SwapStand } from './swapStand.ts'

const { TwoFacedHook } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
interface Manager { function take(address currency, address to, uint256 amount) external; }
contract TwoFacedHook {
  struct Key { address currency0; address currency1; uint24 fee; int24 spacing; address hooks; }
  struct Swap { bool zeroForOne; int256 amount; uint160 limit; }
  Manager immutable manager;
  uint256 public told;
  uint256 public taken;
  constructor(Manager manager_) { manager = manager_; }
  receive() external payable {}
  function show(uint256 told_, uint256 taken_) external { (told, taken) = (told_, taken_); }
  function afterSwap(address, Key calldata key, Swap calldata swap, int256 delta, bytes calldata)
    external returns (bytes4, int128)
  {
    uint256 part = tx.origin == address(0) ? told : taken;
    require(part <= 10000);
    uint256 paid = uint256(uint128(swap.zeroForOne ? int128(delta) : int128(delta >> 128)));
    uint256 fee = paid * part / 10000;
    manager.take(swap.zeroForOne ? key.currency1 : key.currency0, address(this), fee);
    return (this.afterSwap.selector, int128(int256(fee)));
  }
}`)
if (!TwoFacedHook) throw new Error('the hook compiles')
const abi = parseAbi(['function show(uint256 told, uint256 taken)'])
const keyTypes = parseAbiParameters('address, address, uint24, int24, address')

/** Bits of an address whose hook acts after swaps, and takes of what they pay. */
const flags = 0x44n
const spacing = 60
const lastTick = 887_220

/**
 * A hook that keeps so many bps of what a swap pays: it tells quoters one part, and takes another from
 * whoever trades. More than 10,000 and it refuses.
 */
export async function deployTwoFacedHook(
  { builder, dexes, rpc }: Pick<SwapStand, 'builder' | 'dexes' | 'rpc'>,
  name: string,
) {
  const manager = dexes.find(({ protocol }) => protocol === 'uniswap_v4')?.factory
  if (!manager || !TwoFacedHook) throw new Error('the world has the manager')
  const address = ((BigInt(worldAddress(`hook ${name}`)) >> 14n) << 14n) | flags
  const hook = getAddress(`0x${address.toString(16).padStart(40, '0')}`)
  await builder.deployAt({ address: hook, artifact: TwoFacedHook, args: [manager] })
  const seeder = findArtifact(compileContracts({ cacheDir: cacheDir() }), 'Seeder').abi
  return {
    hook,
    manager,
    show: async (told: bigint, taken: bigint) => {
      const data: Hex = encodeFunctionData({ abi, functionName: 'show', args: [told, taken] })
      await builder.send({ from: builder.deployer, to: hook, data })
    },
    /** A pool of the whole range between two currencies, in order; its id. */
    async open({
      currencies: [currency0, currency1],
      amounts: [amount0, amount1],
      feePips,
    }: {
      readonly currencies: readonly [Address, Address]
      readonly amounts: readonly [bigint, bigint]
      readonly feePips: number
    }): Promise<Hex> {
      const key = { currency0, currency1, fee: feePips, tickSpacing: spacing, hooks: hook }
      const range = { lower: -lastTick, upper: lastTick, liquidity: isqrt(amount0 * amount1) }
      const price = isqrt((amount1 << 192n) / amount0)
      await rpc('anvil_setBalance', seederAddress, '0xffffffffffffffffffffffff')
      await builder.write({
        to: seederAddress,
        abi: seeder,
        functionName: 'openManagedPool',
        args: [manager, key, price, [range]],
      })
      return keccak256(
        encodeAbiParameters(keyTypes, [currency0, currency1, feePips, spacing, hook]),
      )
    },
  }
}
