import { type Address, encodeFunctionData, erc20Abi, maxUint256, parseAbi, toHex } from 'viem'
import { worldAddress } from '../../../fixtures/world/parts/builder.ts'
import type { Psm3Record } from '../protocols/wrapped/psm3Chain.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'

const abi = parseAbi([
  'struct SUSDSData { uint96 ssr; uint120 chi; uint40 rho; }',
  'function setPocket(address to)',
  'function setSUSDSData(SUSDSData nextData)',
])
const ray = 10n ** 27n

/** Moves the USDC of a PSM3 to another pocket or back, or sets another savings rate, which then stands still. */
export async function changePsm3(
  stand: SwapStand,
  { record, random }: { readonly record: Psm3Record; readonly random: Random },
): Promise<void> {
  const { address, pocket, rateProvider, rate, tokens } = record
  if (random.chance(0.5)) {
    const chi = rate + BigInt(random.below(1_000_000)) * 10n ** 18n
    return setSavingsRate(stand, { rateProvider, chi, ssr: ray, rhoSecs: 1 })
  }
  const isOwn = pocket.toLowerCase() === address.toLowerCase()
  const to = isOwn ? worldAddress('pocket') : address
  await movePocket(stand, { psm: address, usdc: tokens[0] as Address, to })
}

/** `chi` is the rate at `rhoSecs`, and `ssr` what it grows by each second since; both times 1e27. */
export function setSavingsRate(
  stand: SwapStand,
  {
    rateProvider,
    chi,
    ssr,
    rhoSecs: rho,
  }: {
    readonly rateProvider: Address
    readonly chi: bigint
    readonly ssr: bigint
    readonly rhoSecs: number
  },
): Promise<void> {
  const args = [{ ssr, chi, rho }] as const
  return stand.asSeeder({
    to: rateProvider,
    data: encodeFunctionData({ abi, functionName: 'setSUSDSData', args }),
  })
}

/** `owner` allows the PSM3 to take its USDC, up to `allowed`. */
export async function allowUsdc(
  { rpc }: SwapStand,
  { psm, usdc, owner, allowed }: Pocket & { readonly owner: Address; readonly allowed: bigint },
): Promise<void> {
  await rpc('anvil_setBalance', owner, toHex(10n ** 18n))
  await rpc('eth_sendTransactionSync', {
    from: owner,
    to: usdc,
    gasPrice: toHex(10n ** 9n),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [psm, allowed] }),
  })
}
type Pocket = { readonly psm: Address; readonly usdc: Address }

/** Moves the USDC of a PSM3 to another pocket, which allows it to take all, or back to itself. */
export async function movePocket(
  stand: SwapStand,
  { psm, usdc, to }: Pocket & { readonly to: Address },
): Promise<void> {
  if (to.toLowerCase() !== psm.toLowerCase())
    await allowUsdc(stand, { psm, usdc, owner: to, allowed: maxUint256 })
  const data = encodeFunctionData({ abi, functionName: 'setPocket', args: [to] })
  await stand.asSeeder({ to: psm, data })
}
