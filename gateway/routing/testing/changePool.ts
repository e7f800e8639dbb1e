import { type Abi, type Address, encodeFunctionData, erc20Abi, getAddress, parseAbi } from 'viem'
import { worldAddress } from '../../../fixtures/world/parts/builder.ts'
import { npmArtifact } from '../../../fixtures/world/parts/npmArtifacts.ts'
import type { BalancerV2Record } from '../protocols/balancer/balancerV2Chain.ts'
import type { BalancerV3Record } from '../protocols/balancer/balancerV3Chain.ts'
import type { ConcentratedRecord } from '../protocols/concentrated/concentratedRecord.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { changeAave } from './changeAave.ts'
import { changePsm3 } from './changePsm3.ts'
import { changeTrident } from './changeTrident.ts'
import { changeVault } from './changeVault.ts'
import { changeVaultPool, pauseVaultPool } from './changeVaultPool.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'

type Change<record extends PoolRecord = PoolRecord> = (
  stand: SwapStand,
  parameters: { readonly record: record; readonly random: Random },
) => Promise<void>

const abi = parseAbi([
  'function mint(address to) returns (uint256)',
  'function burn(address to) returns (uint256, uint256)',
  'function burn(int24, int24, uint128) returns (uint256, uint256)',
  'function setFeePercent(uint16, uint16)',
  'function setStableSwap(bool)',
  'function setFees(uint16, uint16)',
  'function setFee(uint16)',
  'function sync()',
  'function add_liquidity(uint256[] amounts, uint256 least)',
  'function remove_liquidity(uint256 amount, uint256[] least)',
  'function set_new_fee(uint256 fee, uint256 multiplier)',
  'function apply_new_fee(uint256 fee)',
  'function set_A(uint256 amplification)',
  'function setPauseState(bool state)',
  'function mintRanges(address pool, (int24 lower, int24 upper, uint128 liquidity)[] ranges)',
])
const algebraAbi = parseAbi(['function burn(int24, int24, uint128, bytes)'])
const calleePath =
  '@cryptoalgebra/integral-core/artifacts/contracts/test/TestAlgebraCallee.sol/TestAlgebraCallee.json'
const maxTick = 887_272

function call(
  stand: SwapStand,
  to: Address,
  of: { abi: Abi; functionName: string; args: readonly unknown[] },
): Promise<void> {
  return stand.asSeeder({ to, data: encodeFunctionData(of) })
}

async function heldBySeeder(stand: SwapStand, token: string): Promise<bigint> {
  return stand.balanceOf(getAddress(token), stand.manifest.seeder.address)
}

/** Sends both tokens in about the pair's ratio and mints, or takes a part of the Seeder's share out. */
const changePair: Change<Extract<PoolRecord, { reserve0: bigint }>> = async (
  stand,
  { record, random },
) => {
  const { address, tokens, reserve0, reserve1 } = record
  const { seeder } = stand.manifest
  const part = BigInt(2 + random.below(20))
  const canBurn = record.protocol === 'uniswap_v2'
  if (canBurn && random.chance(0.5)) {
    const shares = await heldBySeeder(stand, address)
    const args = [address, shares / (part * 4n)]
    await call(stand, address, { abi: erc20Abi, functionName: 'transfer', args })
    return call(stand, address, { abi, functionName: 'burn', args: [seeder.address] })
  }
  // A transfer without its other half would lie in the pair and fall to the next swap.
  for (const [index, reserve] of [reserve0, reserve1].entries())
    if ((await heldBySeeder(stand, tokens[index] ?? '')) < reserve / part + 1n) return
  for (const [index, reserve] of [reserve0, reserve1].entries())
    await call(stand, getAddress(tokens[index] as Address), {
      abi: erc20Abi,
      functionName: 'transfer',
      args: [address, reserve / part + 1n],
    })
  return call(stand, address, { abi, functionName: 'mint', args: [seeder.address] })
}

/** Ranges that a change has minted, by pool: only those can be burnt in full. */
const minted = new Map<string, { lower: number; upper: number; liquidity: bigint }[]>()

function pickRange({ tick, tickSpacing, liquidity }: ConcentratedRecord, random: Random) {
  const align = (at: number) => Math.round(at / tickSpacing) * tickSpacing
  const most = align(maxTick - tickSpacing)
  const clamp = (at: number) => Math.min(Math.max(at, -most), most)
  const middle = tick + Math.round((random.unit() - 0.5) * 40 * tickSpacing)
  const width = (1 + random.below(random.chance(0.2) ? 4_000 : 40)) * tickSpacing
  const lower = clamp(align(middle - width))
  const upper = clamp(align(middle + width))
  const depth = liquidity / BigInt(2 + random.below(30)) + 1_000_000n
  return upper > lower ? { lower, upper, liquidity: depth } : undefined
}

const changeRange: Change<ConcentratedRecord> = async (stand, { record, random }) => {
  const { address, protocol, id } = record
  const own = minted.get(id) ?? []
  const last = own.at(-1)
  if (last && random.chance(0.4)) {
    minted.set(id, own.slice(0, -1))
    const args = [last.lower, last.upper, last.liquidity]
    return protocol === 'algebra_integral'
      ? call(stand, address, { abi: algebraAbi, functionName: 'burn', args: [...args, '0x'] })
      : call(stand, address, { abi, functionName: 'burn', args })
  }
  const range = pickRange(record, random)
  if (!range) return
  await mintRange(stand, { record, range })
  minted.set(id, [...own, range])
}

async function mintRange(
  stand: SwapStand,
  { record, range }: { readonly record: ConcentratedRecord; readonly range: Range },
): Promise<void> {
  if (record.protocol === 'algebra_integral') return mintIntegral(stand, { record, range })
  await stand.builder.write({
    to: stand.manifest.seeder.address,
    abi,
    functionName: 'mintRanges',
    args: [record.address, [range]],
  })
}

type Range = { readonly lower: number; readonly upper: number; readonly liquidity: bigint }

/** Through the test payer of Algebra's own package: the Seeder speaks its `mint` only while it opens pools. */
async function mintIntegral(
  stand: SwapStand,
  { record, range }: { readonly record: ConcentratedRecord; readonly range: Range },
): Promise<void> {
  const callee = worldAddress('algebra callee')
  const artifact = npmArtifact(calleePath)
  if ((await stand.rpc('eth_getCode', callee, 'latest')) === '0x')
    await stand.builder.deployAt({ address: callee, artifact })
  for (const token of record.tokens) {
    const args = [callee, (await heldBySeeder(stand, token)) / 2n]
    await call(stand, getAddress(token), { abi: erc20Abi, functionName: 'approve', args })
  }
  const { seeder } = stand.manifest
  const { lower, upper, liquidity } = range
  const args = [record.address, seeder.address, lower, upper, liquidity]
  await call(stand, callee, { abi: artifact.abi, functionName: 'mint', args })
}

const changeCurve: Change<Extract<PoolRecord, { aPrecise: bigint }>> = async (
  stand,
  { record, random },
) => {
  const { address, tokens, balances } = record
  if (random.chance(0.4)) {
    const shares = await heldBySeeder(stand, address)
    const args = [shares / BigInt(4 + random.below(30)), tokens.map(() => 0n)]
    return call(stand, address, { abi, functionName: 'remove_liquidity', args })
  }
  const amounts = balances.map((balance) => balance / BigInt(3 + random.below(40)) + 1n)
  for (const [index, token] of tokens.entries())
    await call(stand, getAddress(token), {
      abi: erc20Abi,
      functionName: 'approve',
      args: [address, amounts[index]],
    })
  return call(stand, address, { abi, functionName: 'add_liquidity', args: [amounts, 0n] })
}

function factoryOf(stand: SwapStand, { dex: name }: PoolRecord): Address {
  const dex = stand.dexes.find((each) => each.name === name)
  if (!dex) throw new Error(name)
  return dex.factory
}

/** Sets a fee of the pool anew; false where its family knows none. */
async function changeFee(
  stand: SwapStand,
  { record, random }: { readonly record: PoolRecord; readonly random: Random },
): Promise<boolean> {
  const { address } = record
  const fee = 100 + random.below(900)
  const set = (to: Address, functionName: string, args: readonly unknown[]) =>
    call(stand, to, { abi, functionName, args })
  switch (record.protocol) {
    case 'aerodrome_v2':
      if (record.isPaused || random.chance(pauseChance)) {
        const args = [!record.isPaused]
        await set(factoryOf(stand, record), 'setPauseState', args)
        return true
      }
      await call(stand, factoryOf(stand, record), {
        abi: parseAbi(['function setCustomFee(address pool, uint256 fee)']),
        functionName: 'setCustomFee',
        args: [address, BigInt(5 + random.below(95))],
      })
      return true
    case 'slipstream':
      await call(stand, factoryOf(stand, record), {
        abi: parseAbi(['function setCustomFee(address pool, uint24 fee)']),
        functionName: 'setCustomFee',
        args: [address, fee],
      })
      return true
    case 'ramses_v1':
      await call(stand, factoryOf(stand, record), {
        abi: parseAbi(['function setPairFee(address pair, uint256 fee)']),
        functionName: 'setPairFee',
        args: [address, BigInt(5 + random.below(95))],
      })
      // Nothing tells of it: samples, which only guide, are taken anew with the pair's next event.
      await set(address, 'sync', [])
      return true
    case 'ramses_v2':
      await call(stand, address, {
        abi: parseAbi(['function setFee(uint24 fee)']),
        functionName: 'setFee',
        args: [fee],
      })
      return true
    case 'camelot_v2':
      if (random.chance(0.3)) await set(address, 'setStableSwap', [record.stable])
      else await set(address, 'setFeePercent', [fee, 50 + random.below(900)])
      return true
    case 'camelot_v3':
      await set(address, 'setFees', [fee, 100 + random.below(900)])
      return true
    case 'algebra_integral':
      // Its administrator is who deployed the factory.
      await stand.builder.write({ to: address, abi, functionName: 'setFee', args: [fee] })
      return true
    case 'curve_stable_ng':
      await set(address, 'set_new_fee', [
        BigInt(fee) * 10_000n,
        10n ** 10n * BigInt(1 + random.below(4)),
      ])
      return true
    case 'curve_plain':
      if (random.chance(0.5)) await set(address, 'set_A', [BigInt(50 + random.below(1_000))])
      else await set(address, 'apply_new_fee', [BigInt(fee) * 10_000n])
      return true
    default:
      return false
  }
}

const pauseChance = 0.2

/** A pool behind Balancer's vaults; one that is paused is so until its next change. */
const changeHeld: Change<BalancerV2Record | BalancerV3Record> = async (
  stand,
  { record, random },
) => {
  const { isPaused } = record
  if ('balancesRaw' in record && (isPaused || random.chance(pauseChance)))
    return pauseVaultPool(stand, { record, paused: !isPaused })
  return changeVaultPool(stand, { record, count: random.below(40) })
}

/**
 * A random change of a pool that is no swap: liquidity in or out, or another fee. A pool at the end of
 * its prices may ask for more of a token than there is: then nothing changes.
 */
export const changePool: Change = async (stand, { record, random }) => {
  try {
    const isStopped = record.protocol === 'aerodrome_v2' && record.isPaused
    if ((isStopped || random.chance(0.35)) && (await changeFee(stand, { record, random }))) return
    if (record.protocol === 'trident') await changeTrident(stand, { record, random })
    else if (record.protocol === 'psm3') await changePsm3(stand, { record, random })
    else if (record.protocol === 'aave_v3') await changeAave(stand, { record, random })
    else if (record.protocol === 'erc4626') await changeVault(stand, { record, random })
    else if ('poolId' in record || 'balancesRaw' in record)
      await changeHeld(stand, { record, random })
    else if ('reserve0' in record) await changePair(stand, { record, random })
    else if ('aPrecise' in record) await changeCurve(stand, { record, random })
    else if ('feePips1' in record) await changeRange(stand, { record, random })
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('execution reverted'))) throw error
  }
}

/** Takes the position over all prices out of a concentrated pool, so that it can be exhausted. */
export async function narrowPool(stand: SwapStand, record: ConcentratedRecord): Promise<void> {
  const [first, last] = [record.ticks[0], record.ticks.at(-1)]
  if (!first || !last || first.gross !== last.gross) return
  const args = [first.index, last.index, first.gross]
  const { address, protocol } = record
  await (protocol === 'algebra_integral'
    ? call(stand, address, { abi: algebraAbi, functionName: 'burn', args: [...args, '0x'] })
    : call(stand, address, { abi, functionName: 'burn', args }))
}
