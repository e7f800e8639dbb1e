import { type Address, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from 'viem'
import { balancerV3Vault } from '../protocols/balancer/balancerV3Chain.ts'
import type { QuotedRecord } from '../protocols/quoted/quotedChain.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'

const abi = parseAbi([
  'function setLimits(uint256 mostIn, uint256 mostOut)',
  'function deposit(uint256 assets, address receiver) returns (uint256)',
  'function totalAssets() view returns (uint256)',
])
/** Tells that something changed, and is worth some shares. */
const smallDeposit = 1_000n

type Change = { readonly record: QuotedRecord; readonly random: Random }

/**
 * Shares are worth more, or a vault takes and gives less at once, or any amount again; then a deposit, as
 * nothing else tells of it. Whoever swaps leaves the known holder more shares than it keeps, since what that
 * one may redeem is all that is known to be paid.
 */
export async function changeVault(stand: SwapStand, { record, random }: Change): Promise<void> {
  const { address, tokens } = record
  const asset = tokens[0] as Address
  await leaveShares(stand, address)
  if (random.chance(0.5)) await gain(stand, { record, random })
  else await bound(stand, { record, random })
  const { seeder } = stand.manifest
  const approve = { abi: erc20Abi, functionName: 'approve', args: [address, smallDeposit] } as const
  const deposit = {
    abi,
    functionName: 'deposit',
    args: [smallDeposit, seeder.address],
  } as const
  await stand.asSeeder({ to: asset, data: encodeFunctionData(approve) })
  await stand.asSeeder({ to: address, data: encodeFunctionData(deposit) })
}

const readAssets = (stand: SwapStand, to: Address) =>
  stand.builder.read({ to, abi, functionName: 'totalAssets' }) as Promise<bigint>

/** Somebody gives the vault up to a hundredth of what it has. */
async function gain(stand: SwapStand, { record, random }: Change): Promise<void> {
  const { address, tokens } = record
  const given = (await readAssets(stand, address)) / BigInt(100 + random.below(10_000))
  const args = [address, given] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  await stand.asSeeder({ to: tokens[0] as Address, data })
}

async function bound(stand: SwapStand, { record, random }: Change): Promise<void> {
  const { address } = record
  const assets = await readAssets(stand, address)
  const pick = () => (random.chance(0.5) ? maxUint256 : assets / BigInt(2 + random.below(50)))
  const args = [pick(), pick()] as const
  await stand.asSeeder({
    to: address,
    data: encodeFunctionData({ abi, functionName: 'setLimits', args }),
  })
}

/** Half of what the stand's swapper has, where it has more than half of what the known holder has. */
export async function leaveShares(stand: SwapStand, vault: Address): Promise<void> {
  const { builder, probe, balanceOf } = stand
  const [own, known] = [await balanceOf(vault, probe), await balanceOf(vault, balancerV3Vault)]
  if (2n * own < known) return
  const args = [balancerV3Vault, own / 2n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  await builder.send({ from: probe, to: vault, data })
}
