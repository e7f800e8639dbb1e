import { type Abi, type Address, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import type { AaveV3Record } from '../protocols/wrapped/aaveV3Chain.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'

const abi = parseAbi([
  'function lend(address asset, address to, uint256 amount)',
  'function bringBack(address asset, uint256 amount)',
  'function setLiquidityRate(address asset, uint128 rate)',
  'function setSupplyCap(address asset, uint256 cap)',
  'function setReserveFreeze(address asset, bool isFrozen)',
  'function setReservePause(address asset, bool isPaused)',
])
const supplyAbi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint8)',
])
/** So much that suppliers earn some thousandths in a second. */
const hugeRate = 10n ** 32n

type Reserve = Pick<AaveV3Record, 'address' | 'configurator' | 'tokens'>
type Call = { readonly to: Address | undefined; readonly abi: Abi; readonly functionName: string }

const send = (
  stand: SwapStand,
  { to, ...call }: Call & { readonly args: readonly unknown[] },
): Promise<void> => {
  if (!to) throw new Error('a market has a configurator')
  return stand.asSeeder({ to, data: encodeFunctionData(call) })
}

/** A reserve is frozen or paused, or opened again. */
export function setReserveFlag(
  stand: SwapStand,
  { configurator: to, tokens: [asset] }: Reserve,
  [flag, isSet]: readonly ['Freeze' | 'Pause', boolean],
): Promise<void> {
  return send(stand, { to, abi, functionName: `setReserve${flag}`, args: [asset, isSet] })
}

/** In whole tokens; none where zero. */
export function setSupplyCap(
  stand: SwapStand,
  { configurator: to, tokens: [asset] }: Reserve,
  cap: bigint,
): Promise<void> {
  return send(stand, { to, abi, functionName: 'setSupplyCap', args: [asset, cap] })
}

/** Lends so much of what lies in a reserve to the Seeder. */
export function lendOut(
  stand: SwapStand,
  { address: to, tokens: [asset] }: Reserve,
  amount: bigint,
): Promise<void> {
  const args = [asset, stand.manifest.seeder.address, amount]
  return send(stand, { to, abi, functionName: 'lend', args })
}

async function bringBack(
  stand: SwapStand,
  { address: to, tokens: [asset] }: Reserve,
  amount: bigint,
): Promise<void> {
  const approve = { abi: erc20Abi, functionName: 'approve', args: [to, amount] }
  await send(stand, { to: asset as Address, ...approve })
  await send(stand, { to, abi, functionName: 'bringBack', args: [asset, amount] })
}

/** What suppliers earn in a year, times 1e27. */
export function setRate(
  stand: SwapStand,
  { address: to, tokens: [asset] }: Reserve,
  rate: bigint,
): Promise<void> {
  return send(stand, { to, abi, functionName: 'setLiquidityRate', args: [asset, rate] })
}

/** Suppliers earn for as long as it takes to stop it. */
async function earn(stand: SwapStand, reserve: Reserve): Promise<void> {
  for (const rate of [hugeRate, 0n]) await setRate(stand, reserve, rate)
}

/** Loans, repayments and earnings, another cap, or a reserve that is frozen or paused until the next change. */
export async function changeAave(
  stand: SwapStand,
  { record, random }: { readonly record: AaveV3Record; readonly random: Random },
): Promise<void> {
  const [withdrawable = 0n, room = 0n] = record.mosts
  if (room <= 0n) {
    for (const flag of ['Freeze', 'Pause'] as const)
      await setReserveFlag(stand, record, [flag, false])
    return setSupplyCap(stand, record, 0n)
  }
  const part = BigInt(2 + random.below(20))
  const changes = [
    () => lendOut(stand, record, withdrawable / part),
    () => bringBack(stand, record, withdrawable / part),
    () => earn(stand, record),
    () => capAbove(stand, record, part),
    () => setReserveFlag(stand, record, ['Freeze', true]),
    () => setReserveFlag(stand, record, ['Pause', true]),
  ]
  await random.pick(changes)()
}

/** A cap of what was supplied and a part of it more. */
async function capAbove(stand: SwapStand, record: AaveV3Record, part: bigint): Promise<void> {
  const to = record.tokens[1] as Address
  const read = (functionName: 'totalSupply' | 'decimals') =>
    stand.builder.read({ to, abi: supplyAbi, functionName })
  const total = (await read('totalSupply')) as bigint
  const decimals = (await read('decimals')) as number
  const whole = total / 10n ** BigInt(decimals)
  await setSupplyCap(stand, record, whole + whole / part)
}
