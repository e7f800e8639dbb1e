import { encodeFunctionData, parseAbi, toHex } from 'viem'
import { familyOf } from '../../routing/protocols/families.ts'
import type { SyncedState } from '../../routing/sync/syncedState.ts'
import type { SwapStand } from '../../routing/testing/swapStand.ts'
import { toTrial } from '../../routing/testing/swapTrial.ts'

const probeAbi = parseAbi([
  'struct Trial { address tokenIn; uint256 value; bytes data; }',
  'function execute(address executor, Trial trial)',
])
const swapGas = 1_500_000n
const gasPriceWei = 10n ** 9n
/** Of a pool's depth: trades move prices a little, and back by the next block. */
const tradePart = 20_000

/**
 * Mines one block with a swap in each of `count` pools of Uniswap's v2 and v3 kind, through the
 * executor; `direction` 0 sells the pools' first token. Returns the number of the block.
 */
export async function mineSwaps(
  { rpc, manifest, probe, ...stand }: SwapStand,
  {
    state,
    count,
    direction,
  }: { readonly state: SyncedState; readonly count: number; readonly direction: 0 | 1 },
): Promise<bigint> {
  await rpc('evm_setAutomine', false)
  const [i, j] = direction === 0 ? [0, 1] : [1, 0]
  const pools = [...state.pools.values()].filter(
    (record) =>
      (record.protocol === 'uniswap_v2' || record.protocol === 'uniswap_v3') &&
      (familyOf(record).depth(record, i) ?? 0) > tradePart,
  )
  for (const record of pools.slice(0, count)) {
    const depth = familyOf(record).depth(record, i) ?? 0
    const amountIn = BigInt(Math.floor(depth / tradePart))
    const trial = toTrial({ rpc, manifest, probe, ...stand }, record, { i, j, amountIn })
    await rpc('eth_sendTransaction', {
      from: manifest.seeder.owner.address,
      to: probe,
      gas: toHex(swapGas),
      gasPrice: toHex(gasPriceWei),
      data: encodeFunctionData({
        abi: probeAbi,
        functionName: 'execute',
        args: [manifest.executor, trial],
      }),
    })
  }
  await rpc('evm_mine')
  await rpc('evm_setAutomine', true)
  return BigInt(String(await rpc('eth_blockNumber')))
}
