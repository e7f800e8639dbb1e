import {
  type Address,
  BaseError,
  type Client,
  type Hex,
  hexToBigInt,
  isHex,
  numberToHex,
  parseAbi,
  size,
  zeroAddress,
} from 'viem'
import { getBalance, readContract } from 'viem/actions'
import { createErrorTable, describeRevert } from '../../simulator/revertReason.ts'
import type { ChainClient } from '../chain/client.ts'
import type { DeploySimulation, DeploySimulator } from './deploySimulator.ts'
import { encodeDeploy } from './signer.ts'

const factoryAbi = parseAbi([
  'function proxyOf(address owner) view returns (address)',
  'function predict(address owner) view returns (address)',
])

/**
 * The same facts without a fork: read from the chain itself in one batch, the deployment by gas estimate.
 * For the moments in which the forks do not answer but the chain does.
 */
export function createChainSimulator(clients: readonly ChainClient[]): DeploySimulator {
  return {
    async simulateDeploy({ chainId, factory, owner, tokenIn, relayer }): Promise<DeploySimulation> {
      const client = clients.find((one) => one.chainId === chainId)?.client
      if (!client) throw new Error(`chain ${chainId} is not configured`)
      const ask = (functionName: 'proxyOf' | 'predict') =>
        readContract(client, { address: factory, abi: factoryAbi, functionName, args: [owner] })
      const [block, proxy, predictedProxy, nativeBalance, relayerBalance, tokenBalance, deploy] =
        await Promise.all([
          client.request({ method: 'eth_blockNumber' }),
          ask('proxyOf'),
          ask('predict'),
          getBalance(client, { address: owner }),
          getBalance(client, { address: relayer }),
          readBalance(client, { owner, tokenIn }),
          runDeploy(client, { factory, owner, relayer }),
        ])
      const existingProxy = proxy === zeroAddress ? undefined : proxy
      const balances = { nativeBalance, relayerBalance, tokenBalance }
      return { blockNumber: hexToBigInt(block), existingProxy, predictedProxy, ...balances, deploy }
    },
  }
}

/** Asks `first`; where it does not answer, `second`. */
export function withFallback(
  first: DeploySimulator,
  {
    second,
    bypassed,
  }: {
    readonly second: DeploySimulator
    readonly bypassed: (chainId: number, cause: unknown) => void
  },
): DeploySimulator {
  return {
    async simulateDeploy(request) {
      try {
        return await first.simulateDeploy(request)
      } catch (cause) {
        bypassed(request.chainId, cause)
        return second.simulateDeploy(request)
      }
    },
  }
}

/** JSON-RPC errors are the contract's doing; anything else is the chain's. */
const isExecutionError = (error: unknown) =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof Error && 'code' in cause) !== null

async function readBalance(
  client: Client,
  { owner, tokenIn }: { readonly owner: Address; readonly tokenIn: Address },
): Promise<bigint | undefined> {
  const data: Hex = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  try {
    const gas = numberToHex(200_000)
    const result = await client.request({
      method: 'eth_call',
      params: [{ to: tokenIn, data, gas }, 'latest'],
    })
    return size(result) === 32 ? hexToBigInt(result) : undefined
  } catch (error) {
    if (isExecutionError(error)) return undefined
    throw error
  }
}

async function runDeploy(
  client: Client,
  {
    factory,
    owner,
    relayer,
  }: { readonly factory: Address; readonly owner: Address; readonly relayer: Address },
) {
  try {
    const gas = await client.request({
      method: 'eth_estimateGas',
      params: [{ from: relayer, to: factory, data: encodeDeploy(owner) }],
    })
    return { status: 'ok', gasUsed: hexToBigInt(gas) } as const
  } catch (error) {
    if (isExecutionError(error)) return { status: 'reverted', reason: reasonOf(error) } as const
    throw error
  }
}

/** The contract's own words where the node passes its revert data on. */
function reasonOf(error: unknown): string {
  const carrier = error instanceof BaseError ? error.walk((cause) => hasData(cause)) : undefined
  return describeRevert(hasData(carrier) ? carrier.data : '0x', createErrorTable([]))
}

function hasData(cause: unknown): cause is { readonly data: Hex } {
  return typeof cause === 'object' && cause !== null && 'data' in cause && isHex(cause.data)
}
