import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { worldAddress } from '../../../fixtures/world/parts/builder.ts'
import { balancerV3Vault } from '../protocols/balancer/balancerV3Chain.ts'
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
const { abi, bytecode } = TwoFaced

const factoryAbi = parseAbi([
  'function createStable(address[] tokens, (uint8 tokenType, address rateProvider, bool paysYieldFees)[] infos, uint256[3] fees, uint256 amp, bool limitsImbalance) returns (address)',
  'function getPoolCount() view returns (uint256)',
  'function getPoolsInRange(uint256 start, uint256 count) view returns (address[])',
])
const vaultAbi = parseAbi(['function addLiquidity(address pool, uint256[] amounts)'])

export type Face = {
  readonly tell: Tell
  /** 1: in undisguised dry runs, 2: always. */
  readonly loops?: 0 | 1 | 2
  /** Of the token that has the provider, with 18 decimals: for dry runs, and for callers. */
  readonly good: bigint
  readonly bad: bigint
}

/** A rate provider that anybody may deploy; `taker`: whom it takes for a dry run's. */
export async function deployTwoFaced(stand: SwapStand, name: string, taker: Address) {
  const provider = await stand.builder.deployAt({
    address: worldAddress(`rate provider ${name}`),
    artifact: { abi, bytecode },
    args: [taker],
  })
  return {
    provider,
    show: ({ tell, loops = 0, good, bad }: Face) =>
      stand.builder.write({
        to: provider,
        abi,
        functionName: 'show',
        args: [BigInt(names.indexOf(tell)), BigInt(loops), good, bad],
      }),
  }
}

/** A stable pool of two tokens on Balancer's honest factory; the first token has the provider. */
export async function openPool(
  stand: SwapStand,
  {
    provider,
    tokens,
    amounts,
  }: {
    readonly provider: Address
    readonly tokens: readonly [Address, Address]
    readonly amounts: readonly [bigint, bigint]
  },
): Promise<Address> {
  const factory = stand.dexes.find(({ name }) => name === 'balancer-v3-stable')?.factory
  if (!factory) throw new Error('the world has the exchange')
  const rows = tokens.map((token, k) => ({
    token,
    provider: k === 0 ? provider : zeroAddress,
    amount: amounts[k] ?? 0n,
  }))
  // The vault keeps tokens in the order of their addresses.
  const sorted = rows.toSorted((a, b) => (a.token.toLowerCase() < b.token.toLowerCase() ? -1 : 1))
  const infos = sorted.map(({ provider: rateProvider }) => ({
    rateProvider,
    tokenType: rateProvider === zeroAddress ? 0 : 1,
    paysYieldFees: false,
  }))
  const create = {
    abi: factoryAbi,
    functionName: 'createStable',
    args: [sorted.map(({ token }) => token), infos, [10n ** 14n, 0n, 0n], 200n, false],
  } as const
  await stand.asSeeder({ to: factory, data: encodeFunctionData(create) })
  const view = { to: factory, abi: factoryAbi } as const
  const count = (await stand.builder.read({ ...view, functionName: 'getPoolCount' })) as bigint
  const last = { ...view, functionName: 'getPoolsInRange', args: [count - 1n, 1n] }
  const [pool] = (await stand.builder.read(last)) as readonly Address[]
  if (!pool) throw new Error('the factory created no pool')
  for (const { token, amount } of sorted)
    await stand.asSeeder({
      to: token,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [balancerV3Vault, amount],
      }),
    })
  const add = { abi: vaultAbi, functionName: 'addLiquidity' } as const
  const data: Hex = encodeFunctionData({ ...add, args: [pool, sorted.map(({ amount }) => amount)] })
  await stand.asSeeder({ to: balancerV3Vault, data })
  return pool
}
