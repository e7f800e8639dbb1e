import {
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  toHex,
  zeroAddress,
} from 'viem'
import { createRpc, type Rpc } from '../../../fixtures/anvil/rpc.ts'
import { type Builder, createBuilder, worldAddress } from '../../../fixtures/world/parts/builder.ts'
import { compileContracts, findArtifact } from '../../../fixtures/world/parts/compile.ts'
import { startWorldChain, type WorldManifest } from '../../../fixtures/world.ts'
import { getChain, getDexes } from '../../chain/chains.ts'
import { type ChainClient, createChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { cacheDir } from '../../runtime/cacheDir.ts'
import type { TaxOf } from '../sync/syncedState.ts'

/** A call of the executor: what it spends, its value, and its calldata. */
export type Trial = { readonly tokenIn: Address; readonly value: bigint; readonly data: Hex }
export type Outcome = {
  readonly ok: boolean
  /** What left the caller, leftovers come back. */
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly gasUsed: bigint
  readonly reason?: Hex | undefined
}

export type SwapStand = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly rpc: Rpc
  readonly builder: Builder
  readonly manifest: WorldManifest
  readonly chainClient: ChainClient
  readonly dexes: readonly Dex[]
  readonly taxOf: TaxOf
  /** Whoever swaps: a contract that holds the greater part of every supply. */
  readonly probe: Address
  balanceOf(token: Address, owner: Address): Promise<bigint>
  /** All on the state as it is, each undone. */
  tryAll(trials: readonly Trial[]): Promise<readonly Outcome[]>
  /** For good, in a block of its own. */
  execute(trial: Trial): Promise<Outcome>
  /** A call by the owner of the world's liquidity. */
  asSeeder(call: { to: Address; data: Hex; value?: bigint | undefined }): Promise<void>
  close(): Promise<void>
}

const probeAbi = parseAbi([
  'struct Trial { address tokenIn; uint256 value; bytes data; }',
  'struct Outcome { bool ok; uint256 amountIn; uint256 amountOut; uint256 gasUsed; bytes reason; }',
  'function allow(address token, address spender)',
  'function probe(address executor, Trial[] trials, uint256 gasEach) returns (Outcome[])',
  'function execute(address executor, Trial trial)',
  'event Executed(bool ok, uint256 amountIn, uint256 amountOut, uint256 gasUsed)',
])
const callGas = 1_000_000_000n
/** Thousands of words are walked on the way to the end of a pool. */
const gasEach = 40_000_000n
const gasPriceWei = 10n ** 9n
const ether = 10n ** 30n

type Receipt = { status: Hex; logs: { address: Address; data: Hex; topics: [Hex, ...Hex[]] }[] }

/** A chain of the offline world with a rich contract that swaps through its executor. */
export function startSwapStand(chainId: number): Promise<SwapStand> {
  return startSwapStandOn({ chainId, statePath: undefined })
}

/** The same on a state that went on from such a stand's. */
export async function startSwapStandOn({
  chainId,
  statePath,
  args = [],
}: {
  readonly chainId: number
  readonly statePath: string | undefined
  /** Further anvil flags. */
  readonly args?: readonly string[] | undefined
}): Promise<SwapStand> {
  const flags = ['--auto-impersonate', ...args]
  const world = await startWorldChain({ chainId, statePath, args: flags })
  const { manifest, rpcUrl } = world
  const rpc = createRpc(rpcUrl)
  await rpc('evm_setBlockGasLimit', toHex(2n * callGas))
  const chain = getChain(chainId)
  if (!chain) throw new Error(`chain ${chainId} is not built in`)
  const { executor, seeder } = manifest
  const builder = createBuilder({
    rpc,
    chainId,
    deployer: seeder.owner.address,
    gasLimit: callGas,
    gasPriceWei,
  })
  for (const rich of [seeder.owner.address, seeder.address])
    await rpc('anvil_setBalance', rich, toHex(ether))
  const artifacts = compileContracts({ cacheDir: cacheDir() })
  const probe = await builder.deployAt({
    address: worldAddress('swap probe'),
    artifact: findArtifact(artifacts, 'SwapProbe'),
  })
  await rpc('anvil_setBalance', probe, toHex(ether))
  const seederAbi = findArtifact(artifacts, 'Seeder').abi
  const balanceOf = async (token: Address, owner: Address) =>
    token === zeroAddress
      ? BigInt((await rpc('eth_getBalance', owner, 'latest')) as Hex)
      : ((await builder.read({
          to: token,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [owner],
        })) as bigint)
  // A state that went on from a stand's has been through this.
  const unspent = statePath === undefined ? Object.values(manifest.tokens) : []
  for (const { address } of unspent) {
    const share = ((await balanceOf(address, seeder.address)) * 9n) / 10n
    const pay = { to: seeder.address, abi: seederAbi, functionName: 'pay' }
    await builder.write({ ...pay, args: [address, [probe], share] })
    await builder.write({
      to: probe,
      abi: probeAbi,
      functionName: 'allow',
      args: [address, executor],
    })
  }
  const tax = manifest.tokens['TAX']?.address.toLowerCase()
  const chainClient = createChainClient({ chain, rpcUrls: [rpcUrl] })

  async function tryAll(trials: readonly Trial[]): Promise<readonly Outcome[]> {
    if (trials.length === 0) return []
    const call = { abi: probeAbi, functionName: 'probe' } as const
    const data = encodeFunctionData({ ...call, args: [executor, [...trials], gasEach] })
    const answer = await rpc('eth_call', { to: probe, data, gas: toHex(callGas) }, 'latest')
    return decodeFunctionResult({ ...call, data: answer as Hex })
  }

  return {
    chainId,
    rpcUrl,
    rpc,
    builder,
    manifest,
    chainClient,
    probe,
    balanceOf,
    tryAll,
    dexes: getDexes(chainId),
    taxOf: (token) => (token === tax ? 100 : 0),
    async execute(trial) {
      const call = { abi: probeAbi, functionName: 'execute' } as const
      const receipt = (await rpc('eth_sendTransactionSync', {
        from: seeder.owner.address,
        to: probe,
        gas: toHex(callGas),
        gasPrice: toHex(gasPriceWei),
        data: encodeFunctionData({ ...call, args: [executor, trial] }),
      })) as Receipt
      if (receipt.status !== '0x1') throw new Error('the probe itself failed')
      const own = receipt.logs.filter(
        ({ address }) => address.toLowerCase() === probe.toLowerCase(),
      )
      const last = own.at(-1)
      if (!last) throw new Error('the probe said nothing')
      return decodeEventLog({ abi: probeAbi, ...last }).args
    },
    asSeeder: ({ to, data, value = 0n }) =>
      builder.write({
        to: seeder.address,
        abi: seederAbi,
        functionName: 'execute',
        args: [to, value, data],
      }),
    async close() {
      chainClient.close()
      await world.close()
    },
  }
}
