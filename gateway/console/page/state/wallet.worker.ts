import { createClient, decodeFunctionData, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sendTransaction } from 'viem/actions'
import { executorAbi } from '../../../client/checkAnswers.ts'
import { createClient as createServices } from '../../../client/client.ts'
import { type SwapOrder, swap } from '../../../client/swap.ts'

export type WalletWork =
  | {
      readonly kind: 'execute'
      readonly services: Readonly<Record<'routing' | 'meta' | 'relay', string>>
      readonly apiKey: string | undefined
      readonly rpcUrl: string
      /** Of a lab's account: public. */
      readonly privateKey: Hex
      readonly order: Omit<SwapOrder, 'signal'>
    }
  | { readonly kind: 'decode'; readonly calldata: Hex }

export type WalletAnswer =
  | {
      readonly kind: 'executed'
      readonly txHash: Hex
      readonly amountOut: bigint
      readonly promised: bigint
      readonly gasUsed: bigint
    }
  | { readonly kind: 'decoded'; readonly text: string }
  | { readonly kind: 'failed'; readonly sentence: string }

type Execute = Extract<WalletWork, { kind: 'execute' }>

async function execute(task: Execute): Promise<WalletAnswer> {
  const account = privateKeyToAccount(task.privateKey)
  const node = createClient({ account, transport: http(task.rpcUrl) })
  const wallet = {
    address: account.address,
    // viem knows the methods by name; the client names those of a node.
    request: (call: { readonly method: string; readonly params?: unknown }) =>
      node.request(call as Parameters<typeof node.request>[0]) as Promise<unknown>,
    sendTransaction: (call: { to: Hex; data: Hex; value: bigint }) =>
      sendTransaction(node, { ...call, chain: null }),
  }
  const { services, apiKey, order } = task
  const client = createServices({ services, apiKey, clientId: 'console' })
  const { txHash, amountOut, quote, receipt } = await swap({ client, wallet }, order)
  const { gasUsed } = receipt
  return { kind: 'executed', txHash, amountOut, promised: BigInt(quote.output), gasUsed }
}

function decode(calldata: Hex): WalletAnswer {
  const { functionName, args } = decodeFunctionData({ abi: executorAbi, data: calldata })
  const text = JSON.stringify(
    { [functionName]: args },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  )
  return { kind: 'decoded', text }
}

addEventListener('message', async ({ data }: MessageEvent<WalletWork>) => {
  try {
    postMessage(data.kind === 'execute' ? await execute(data) : decode(data.calldata))
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    postMessage({ kind: 'failed', sentence } satisfies WalletAnswer)
  }
})
