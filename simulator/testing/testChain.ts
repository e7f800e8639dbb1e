import { createRequire } from 'node:module'
import {
  type Abi,
  type Address,
  type Chain,
  type Client,
  createClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  type Transport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deployContract, sendTransaction } from 'viem/actions'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'

const require = createRequire(import.meta.url)
/** anvil's first well-known account. */
export const deployer = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)

export type TestChain = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly pid: number
  readonly client: Client<Transport, Chain>
  readonly deploy: (p: { abi: Abi; bytecode: Hex; args?: readonly unknown[] }) => Promise<Address>
  readonly send: (p: {
    to: Address
    abi: Abi
    functionName: string
    args?: readonly unknown[]
    value?: bigint
  }) => Promise<bigint>
  readonly request: (method: string, params?: readonly unknown[]) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** A plain anvil to fork from, which mines with every transaction as a lab's chain does. */
export async function startTestChain({
  chainId = 8453,
}: {
  chainId?: number
} = {}): Promise<TestChain> {
  const { rpcUrl, pid, close } = await startAnvil({ args: ['--chain-id', String(chainId)] })
  const chain: Chain = defineChain({
    id: chainId,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = createClient({ chain, transport: http(rpcUrl), pollingInterval: 20 })
  const request = (method: string, params: readonly unknown[] = []) =>
    client.request({ method, params } as never) as Promise<unknown>
  return {
    chainId,
    rpcUrl,
    pid,
    close,
    client,
    request,
    async deploy({ abi, bytecode, args = [] }) {
      const hash = await deployContract(client, { account: deployer, chain, abi, bytecode, args })
      const { contractAddress } = await waitForReceipt({ rpcUrl, hash })
      if (!contractAddress) throw new Error('nothing deployed')
      return contractAddress
    },
    async send({ to, abi, functionName, args = [], value = 0n }) {
      const data = encodeFunctionData({ abi, functionName, args })
      // An estimate made in one second may not suffice in the next: v2 pairs then write their clock.
      const gas = 8_000_000n
      const hash = await sendTransaction(client, { account: deployer, chain, to, data, value, gas })
      const receipt = await waitForReceipt({ rpcUrl, hash })
      if (receipt.status !== 'success') throw new Error(`${functionName} reverted`)
      return receipt.blockNumber
    },
  }
}

/** ABI and bytecode out of an npm package of contracts. */
export function readArtifact(path: string): { abi: Abi; bytecode: Hex } {
  const { abi, bytecode, evm } = require(path) as {
    abi: Abi
    bytecode?: string
    evm?: { bytecode: { object: string } }
  }
  const code = bytecode ?? evm?.bytecode.object ?? ''
  return { abi, bytecode: code.startsWith('0x') ? (code as Hex) : `0x${code}` }
}
