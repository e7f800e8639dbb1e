import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { getBalance, readContract } from 'viem/actions'
import { send } from '../../../fixtures/chains/send.ts'
import { createInject } from '../../../fixtures/inject.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { createSimulator } from '../../../simulator/simulator.ts'
import { getChain } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { isNative } from '../../chain/native.ts'
import type { Access } from '../../http/access.ts'
import { createService } from '../../http/service.ts'
import type { AgentRegistration } from '../registry.ts'
import { createRouting } from '../service/routing.ts'

type Call = { readonly target: Address; readonly data: Hex; readonly value: bigint }
type WireExecution = { readonly target: string; readonly calldata: string; readonly value: string }
type ErrorBody = {
  readonly error: string
  readonly code: string
  readonly details?: readonly { readonly field: string; readonly reason: string }[]
}
export type Refusal = ErrorBody & { readonly status: number }

const swapGas = 8_000_000n

/** The routing service over a chain of the offline world: asked in process, executed for real. */
export async function startRoutingStand({
  chainId = 8453,
  x402Support = false,
  registrations = [],
  mcpUrl,
}: {
  readonly chainId?: number
  readonly x402Support?: boolean
  readonly registrations?: readonly AgentRegistration[]
  readonly mcpUrl?: string
} = {}) {
  const world = await startWorldChain({ chainId })
  const { manifest, rpcUrl } = world
  const chain = getChain(chainId)
  const [account] = manifest.accounts
  if (!chain || !account) throw new Error(`chain ${chainId} is built in, its world funds accounts`)
  const { address: owner, privateKey, funded } = account
  const chainClient = createChainClient({ chain, rpcUrls: [rpcUrl] })
  const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
  let skippedMs = 0
  const routing = await createRouting({
    chains: [{ chainClient, executor: manifest.executor, maxAgeMs: 0, pollMs: 3_600_000 }],
    simulator,
    now: () => performance.now() + skippedMs,
    serviceName: 'forkyard-test',
    version: '1.2.3',
    publicUrl: 'https://routing.example',
    x402Support,
    registrations,
    mcpUrl,
    isQuotaSold: x402Support,
  })
  await routing.warmed
  const ledger = { charged: 0 }
  const service = createService({
    name: 'routing',
    endpoints: routing.endpoints,
    access: countCharges(ledger),
    checkOutput: true,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const inject = createInject(service.app)

  async function ask(path: string, body?: unknown) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await inject({
      path,
      method: body === undefined ? 'GET' : 'POST',
      body: text,
      headers: { 'content-type': 'application/json', 'x-api-key': 'good' },
    })
    return { status: answer.status, body: JSON.parse(answer.text) as unknown }
  }

  const balanceOf = (token: Address, holder: Address = owner): Promise<bigint> =>
    isNative(token)
      ? getBalance(chainClient.client, { address: holder })
      : readContract(chainClient.client, {
          address: token,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [holder],
        })

  const submit = ({ target, data, value }: Call) =>
    send({ rpcUrl, privateKey }, { to: target, data, value, gas: swapGas })

  return {
    chainId,
    chainClient,
    world,
    manifest,
    account: owner,
    funded,
    simulator,
    routing,
    service,
    ledger,
    token(symbol: string): Address {
      const found = manifest.tokens[symbol]
      if (!found) throw new Error(`the world has no ${symbol}`)
      return found.address
    },
    /** The service's clock goes on at once. */
    passTime(ms: number) {
      skippedMs += ms
    },
    /** The 200 of a request, whose shape the service checks; throws at any other answer. */
    async get<answer>(path: string, body?: unknown): Promise<answer> {
      const { status, body: value } = await ask(path, body)
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(value)}`)
      return value as answer
    },
    /** The refusal of a request; throws where it is answered. */
    async refusalOf(path: string, body?: unknown): Promise<Refusal> {
      const { status, body: value } = await ask(path, body)
      if (status < 400) throw new Error(`answered: ${JSON.stringify(value)}`)
      return { ...(value as ErrorBody), status }
    },
    balanceOf,
    async approve(tokens: readonly Address[]): Promise<void> {
      const args = [manifest.executor, maxUint256] as const
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
      for (const target of tokens) await submit({ target, data, value: 0n })
    },
    submit,
    /** Sends a payload as it came over the wire; what its sender gained, undefined where it reverted. */
    async execute({ target, calldata, value }: WireExecution, received: Address) {
      const before = await balanceOf(received)
      const call = { target: target as Address, data: calldata as Hex, value: BigInt(value) }
      const receipt = await submit(call)
      return receipt.status === 'success' ? (await balanceOf(received)) - before : undefined
    },
    async close(): Promise<void> {
      await routing.close()
      await simulator.close()
      chainClient.close()
      await world.close()
    },
  }
}

export type RoutingStand = Awaited<ReturnType<typeof startRoutingStand>>

/** Knows one key; counts what stays charged. */
function countCharges(ledger: { charged: number }): Access {
  return {
    identify: async ({ headers }) =>
      headers['x-api-key'] === 'good' ? { keyId: 'k', scopes: [] } : undefined,
    limit: async () => undefined,
    charge: async ({ cost }) => ({
      status: 'charged',
      headers: {},
      conclude: async ({ status }) => {
        if (status < 300) ledger.charged += cost
      },
    }),
  }
}
