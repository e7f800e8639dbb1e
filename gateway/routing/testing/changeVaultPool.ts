import { type Abi, type Address, encodeFunctionData, erc20Abi, getAddress, parseAbi } from 'viem'
import { balancerV3Vault } from '../protocols/balancer/balancerV3Chain.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { SwapStand } from './swapStand.ts'

const abi = parseAbi([
  'function setStaticSwapFeePercentage(address pool, uint256 fee)',
  'function setPoolPaused(address pool, bool paused)',
  'function addLiquidity(address pool, uint256[] amounts)',
  'function removeLiquidity(address pool, uint256[] amounts, address to)',
  'function setSwapFeePercentage(uint256 fee)',
  'function drain(uint24[] ids, address to)',
  'function setStaticFeeParameters((uint16 baseFactor, uint16 filterPeriod, uint16 decayPeriod, uint16 reductionFactor, uint24 variableFeeControl, uint16 protocolShare, uint24 maxVolatilityAccumulator) fees)',
])

/** Changes fees and liquidity of a pool behind a vault or in bins; `count` varies what it does. */
export async function changeVaultPool(
  stand: SwapStand,
  { record, count }: { readonly record: PoolRecord; readonly count: number },
): Promise<void> {
  const { address } = record
  const call = (
    to: Address,
    of: { abi: Abi; functionName: string; args: readonly unknown[] },
  ): Promise<void> => stand.asSeeder({ to, data: encodeFunctionData(of) })
  const fee = 10n ** 15n + BigInt(count) * 10n ** 14n
  if (record.protocol === 'balancer_v2_weighted' || record.protocol === 'balancer_v2_stable')
    return call(address, { abi, functionName: 'setSwapFeePercentage', args: [fee] })
  if (record.protocol === 'liquidity_book') {
    const last = record.bins.at(count % 2 === 0 ? 0 : -1)
    const to = stand.manifest.seeder.address
    if (last) await call(address, { abi, functionName: 'drain', args: [[last.id], to] })
    const fees = [8_000 + count, 600, 7_200, 5_000, 40_000, 1_000, 350_000]
    const [baseFactor, filterPeriod, decayPeriod, reductionFactor, variableFeeControl] = fees
    const [, , , , , protocolShare, maxVolatilityAccumulator] = fees
    const named = { baseFactor, filterPeriod, decayPeriod, reductionFactor, variableFeeControl }
    return call(address, {
      abi,
      functionName: 'setStaticFeeParameters',
      args: [{ ...named, protocolShare, maxVolatilityAccumulator }],
    })
  }
  if (!('balancesRaw' in record)) return
  const { vault, balancesRaw } = record
  await call(vault, { abi, functionName: 'setStaticSwapFeePercentage', args: [address, fee] })
  const amounts = balancesRaw.map((balance) => balance / BigInt(20 + count))
  if (count % 2 === 0) {
    const args = [address, amounts, stand.manifest.seeder.address]
    return call(vault, { abi, functionName: 'removeLiquidity', args })
  }
  for (const [index, token] of record.tokens.entries())
    await call(getAddress(token), {
      abi: erc20Abi,
      functionName: 'transfer',
      args: [vault, amounts[index]],
    })
  await call(vault, { abi, functionName: 'addLiquidity', args: [address, amounts] })
}

/** Stops or resumes a pool of Balancer's v3 vault. */
export async function pauseVaultPool(
  stand: SwapStand,
  { record, paused }: { readonly record: PoolRecord; readonly paused: boolean },
): Promise<void> {
  const vault = 'vault' in record ? record.vault : balancerV3Vault
  const args = [record.address, paused] as const
  const data = encodeFunctionData({ abi, functionName: 'setPoolPaused', args })
  await stand.asSeeder({ to: vault, data })
}
