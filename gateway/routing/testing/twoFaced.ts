import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex } from 'viem'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { worldAddress } from '../../../fixtures/world/parts/builder.ts'
import { balancerV3Vault } from '../protocols/balancer/balancerV3Chain.ts'
import {
  createStableData,
  fillStableCall,
  type StablePool,
  stableFactoryAbi,
} from './stablePool.ts'
import type { SwapStand } from './swapStand.ts'

/**
 * What a stranger may have a rate provider look at, as Solidity that says whether this is no dry run: all
 * of it was seen to work against one that was not disguised, its code being public.
 */
export const tells = {
  ['honest']: 'false',
  ['gas price']: 'tx.gasprice > 0',
  ['base fee']: 'block.basefee > 0',
  ['origin']: 'tx.origin != taker && tx.origin != prober',
  ['gas left']: 'gasleft() < 1000000',
  ['balance reader']: 'reader.code.length == 0 && tx.origin != prober',
  ['purse']: 'tx.origin.balance % 1 ether != 0 && tx.origin != prober',
  ['block gas limit']: 'block.gaslimit != 60000000 && tx.origin != prober',
} as const
export type Tell = keyof typeof tells

const names = Object.keys(tells)
const { TwoFaced } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract TwoFaced {
  address constant prober = ${getAddress('0x71c3a9f05e2b84d6907f1ae5c2d83b4690fe17a2')};
  address constant reader = ${getAddress('0x8d1f0a4e93c7b65a20f84b9d7e16c3a05f72e9b4')};
  address immutable taker;
  uint256 public face;
  uint256 public loops;
  uint256 public good = 1e18;
  uint256 public bad = 1e18;
  constructor(address taker_) { taker = taker_; }
  function show(uint256 face_, uint256 loops_, uint256 good_, uint256 bad_) external {
    (face, loops, good, bad) = (face_, loops_, good_, bad_);
  }
  function getRate() external view returns (uint256) {
    if (loops == 2 || (loops == 1 && tx.origin != address(0) && tx.gasprice == 0)) while (true) {}
    if (tx.origin == address(0)) return good;
    bool isReal;
${names.map((name, at) => `    if (face == ${at}) isReal = ${tells[name as Tell]};`).join('\n')}
    return isReal ? bad : good;
  }
}`)
if (!TwoFaced) throw new Error('the provider compiles')
/** A rate provider that anybody may deploy; its argument is whom it takes for a dry run's. */
export const twoFaced = TwoFaced

export type Face = {
  readonly tell: Tell
  /** 1: in undisguised dry runs, 2: always. */
  readonly loops?: 0 | 1 | 2
  /** Of the token that has the provider, with 18 decimals: for dry runs, and for callers. */
  readonly good: bigint
  readonly bad: bigint
}

/** The call of a provider that shows another face. */
export const showFace = ({ tell, loops = 0, good, bad }: Face): Hex =>
  encodeFunctionData({
    abi: twoFaced.abi,
    functionName: 'show',
    args: [BigInt(names.indexOf(tell)), BigInt(loops), good, bad],
  })

/** `taker`: whom it takes for a dry run's. */
export async function deployTwoFaced(stand: SwapStand, name: string, taker: Address) {
  const provider = await stand.builder.deployAt({
    address: worldAddress(`rate provider ${name}`),
    artifact: twoFaced,
    args: [taker],
  })
  return {
    provider,
    show: (face: Face) =>
      stand.builder.send({ from: stand.builder.deployer, to: provider, data: showFace(face) }),
  }
}

/** A pool opened by the owner of the world's liquidity. */
export async function openPool(
  { dexes, builder, asSeeder }: SwapStand,
  pool: StablePool,
): Promise<Address> {
  const factory = dexes.find(({ name }) => name === 'balancer-v3-stable')?.factory
  if (!factory) throw new Error('the world has the exchange')
  await asSeeder({ to: factory, data: createStableData(pool) })
  const view = { to: factory, abi: stableFactoryAbi } as const
  const count = (await builder.read({ ...view, functionName: 'getPoolCount' })) as bigint
  const last = { ...view, functionName: 'getPoolsInRange', args: [count - 1n, 1n] }
  const [address] = (await builder.read(last)) as readonly Address[]
  if (!address) throw new Error('the factory created no pool')
  const transfer = { abi: erc20Abi, functionName: 'transfer' } as const
  for (const [k, to] of pool.tokens.entries()) {
    const data = encodeFunctionData({ ...transfer, args: [balancerV3Vault, pool.amounts[k] ?? 0n] })
    await asSeeder({ to, data })
  }
  await asSeeder(fillStableCall(address, pool))
  return address
}
