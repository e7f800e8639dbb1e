import {
  type Address,
  type Client,
  concat,
  hexToBigInt,
  numberToHex,
  parseAbi,
  size,
  slice,
  zeroAddress,
} from 'viem'
import { getBalance, readContract } from 'viem/actions'
import { createErrorTable, describeRevert } from '../../simulator/revertReason.ts'
import type { ChainClient } from '../chain/client.ts'
import { findRevert } from '../chain/findRevert.ts'
import { findRefusal } from '../chain/nodes/findRefusal.ts'
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

/**
 * Init code that asks `token.balanceOf(owner)` with 200,000 gas, keeps one word of the answer and returns
 * (success, size of the answer, the word). Nothing that the token does fails this call: an error is the node's.
 */
const balanceProbe = ({ owner, tokenIn }: { readonly owner: Address; readonly tokenIn: Address }) =>
  concat([
    '0x6370a0823160e01b5f52', // memory[0..4] = selector
    concat(['0x73', owner, '0x600452']), // memory[4..36] = owner
    concat(['0x6020604060245f73', tokenIn, '0x62030d40fa']), // staticcall, answer to memory[64..96]
    '0x5f523d60205260605ff3', // memory[0..64] = success, size
  ])
const probeGas = numberToHex(2_000_000)

async function readBalance(
  client: Client,
  tokenAndOwner: { readonly owner: Address; readonly tokenIn: Address },
): Promise<bigint | undefined> {
  const result = await client.request({
    method: 'eth_call',
    params: [{ data: balanceProbe(tokenAndOwner), gas: probeGas }, 'latest'],
  })
  if (size(result) !== 96) throw new Error('the node does not answer what it was asked')
  const [success, length, word] = [0, 32, 64].map((at) => hexToBigInt(slice(result, at, at + 32)))
  return success === 1n && length === 32n ? word : undefined
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
    // Some nodes have no code of its own for it, others one for more than that: the table knows their words.
    if (findRefusal(error)?.kind !== 'reverted') throw error
    const reason = describeRevert(findRevert(error) ?? '0x', createErrorTable([]))
    return { status: 'reverted', reason } as const
  }
}
